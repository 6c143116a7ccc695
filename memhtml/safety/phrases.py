"""Risky phrases: statements that drop data, production, the word secret, and words that address the model.

To mention production is not to act on it: a mention only warns, and the name of a build mode is not even that.
An action is a tool that reaches for something called production, or a sentence that tells the reader to.
"""

import re
from collections.abc import Iterator
from typing import Final

from memhtml.safety.boundary import hits, is_inside_word
from memhtml.safety.codes import RiskCode, RiskFinding
from memhtml.safety.shell import words_at

__all__ = ["risky_phrases"]

_NAME: Final = rb"(?:[\"`\[]?[A-Za-z_]\w{0,62}[\"`\]]?\.){0,2}[\"`\[]?[A-Za-z_]\w{0,62}[\"`\]]?"
#: SQL in any case where nothing else can be meant, and in capitals where English would be.
_STATEMENT: Final = re.compile(
    rb"(?i:drop[ \t\n]{1,4}(?:table|database|schema|tablespace))(?![A-Za-z0-9_-])"
    rb"|(?i:truncate[ \t\n]{1,4}table)[ \t\n]{1,4}"
    + _NAME
    + rb"|TRUNCATE[ \t\n]{1,4}(?!TABLE\b)"
    + _NAME
    + rb"[ \t]{0,4}(?=;|,|CASCADE|RESTART|\n|\Z|[\"'`<])"
    rb"|DELETE[ \t\n]{1,4}FROM[ \t\n]{1,4}"
    + _NAME
    + rb"|(?i:delete[ \t\n]{1,4}from)[ \t\n]{1,4}"
    + _NAME
    + rb"(?=[ \t\n]{0,4}(?:;|(?i:where)\b|[\"'`<]))"
)
_PRODUCTION: Final = re.compile(
    rb"prod(?:uction)?(?![a-z0-9])"
    rb"(?![ -](?:build|bundle|mode|ready|grade|quality|dependenc|code|readiness|use|asset|install))"
)
#: Programs that reach other machines. What a build tool does with the word is a build mode.
_REACHING: Final = re.compile(
    rb"(?:kubectl|oc|helm|terraform|tofu|terragrunt|pulumi|cdk|ansible(?:-playbook)?"
    rb"|cap|heroku|vercel|netlify|fly|flyctl|eb|sls|serverless|argocd|aws|gcloud|az|gsutil|ssh|scp|rsync|psql"
    rb"|mysql|mongosh?|redis-cli|pg_restore|pg_dump|git[ \t]{1,4}push|gh[ \t]{1,4}workflow[ \t]{1,4}run|kamal"
    rb"|dokku|docker(?:-compose|[ \t]{1,4}compose))(?=[ \t\\])"
)
_PRODUCTION_WORD: Final = re.compile(rb"(?i)(?:^|[^a-z0-9])prod(?:uction)?(?:[^a-z0-9]|$)")
#: `RAILS_ENV=production rails db:migrate`, `npm run deploy:prod`: a task that changes something there.
_TASK: Final = re.compile(
    rb"(?i)(?<![A-Za-z0-9])(?:[A-Z_]{0,24}(?:ENV|STAGE|ENVIRONMENT)[ \t]{0,2}=[ \t]{0,2}"
    rb"[\"']?prod(?:uction)?[\"']?[ \t]{1,4}[^\n;|]{0,80}?"
    rb"(?:db:|migrat|deploy|console|runner|dbshell|loaddata|flush|rollback|seed)"
    rb"|(?:npm|yarn|pnpm|make|just|rake|invoke|fab)[ \t]{1,4}(?:run[ \t]{1,4})?"
    rb"(?:deploy|release|migrate|rollback)[:_-]prod(?:uction)?(?![a-z]))"
)
#: The reader is told to do something to production; it ends where the name stands.
_TOLD: Final = re.compile(
    rb"(?i)(?:^|[.!?;:\n>][ \t]{0,4}|[-*][ \t]{1,4}|[0-9][.)][ \t]{1,4}"
    rb"|\b(?:please|then|always|now|and|to)[ \t]{1,4})"
    rb"(?:deploy|push|ship|release|promote|migrate|roll[ \t]{0,2}out|restart|ssh|connect|log[ \t]{0,2}in|run"
    rb"|execute|apply|delete|drop|wipe|reset)(?:[ \t]{1,4}[^\s.!?;:]{1,32}){0,5}"
    rb"[ \t]{1,4}(?:to|on|in|into|onto|against|from)[ \t]{1,4}(?:the[ \t]{1,4}|our[ \t]{1,4})?$"
)
_LOOK_BACK: Final = 96
_SECRET_WORD: Final = re.compile(rb"secrets?(?![a-z0-9])")
_MARKER_BEFORE: Final = b"[redacted:"

