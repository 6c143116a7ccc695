"""Risky commands: each program's words are read as the program reads them, so order and spelling do not matter.

`rm -rf`, `rm -fr`, `rm -r -f`, `rm --recursive x --force` are one thing, and `git commit -m force`, `npm rm -r` or
the English verb are not. A rule takes the words behind the program and returns how many of them it needed to decide.
What a command would be run with (`sudo`, `xargs`, `sh -c '…'`) does not matter: the program is found where it stands.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from memhtml.safety.boundary import is_inside_word
from memhtml.safety.codes import RiskCode, RiskFinding
from memhtml.safety.shell import Word, words_at

__all__ = ["risky_commands"]

_Verdict = tuple[RiskCode, int] | None
_Rule = Callable[[Sequence[bytes]], _Verdict]


def _flags(word: bytes) -> bytes:
    """Return the letters of a cluster of short options, or nothing."""
    return word[1:] if word[:1] == b"-" and word[1:].isalpha() else b""


_OPTION: Final = re.compile(rb"--?(?:[A-Za-z0-9]|-(?=[A-Za-z0-9]))*+(?:=.*)?", re.DOTALL)


def _without_punctuation(word: Word) -> Word:
    """Return a word without what only the sentence around the command put behind it."""
    if word.end - word.start != len(word.text):
        return word  # quoted
    option = _OPTION.match(word.text)
    text = option.group() if option is not None else word.text.rstrip(b".,:!?") or word.text
    return Word(text, word.start, word.start + len(text))


def _verbs(words: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the words that are no options, each with its place; the value of an option is one of them."""
    return ((place, word) for place, word in enumerate(words) if word[:1] != b"-")


def _verb(words: Sequence[bytes], valued: frozenset[bytes]) -> tuple[int, bytes]:
    """Return the place and text of the subcommand, past global options and their values."""
    place = 0
    while place < len(words) and words[place][:1] == b"-":
        place += 2 if words[place] in valued else 1
    return (place, words[place].lower()) if place < len(words) else (place, b"")


def _rm(words: Sequence[bytes]) -> _Verdict:
    for place, word in enumerate(words):
        if word == b"--":
            break
        if word == b"--recursive" or b"r" in _flags(word).lower():
            # `-r -f` is quoted whole, though `-r` alone deletes as much
            last = place + 1 if words[place + 1 : place + 2] in ([b"-f"], [b"--force"]) else place
            return RiskCode.RECURSIVE_DELETE, last
    return None


def _find(words: Sequence[bytes]) -> _Verdict:
    for place, word in enumerate(words):
        if word == b"-delete":
            return RiskCode.RECURSIVE_DELETE, place
        if word in (b"-exec", b"-execdir") and words[place + 1 : place + 2] == [b"rm"]:
            return RiskCode.RECURSIVE_DELETE, place + 1
    return None


_GIT_VALUED: Final = frozenset((b"-C", b"-c", b"--git-dir", b"--work-tree", b"--namespace"))


def _git(words: Sequence[bytes]) -> _Verdict:
    at, verb = _verb(words, _GIT_VALUED)
    rest = list(enumerate(words))[at + 1 :]
    if verb == b"push":
        for place, word in rest:
            is_forced = b"f" in _flags(word) or word.startswith((b"--force", b"--mirror", b"--delete"))
            if is_forced or (word[:1] in b"+:" and word[1:2].isalpha()):
                return RiskCode.FORCED_PUSH, place
    elif verb in (b"reset", b"checkout", b"switch"):
        for place, word in rest:
            if word == b"--hard" or (verb != b"reset" and (word == b"--force" or _flags(word) == b"f")):
                return RiskCode.DISCARDED_WORK, place
    elif verb == b"clean":
        places = [place for place, word in rest if word == b"--force" or b"f" in _flags(word)]
        is_rehearsal = any(word == b"--dry-run" or b"n" in _flags(word) for _, word in rest)
        if places and not is_rehearsal:
            return RiskCode.DISCARDED_WORK, places[0]
    elif verb in (b"filter-branch", b"filter-repo"):
        return RiskCode.DISCARDED_WORK, at
    elif (verb, b"".join(words[at + 1 : at + 2])) in (
        (b"stash", b"clear"),
        (b"reflog", b"expire"),
        (b"reflog", b"delete"),
    ):
        return RiskCode.DISCARDED_WORK, at + 1
    return None


_OCTAL_MODE: Final = re.compile(rb"[0-7]{3,4}")
#: Write permission for all or for others.
_OPENING_MODE: Final = re.compile(rb"(?=u?g?[ao])[ugoa]{1,4}[+=](?=[rxXst]{0,6}w)[rwxXst]{1,6}")


def _chmod(words: Sequence[bytes]) -> _Verdict:
    for place, word in enumerate(words):
        if _OCTAL_MODE.fullmatch(word):
            # a sticky folder is open to all by design: /tmp
            is_open = word[-1] in b"2367" and not (len(word) == 4 and word[0] in b"1357")
            return (RiskCode.OPEN_PERMISSIONS, place) if is_open else None
        if any(_OPENING_MODE.fullmatch(part) for part in word.split(b",")):
            return RiskCode.OPEN_PERMISSIONS, place
    return None


