"""Lexicon: the words of planted instructions, by the part that they play in a phrase."""

from __future__ import annotations

from collections.abc import Mapping

# Parts of phrases, each a bit. Words of several languages share a part.
_PARTS: Mapping[str, str] = {
    "drop": """ignore disregard forget override overrule bypass discard neglect ignores nullify
        ignora ignorad ignoren olvida olvide olvidad descarta omite haz_caso_omiso
        ignoriere ignorier ignorieren vergiss missachte missachten verwerfe
        ignorez oublie oubliez neglige abandonne ignoren esqueca esquece desconsidere desconsidera
        ignorate ignori dimentica dimenticate trascura negeer vergeet ignoruj zignoruj zapomnij
        glem bortse ignorera glom
        игнорируй игнорируйте проигнорируй забудь забудьте ігноруй yoksay unut""",
    "drop_last": "unut yoksay unutun",
    "order": """instruction instructions prompt prompts directive directives guideline guidelines
        rule rules command commands order orders policy policies restriction restrictions guardrail
        guardrails programming safeguards constraints instrucciones indicaciones reglas ordenes
        directrices anweisungen anweisung befehle regeln vorgaben instruktionen consignes regles
        directives ordres instrucoes orientacoes regras ordens istruzioni regole direttive
        indicazioni comandi instructies opdrachten regels instrukcje polecenia instruktioner
        instruksjoner anvisningar инструкции инструкций указания правила команды інструкції
        talimatlari talimatlar komutlari systemprompt""",
    "firm": """instruction instructions prompt prompts directive directives guardrail guardrails
        guidelines programming safeguards systemprompt instrucciones indicaciones directrices
        anweisungen anweisung instruktionen vorgaben consignes instrucoes orientacoes istruzioni
        direttive indicazioni instructies instrukcje instruktioner instruksjoner anvisningar
        инструкции инструкций указания інструкції talimatlari talimatlar""",
    "prior": """previous prior earlier above preceding foregoing aforementioned original initial
        system developer given received told
        anteriores anterior previas previos precedentes precedente bisherigen bisherige vorherigen
        vorherige obigen vorigen fruheren vorangegangenen previa previos precedents prec
        anteriormente precedenti finora eerdere vorige bovenstaande voorgaande poprzednie
        wczesniejsze tidigare tidligere предыдущие предыдущих прежние ранее предшествующие попередні
        onceki prima davor vorher avant antes""",
    "above": "above foregoing preceding aforementioned",
    "your": "your ur",
    "all": "all every any everything entire alle todas todos toutes tous tutte tutti все tum",
    "new": "new following updated these my",
    "whole": "everything anything",
    "follow": "follow following obey obeying heed honor honour respect",
    "stop": "stop cease quit",
    "obey": "follow obey execute",
    "task": "task goal role mission objective instructions directive purpose",
    "is": "is are : = becomes",
    "end": ". ! ? ; , and then et und y e",
    "show": """print reveal show output repeat display dump disclose leak expose recite list tell
        share give return echo provide write send paste quote
        muestra revela imprime gib zeige nenne verrate affiche revele montre mostre mostra rivela
        stampa выведи покажи""",
    "secretive": """system hidden developer preprompt secret sistema systeme systemprompt
        ukryty системный""",
    "prompt": """prompt prompts instruction instructions preprompt setup directives message
        messages instrucciones instructions instrucoes istruzioni systemprompt промпт""",
    "inner": "prompt prompts instructions configuration guidelines directives programming",
    "secret": "secrets tokens credentials passwords keys variables secret token password",
    "see": "see access know hold remember read reading",
    "you": "you u youre",
    "now": "now henceforth",
    "unbound": "unrestricted unfiltered uncensored jailbroken jailbreak dan amoral unbound",
    "being": "ai chatbot llm assistant dan bot gpt",
    "act": "act behave respond pretend roleplay speak answer operate function simulate",
    "without": "without no zero",
    "limits": """restrictions limits limitations filters rules censorship guardrails boundaries
        ethics constraints restriction""",
    "send": """send post upload forward exfiltrate transmit email leak copy submit mail append
        deliver envia envie manda schick schicke sende envoie envoyez invia отправь""",
    "loot": "secrets tokens credentials passwords cookies keys",
    "said": "conversation conversations memories",
    "data": """notes note memory transcript transcripts history messages message files file contents
        data logs log records record documents results answers details notas notizen documentos
        secrets tokens credentials passwords cookies conversation conversations memories chat""",
    "safety": """safety guardrail guardrails safeguard safeguards moderation censorship safeties
        policylayer""",
    "guard": """approval approvals review reviews confirmation confirmations verification checks
        check alerts alert alerting logging audit audits authorization consent oversight
        monitoring validation signoff""",
    "layer": "layer engine filter filters",
    "policyword": "policy policies content",
    "off": """off disabled suspended lifted removed deactivated inactive void waived bypassed
        unnecessary obsolete skipped muted silenced paused""",
    "no_longer": "longer not never dont isnt arent",
    "needed": "needed required necessary apply applies enforced active",
    "disable": """disable skip bypass suspend deactivate circumvent evade mute silence remove
        avoid""",
    "asking": "asking approval confirmation review permission checking consent confirming",
    "treat": "treat consider regard trust see accept",
    "as": "as like",
    "root": """root admin administrator superuser owner trusted verified authorized operator
        developer sudo privileged authoritative""",
    "modekind": "developer debug god admin maintenance root sudo unrestricted dan jailbreak",
    "mode": "mode",
    "on": "on enabled active activated engaged unlocked",
    "not": "not never dont avoid cannot",
    "tell": """tell mention inform reveal disclose alert notify report telling informing mentioning
        notifying warn warning alerting""",
    "people": """user users anyone human humans operator operators reviewer reviewers admin admins
        anybody person people them him her customer customers supervisor""",
    "keep": "keep leave hold",
    "hid": "secret hidden quiet confidential",
    "from": "from",
    "store": "save store remember keep write copy add record persist repeat resave",
    "this": "this these",
    "piece": "instruction instructions memory message note rule text entry paragraph sentence line",
    "again": "again every each always memory future forever verbatim memories",
    "approved": "approved authorized authorised preapproved consented",
    "deeds": """actions deletions calls requests transfers commands tool tools changes operations
        payments""",
    "fresh": "new updated real actual",
    "when": "when whenever once if after next time",
    "says": """says say asks said mentions writes write types type thanks replies reply sends greets
        answers""",
    "invoke": "call invoke run use execute trigger launch",
    "harm": """delete erase export upload disable transfer forward wipe drop purge exfiltrate
        overwrite grant leak destroy""",
    "sysword": """system admin administrator developer security root operator platform openai
        anthropic vendor sysadmin""",
    "notice": """notice override message alert update prompt instruction instructions note
        directive announcement command mode""",
    "colon": ":",
    "same": "same",
    "way": "way thing steps order approach again",
    "each": "each every always time future",
    "once_more": "repeat follow do apply",
    "time": "time times run session request",
    "model": "assistant ai llm agent bot chatbot agents assistants",
    "must": "must shall",
    "memo": "note message attention memo instruction instructions",
    "to": "to for",
    "on_": "on",
    "future": "future subsequent coming later",
    "talk": """conversation conversations session sessions chat chats response responses answer
        answers reply replies task tasks message messages""",
    "address": """http https www @ .com .net .org .io .dev .app .invalid .example .test .xyz .site
        .info .co .ru .cn .top .me .ai .sh .link .online""",
    "site": """http https www .com .net .org .io .dev .app .invalid .example .test .xyz .site .info
        .co .ru .cn .top .me .ai .sh .link .online""",
    "hook": "webhook",
    "break": ". ! ? ;",
    "line": "",
    "quote": "",
    "pause": ", : ( - – — > * # [ /",
    # Who may stand before an order, and who is told of instead.
    "starter": """and then please now just also first next always immediately instead so kindly
        simply must should shall will can may to you assistant ai model agent task is y e et und
        bitte por favor veuillez""",
    "join": "and then please now just also first next always immediately instead so kindly simply",
    "third": """we they he she it i users user attackers attacker people parser linter compiler
        script scripts tests tool job team build server client clients bot system who that
        which developers engineers prompts messages attacks someone anna readers visitors""",
    "mention": """phrase phrases string strings list blocked blocklist denylist filter filters
        detect detects detected detection example examples attack attacks injection injections
        pattern patterns regex contains matches called titled quoted wiki training reject rejects
        rejected refuse refuses refused test tests case cases corpus sample samples rule dataset
        scanner wrote attacker attackers classifier payload payloads report reported""",
    "place": """readme wiki doc docs page manual guide ticket file section pr comment vendor runbook
        changelog config handbook tutorial spec module repo repository package branch dockerfile
        makefile brochure leaflet letter version notebook""",
    "in": "in on from of for at",
    "domain": """setup install installation build deploy deployment assembly cooking shipping lint
        eslint formatting firewall style css bash shell git sql docker linter routing tax care
        washing pricing naming migration upgrade release release print printing make npm stylelint
        robots""",
}  # fmt: skip
BITS: Mapping[str, int] = {part: 1 << n for n, part in enumerate(_PARTS)}


def _masks() -> dict[str, int]:
    masks: dict[str, int] = {}
    for part, words in _PARTS.items():
        for word in words.split():
            masks[word] = masks.get(word, 0) | BITS[part]
    return masks


#: Word -> the bits of its parts.
WORDS: Mapping[str, int] = _masks()


def scrambled(word: str) -> str:
    """Return the same text for all words that differ in the order of the inner letters only."""
    return f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]}" if len(word) > 5 else ""


#: Long words of an override, by their letters without order -> bits.
SCRAMBLED: Mapping[str, int] = {
    scrambled(word): WORDS[word]
    for part in ("drop", "prior", "firm")
    for word in _PARTS[part].split()
    if len(word) > 5
}


def bits(parts: str) -> int:
    """Return the bits of parts named with spaces between, any of which will do."""
    mask = 0
    for part in parts.split():
        mask |= BITS[part]
    return mask
