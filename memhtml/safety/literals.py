"""Whether a value that stands where a secret would is one: placeholders, names, words and code are not.

Everything here looks at one short value (a few hundred bytes at most) and is a pure yes or no.
"""

import re
from typing import Final

__all__ = ["is_key", "is_password", "is_placeholder", "is_wordy"]

#: A value that holds one of these stands for another. `redacted` is the marker that redaction leaves.
_PLACEHOLDER_PART: Final = re.compile(
    rb"example|your|placeholder|change[_-]?(?:me|this|it)|x{4}|\*{3}|\.{3}|dummy|redacted|insert|replace[_-]?(?:me|this|with)"
    rb"|fixme|foobar|lorem|\$\{|\{\{|<|>|%\(|#\{|\$\("
)
#: A value that begins like this is looked up elsewhere: a variable, a template, an option, a path.
_REFERENCE: Final = re.compile(rb"[$%@{(\[<]|--|~?/[a-z]|\.{1,2}/|env[.:(]|arn:|vault:|[a-z]{2,10}://")
#: What stands for a value in examples, schemas and programs.
_STAND_INS: Final = frozenset(
    b"pass passwd password passphrase pwd pw secret secrets token tokens key keys apikey credential credentials"
    b" string str text char varchar bytes int integer bool boolean number object array any unknown"
    b" none null nil true false undefined empty blank void required optional hidden masked unset missing invalid"
    b" test testing tests default value values name user username foo bar baz qux abc asdf todo tbd auth".split()
)
_SEPARATORS: Final = re.compile(rb"[-_./:+=@,#~]+")
#: Words, numbers of up to four digits, and both together where the digits are few (`v2`, `oauth2`, `sha256`).
_WORD: Final = re.compile(
    rb"(?:[A-Z]?[a-z]{2,14}+|[A-Z]{2,14}+|[A-Za-z])(?:[A-Z][a-z]{2,14}+){0,4}|[0-9]{1,4}"
)
_VERSIONED: Final = re.compile(rb"[A-Za-z]{1,10}[0-9]{1,3}|[0-9]{1,3}[A-Za-z]{1,2}|[A-Za-z][0-9][A-Za-z]")
#: `settings.db.password`, `Rails::Secret`, `user->token`, `params[:password]`: a name in a program.
_DOTTED_NAME: Final = re.compile(rb"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+[?!]?")
_UUID: Final = re.compile(rb"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DATE: Final = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HEX: Final = re.compile(rb"(?i)(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{16,}")
_LETTER: Final = re.compile(rb"[A-Za-z]")
_DIGIT: Final = re.compile(rb"[0-9]")
_SYMBOL: Final = re.compile(rb"[!@#$%^&*+~]")
_LOWER_HUMP: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+")

_MIN_KEY: Final = 8
_MIN_PASSWORD: Final = 4
_MIN_WORD: Final = 6
_MIN_RANDOM_LETTERS: Final = 16


def is_placeholder(value: bytes) -> bool:
    """Say whether a value only stands for one: `<your-key>`, `xxxx`, `${VAR}`, `****`, `changeme`, `test-token`."""
    low = value.lower()
    if _PLACEHOLDER_PART.search(low) or _REFERENCE.match(low) or low in _STAND_INS:
        return True
    return any(piece in _STAND_INS for piece in _SEPARATORS.split(low)) and is_wordy(value)


def is_wordy(value: bytes) -> bool:
    """Say whether a value is made of words, as names and slugs are, and not of random characters."""
    pieces = [piece for piece in _SEPARATORS.split(value) if piece]
    return all(
        _WORD.fullmatch(piece) or (len(pieces) > 1 and _VERSIONED.fullmatch(piece)) for piece in pieces
    )


def _is_name(value: bytes) -> bool:
    return bool(_DOTTED_NAME.fullmatch(value) or _UUID.fullmatch(value) or _DATE.match(value))


def _is_shuffled(value: bytes) -> bool:
    """Say whether letters change their case as often as drawn letters do, and not as words in camel case."""
    return len(value) >= _MIN_RANDOM_LETTERS and len(_LOWER_HUMP.findall(value)) * 3 > len(value)


def is_key(value: bytes, *, minimum: int = _MIN_KEY) -> bool:
    """Say whether a value can be a key or token: letters and digits mixed (or shuffled case), and no name."""
    if len(value) < minimum or is_placeholder(value) or _is_name(value):
        return False
    if _HEX.fullmatch(value):
        return True
    if not _LETTER.search(value):
        return False
    if not _DIGIT.search(value):
        return _is_shuffled(value)
    return not is_wordy(value)


def is_password(value: bytes, *, is_quoted: bool, is_variable: bool) -> bool:
    """Say whether a value can be a password.

    Quoted, any single word that is no stand-in can. Bare, it must mix letters with digits or signs, since bare words
    are prose or names of a program; only behind a name like `DB_PASSWORD=` (`is_variable`) is a bare word a value.
    """
    if len(value) < _MIN_PASSWORD or is_placeholder(value) or _is_name(value):
        return False
    if not _LETTER.search(value):
        return is_quoted and len(value) >= _MIN_WORD and value.isdigit()
    if _DIGIT.search(value) or _SYMBOL.search(value):
        return is_quoted or not (is_wordy(value) and _SEPARATORS.search(value))
    if len(value) < _MIN_WORD or not value.isalpha():
        return False
    # A label in another language is written with a capital: "password": "Passwort".
    return value.islower() if is_quoted else is_variable