_EARLIER: Final = rb"(?:previous|prior|above|earlier|preceding|existing|system|your)"
_LETTERS: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz")
#: What addresses the model, by the words it begins with, in lower case.
_INJECTIONS: Final = (
    (
        (b"ignore", b"disregard", b"forget", b"override"),
        re.compile(
            rb"[a-z]{6,9}\s{1,4}(?:(?:all|any|every|the|these|those|of|my|"
            + _EARLIER
            + rb")\s{1,4}){0,5}?"
            + _EARLIER
            + rb"\s{1,4}(?:\w{1,16}\s{1,4})?"
            rb"(?:instructions?|prompts?|rules|directions|directives|guidelines|messages)\b"
        ),
    ),
    (
        (b"you are now",),
        re.compile(
            rb"you are now\s{1,4}(?:in\s{1,4}|an?\s{1,4})?(?:dan\b|developer\s{1,4}mode|jailbroken|un[a-z]{1,8}ed\b)"
        ),
    ),
    (
        (b"reveal ", b"print ", b"show ", b"repeat ", b"leak ", b"output ", b"send "),
        re.compile(
            rb"[a-z]{4,6}\s{1,4}(?:me\s{1,4})?(?:your|the)\s{1,4}(?:system|hidden|initial|secret)\s{1,4}"
            rb"(?:prompt|instructions?)\b"
        ),
    ),
    (
        (b"do not ", b"don't ", b"never ", b"without "),
        re.compile(rb"[a-z' ]{5,7}\s{1,4}(?:tell|inform|alert|notify)(?:ing)?\s{1,4}the\s{1,4}user\b"),
    ),
    ((b"<|",), re.compile(rb"<\|(?:im_start|im_end|system|start_header_id)\|>")),
    ((b"[inst]", b"[/inst]", b"<<sys>>"), re.compile(rb"[^\s]{6,7}(?<=[\]>])")),
)


def _production(shadow: bytes, low: bytes) -> Iterator[RiskFinding]:
    named = [
        found.span()
        for found in _PRODUCTION.finditer(low)
        if not low[found.start() - 1 : found.start()].isalnum()
    ]
    if not named:
        return
    acts = [found.span() for found in _TASK.finditer(shadow)]
    for found in _REACHING.finditer(shadow):
        if is_inside_word(shadow, found.start()):
            continue
        for word in words_at(shadow, *found.span()):
            if word.start >= found.end() and _PRODUCTION_WORD.search(word.text):
                acts.append((found.start(), word.end))
                break
    mentions = []
    for start, end in named:
        told = _TOLD.search(shadow, max(0, start - _LOOK_BACK), start)
        if told is not None:
            acts.append((told.start(), end))
        else:
            mentions.append((start, end))
    acts.sort()
    done = place = 0
    for start, end in mentions:
        while place < len(acts) and acts[place][0] <= start:
            done = max(done, acts[place][1])
            place += 1
        if start >= done:
            yield RiskFinding(RiskCode.PRODUCTION_MENTION, start, end)
    for start, end in acts:
        yield RiskFinding(RiskCode.PRODUCTION_ACTION, start, end)


def _statements(shadow: bytes, low: bytes) -> Iterator[RiskFinding]:
    for verb in (b"drop", b"truncate", b"delete"):
        for at in hits(low, verb):
            found = None if is_inside_word(shadow, at) else _STATEMENT.match(shadow, at)
            if found is not None:
                yield RiskFinding(RiskCode.DROPPED_DATA, *found.span())


def _injections(low: bytes) -> Iterator[RiskFinding]:
    for beginnings, pattern in _INJECTIONS:
        for beginning in beginnings:
            for at in hits(low, beginning):
                is_word_part = beginning[0] in _LETTERS and low[at - 1 : at].isalnum()
                found = None if is_word_part else pattern.match(low, at)
                if found is not None:
                    yield RiskFinding(RiskCode.PROMPT_INJECTION, *found.span())


def risky_phrases(shadow: bytes, low: bytes) -> Iterator[RiskFinding]:
    """Yield the risky phrases of a text; `low` is `shadow` in lower case."""
    yield from _statements(shadow, low)
    if b"prod" in low:
        yield from _production(shadow, low)
    for found in _SECRET_WORD.finditer(low):
        start, end = found.span()
        is_marked = low.rfind(_MARKER_BEFORE, max(0, start - _LOOK_BACK), start) >= 0
        if not is_marked and not low[start - 1 : start].isalnum():
            yield RiskFinding(RiskCode.SECRET_MENTION, start, end)
    yield from _injections(low)
