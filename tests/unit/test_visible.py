"""Hidden characters are named, everything else is left as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain import visible
from memorykit_app.domain.visible import Piece


@pytest.mark.parametrize(
    ("character", "label"),
    [
        ("\u202e", "RLO"),
        ("\u200b", "ZWSP"),
        ("\u00a0", "NBSP"),
        ("\ufe0f", "VS16"),
        ("\U000e0100", "VS17"),
        ("\U000e0041", "TAG A"),
        ("\x07", "U+0007"),
        ("\r", "U+000D"),
        ("\u2028", "LINE SEPARATOR"),
        ("\u2003", "U+2003"),
        ("\ue000", "U+E000"),
        ("\U000e0001", "U+E0001"),
    ],
)
def test_a_hidden_character_has_a_label(character, label):
    assert visible.pieces(f"a{character}b") == [Piece("a"), Piece(character, label), Piece("b")]
    assert visible.holds_hidden(character)


@pytest.mark.parametrize("text", ["plain words", "两 行\n文\t字", "全角\u3000空格", "é ñ ü", "🙂"])
def test_ordinary_text_is_one_piece(text):
    assert visible.pieces(text) == [Piece(text)]
    assert not visible.holds_hidden(text)


def test_no_text_has_no_pieces():
    assert visible.pieces("") == []


@given(st.text(max_size=100))
def test_the_pieces_make_up_the_text(text):
    found = visible.pieces(text)

    assert "".join(piece.text for piece in found) == text
    assert all(len(piece.text) == 1 for piece in found if piece.label)