_DEVICE: Final = re.compile(rb"(?:of=)?/dev/(?!null|zero|stdout|stderr|tty|shm|fd/)[a-z]")


def _device(words: Sequence[bytes]) -> _Verdict:
    for place, word in enumerate(words):
        if _DEVICE.match(word):
            return RiskCode.DISK_OVERWRITE, place
    return None


def _dd(words: Sequence[bytes]) -> _Verdict:
    for place, word in enumerate(words):
        if word.startswith(b"of=") and _DEVICE.match(word):
            return RiskCode.DISK_OVERWRITE, place
    return None


_CLUSTER_VALUED: Final = frozenset(
    b"-n -h -p -a --namespace --context --cluster --kubeconfig -f -l --profile --region -chdir".split()
)
_DELETING: Final[dict[bytes, frozenset[bytes]]] = {
    b"kubectl": frozenset((b"delete", b"drain")),
    b"oc": frozenset((b"delete",)),
    b"helm": frozenset((b"uninstall", b"delete")),
    b"terraform": frozenset((b"destroy",)),
    b"tofu": frozenset((b"destroy",)),
    b"terragrunt": frozenset((b"destroy", b"destroy-all")),
    b"pulumi": frozenset((b"destroy",)),
    b"cdk": frozenset((b"destroy",)),
    b"redis-cli": frozenset((b"flushall", b"flushdb")),
    b"heroku": frozenset((b"apps:destroy", b"pg:reset")),
}


def _deleting(verbs: frozenset[bytes]) -> _Rule:
    def rule(words: Sequence[bytes]) -> _Verdict:
        at, verb = _verb(words, _CLUSTER_VALUED)
        if verb in verbs:
            return RiskCode.DELETED_RESOURCE, at
        for place, word in enumerate(words):
            if verb == b"apply" and word in (b"-destroy", b"--destroy"):
                return RiskCode.DELETED_RESOURCE, place
        return None

    return rule


_CONTAINER_DELETES: Final = frozenset(
    (
        (b"system", b"prune"),
        (b"volume", b"rm"),
        (b"volume", b"prune"),
        (b"image", b"prune"),
        (b"container", b"prune"),
    )
)


def _containers(words: Sequence[bytes]) -> _Verdict:
    verbs = list(_verbs(words))
    pair = tuple(word for _, word in verbs[:2])
    if pair in _CONTAINER_DELETES:
        return RiskCode.DELETED_RESOURCE, verbs[1][0]
    if any(word == b"down" for _, word in verbs[:6]):
        for place, word in enumerate(words):
            if word == b"--volumes" or _flags(word) == b"v":
                return RiskCode.DELETED_RESOURCE, place
    return None


_CLOUD_DELETE: Final = re.compile(rb"(?:delete|terminate|destroy|purge)(?:-[a-z-]+)?")


def _cloud(words: Sequence[bytes]) -> _Verdict:
    verbs = list(_verbs(words))[:5]
    # the first word names a service: `aws can delete …` is prose
    for place, word in verbs[1:] if verbs and verbs[0][1].isalnum() else ():
        if _CLOUD_DELETE.fullmatch(word) and not _PROSE.isdisjoint(w for _, w in verbs):
            return None
        if _CLOUD_DELETE.fullmatch(word):
            return RiskCode.DELETED_RESOURCE, place
    if any(word in (b"rm", b"rb") for _, word in verbs[:2]):
        for place, word in enumerate(words):
            if word in (b"--recursive", b"--force") or b"r" in _flags(word).lower():
                return RiskCode.DELETED_RESOURCE, place
    return None


_PROSE: Final = frozenset(
    b"a an the to can will may could should must and or is are was not it you we that".split()
)


def _dropdb(words: Sequence[bytes]) -> _Verdict:
    names = [(place, word) for place, word in _verbs(words) if word not in _PROSE]
    return (RiskCode.DROPPED_DATA, names[0][0]) if names and names[0][0] == len(words) - 1 else None


