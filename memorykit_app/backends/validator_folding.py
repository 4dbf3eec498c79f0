"""Folding: a text as a reader takes it in, without disguise, for the rules to read."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+")
# Letters that look like Latin ones, for words that mix alphabets: each with its Latin twin.
_ALIKE_PAIRS = (
    "аa вb еe ёe кk мm нh оo рp сc тt уy хx ѕs іi їi јj ԁd һh ԛq ԝw үy ӏl пn гr иu ьb "
    "αa βb εe ιi κk νv οo ρp τt υu χx ωw ηn γy ϲc ɑa ɡg ɩi ʀr ʏy "
    "ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ɴn ᴏo ᴘp ꜱs ᴛt ᴜu ᴠv ᴡw ᴢz օo ոn սu հh"
)
_ALIKE = {ord(pair[0]): pair[1] for pair in _ALIKE_PAIRS.split()}
_ALIKE |= {
    ord(pair[0].upper()): pair[1].upper()
    for pair in _ALIKE_PAIRS.split()
    if not pair[0].upper().isascii() and len(pair[0].upper()) == 1
}
_OTHER = re.compile(f"[{''.join(map(chr, _ALIKE))}]")
_LATIN = re.compile("[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
# Squared letters that compatibility folding leaves, and two signs that it blows up to phrases.
_SQUARED = {0x1F150 + n: chr(97 + n) for n in range(26)}
_SQUARED |= {0x1F170 + n: chr(97 + n) for n in range(26)}
_SQUARED |= {0xFDFA: " ", 0xFDFB: " "}
# Traditional characters in the words that the Chinese rules look for, each with its simple one.
_SIMPLE_PAIRS = (
    "無无 視视 規规 則则 統统 輸输 發发 給给 記记 憶忆 對对 話话 設设 開开 關关 閉闭 過过 應应 "
    "該该 須须 執执 調调 審审 確确 認认 權权 處处 請请 從从 傳传 員员 號号 碼码 鑰钥 個个 這这 "
    "當当 說说 讓让 將将 後后 續续 條条 內内 還还 實实 來来 繞绕 檢检 護护 級级 現现 為为 會会 "
    "麼么 顯显 參参 數数 據据 區区 單单 棄弃 廢废 證证 隱隐 驗验 報报 轉转 載载 聽听 們们 訴诉 "
    "導导 網网 維维 戶户 彈弹 鎖锁 項项 類类 試试 擬拟 環环 變变 誌志 準准 違违 離离"
)
_SIMPLE = {ord(pair[0]): pair[1] for pair in _SIMPLE_PAIRS.split()} | {0x131: "i"}
_LEET = str.maketrans("0134578@$!|", "oieastbasil")
_LEET_SIGN = re.compile(r"(?<=[a-z0-9])[@$!|](?=[a-z0-9])(?![\w-]{1,40}\.[a-z])")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*·|/]{1,3}){5,400}[^\W\d_](?![^\W_])")
_GAP = re.compile(r"[ .\-_*·|/]{1,3}")
# Words to find again in letters that stood apart with no wider gap between the words.
_PIECES = re.compile(
    "ignore|disregard|forget|override|bypass|reveal|print|repeat|show|every|everything|all|your"
    "|previous|prior|earlier|above|system|hidden|instructions?|prompts?|rules|guidelines"
)
_LONG = 12
_HAN_GAP = re.compile(r"(?<=[\u3400-\u9fff])[ \u3000.·•\-_*~|/]{1,3}(?=[\u3400-\u9fff])")


def visible(text: str) -> str:
    """Return the text without invisible characters, in NFKC, look-alikes in mixed words Latin.

    Takes time linear in the text; the result has at most a small multiple of its length.
    """
    if text.isascii():
        return _INVISIBLE.sub("", text)
    text = _INVISIBLE.sub("", text.translate(_SQUARED))
    text = unicodedata.normalize("NFKC", text)
    if _OTHER.search(text):
        text = _WORD.sub(_latin, text)
    return text


def is_mixed(word: str) -> bool:
    """Say whether a word holds Latin letters and letters of an alphabet that looks like it."""
    return bool(_OTHER.search(word) and _LATIN.search(word))


def mixed_words(text: str) -> bool:
    return bool(_OTHER.search(text)) and any(is_mixed(found[0]) for found in _WORD.finditer(text))


def _latin(found: re.Match[str]) -> str:
    return found[0].translate(_ALIKE) if is_mixed(found[0]) else found[0]


def folded(plain: str) -> str:
    """Return visible text in lower case, simplified Chinese, Latin letters without accents."""
    text = plain.casefold()
    if text.isascii():
        return text
    text = text.translate(_SIMPLE)
    split = unicodedata.normalize("NFD", _HAN_GAP.sub("", text))
    return unicodedata.normalize("NFC", _MARKS.sub("", split))


def joined(text: str) -> str:
    """Return folded text with letters that stand apart put back into words.

    Wide gaps part words; where all gaps are alike the letters become one long word.
    """
    return _SPACED.sub(_join, text)


def _join(found: re.Match[str]) -> str:
    gaps = _GAP.findall(found[0])
    narrow = min(map(len, gaps))
    letters = _GAP.split(found[0])
    words = [letters[0]]
    for gap, letter in zip(gaps, letters[1:], strict=True):
        if len(gap) > narrow:
            words.append(letter)
        else:
            words[-1] += letter
    return " ".join(_PIECES.sub(r" \g<0> ", w) if len(w) >= _LONG else w for w in words)


def unleeted(text: str) -> str:
    """Return folded text with signs inside words as the letters they stand for."""
    return _LEET_SIGN.sub(lambda found: found[0].translate(_LEET), text)


def as_letters(word: str) -> str:
    """Return a word with its digits read as letters."""
    return word.translate(_LEET)