_RULES: Final[dict[bytes, _Rule]] = {
    b"rm": _rm,
    b"find": _find,
    b"git": _git,
    b"chmod": _chmod,
    b"dd": _dd,
    b"mkfs": _device,
    b"shred": _device,
    b"wipefs": _device,
    b"sgdisk": _device,
    b"docker": _containers,
    b"docker-compose": _containers,
    b"podman": _containers,
    b"aws": _cloud,
    b"gcloud": _cloud,
    b"gsutil": _cloud,
    b"az": _cloud,
    b"dropdb": _dropdb,
    **{program: _deleting(verbs) for program, verbs in _DELETING.items()},
}
#: `rm` is also a word of these: `git rm`, `docker rm`, `npm rm`.
_OWNS_RM: Final = re.compile(
    rb"(?:git|svn|hg|docker|podman|container|volume|image|network|npm|pnpm|yarn|s3|gsutil|storage|dvc|cargo|pass|mc)"
    rb"(?:[ \t]{1,4}-{1,2}[a-z-]{1,24})?[ \t]{1,4}$"
)
#: Starts with its alternatives, so that the engine skips to their first letters; what stands before is looked at after.
_PROGRAM: Final = re.compile(
    b"(?:"
    + b"|".join(sorted(map(re.escape, _RULES), reverse=True))
    + rb")(?=(?:\.[a-z0-9]{2,8})?[\"']?[ \t\\,])"
)
_SHELLS: Final = rb"(?:ba|z|da|k|fi)?sh|python[0-9.]{0,4}|perl|ruby|node|php|iex|Invoke-Expression"
#: With an option, these read data: `curl … | python -m json.tool`.
_INTERPRETER: Final = (
    rb"(?:python[0-9.]{0,4}|perl|ruby|node|php)(?=[ \t]{0,4}-?[ \t]{0,4}(?:[\n;&|)\"'`<,.]|\Z))"
)
_SHELL: Final = rb"(?:(?:ba|z|da|k|fi)?sh|iex|Invoke-Expression)(?![A-Za-z0-9_-])"
_FETCH: Final = rb"(?:curl|wget|iwr|irm|Invoke-WebRequest)(?=[ \t\\])"
#: A download that a shell runs: `curl … | sudo sh`, `sh -c "$(curl …)"`, `bash <(curl …)`.
_PIPED: Final = re.compile(
    _FETCH + rb"[^\n;`]{1,512}?(?<!\|)\|[ \t]{0,4}(?:\\\r?\n[ \t]{0,8})?"
    rb"(?:sudo[ \t]{1,4}(?:-[A-Za-z]{1,8}[ \t]{1,4}){0,3}|env[ \t]{1,4}|[A-Z_]{1,24}=[^\s|]{0,64}[ \t]{1,4}){0,3}"
    rb"(?:/[a-z/]{1,24}/)?(?:" + _SHELL + rb"|" + _INTERPRETER + rb")"
)
_SUBSTITUTED: Final = re.compile(
    rb"(?<![A-Za-z0-9_.-])(?:(?:"
    + _SHELLS
    + rb")[ \t]{1,4}(?:-[a-z]{1,4}[ \t]{1,4}){0,2}|eval[ \t]{1,4}|source[ \t]{1,4}|\.[ \t]{1,4})"
    rb"[\"']?(?:\$\(|<\(|`)[ \t]{0,4}" + _FETCH
)
_FORK_BOMB: Final = re.compile(
    rb"(?P<name>:|(?<![A-Za-z0-9_])[A-Za-z_]\w{0,16})[ \t]{0,4}\(\)[ \t]{0,4}\{\s{0,4}"
    rb"(?P=name)[ \t]{0,4}\|[ \t]{0,4}(?P=name)[ \t]{0,4}&(?:amp;)?"
    rb"\s{0,4};?\s{0,4}\}\s{0,4};?\s{0,4}(?P=name)"
)
_INTO_DEVICE: Final = re.compile(
    rb"(?:>|&gt;)[ \t]{0,4}/dev/(?:sd[a-z]|nvme[0-9]|hd[a-z]|vd[a-z]|mmcblk[0-9]|r?disk[0-9])[a-z0-9]{0,6}"
)


def _patterns(shadow: bytes) -> Iterator[RiskFinding]:
    is_shell = b"curl" in shadow or b"wget" in shadow
    if is_shell or b"iex" in shadow or b"Invoke-Expression" in shadow:
        for pattern in (_PIPED, _SUBSTITUTED):
            for found in pattern.finditer(shadow):
                yield RiskFinding(RiskCode.REMOTE_SCRIPT, *found.span())
    if b"()" in shadow and b"|" in shadow:
        for found in _FORK_BOMB.finditer(shadow):
            yield RiskFinding(RiskCode.FORK_BOMB, *found.span())
    if b"/dev/" in shadow:
        for found in _INTO_DEVICE.finditer(shadow):
            yield RiskFinding(RiskCode.DISK_OVERWRITE, *found.span())


def risky_commands(shadow: bytes) -> Iterator[RiskFinding]:
    """Yield the risky commands of a text, each from its program to the word that decided."""
    for found in _PROGRAM.finditer(shadow):
        program = found.group()
        if is_inside_word(shadow, found.start()):
            continue
        if program == b"rm" and _OWNS_RM.search(shadow, max(0, found.start() - 48), found.start()):
            continue
        words = [_without_punctuation(word) for word in words_at(shadow, *found.span())]
        verdict = _RULES[program]([word.text for word in words[1:]])
        if verdict is not None:
            code, last = verdict
            yield RiskFinding(code, found.start(), words[min(last + 1, len(words) - 1)].end)
    yield from _patterns(shadow)
