"""What attributes and foreign elements show of the rules: the observations that make a file unsafe or no memory."""

import re
from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborNode

from memhtml.format.content_hash import trim
from memhtml.format.document import Observation
from memhtml.format.rules import ViolationCode
from memhtml.format.vocabulary import FORBIDDEN_ATTRIBUTES, FORBIDDEN_ELEMENTS, names

__all__ = [
    "EMBEDDING_ELEMENTS",
    "Observations",
    "language_token",
    "observe_attributes",
    "observe_element",
    "observe_template",
]

EMBEDDING_ELEMENTS: Final = names("iframe frame object embed applet")

#: Distinct subjects kept for one code: enough to act on, and bounded on hostile input.
_MAX_SUBJECTS: Final = 32
_MAX_SUBJECT_LENGTH: Final = 64

_HARMLESS: Final = names("datetime value title id lang dir name content charset")
_HANDLER: Final = re.compile(r"on[a-z]+")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#.-]*")
_UNPRINTABLE: Final = re.compile(r"[^!-~]")
#: Attributes whose value a browser takes for an address, wherever they stand; `to`, `from`, `by` and `values` because
#: an animation can move an address into a link.
_ADDRESSES: Final = names(
    "href xlink:href src srcset imagesrcset poster background lowsrc dynsrc data action formaction cite longdesc "
    "manifest ping archive codebase classid icon profile usemap to from by values"
)
#: Of these, the ones that are fetched without a click.
_FETCHED: Final = names(
    "src srcset imagesrcset poster background lowsrc dynsrc data manifest archive codebase classid icon"
)
_CLICKED: Final = names("a area")
#: Browsers skip these inside an address, and control characters and spaces before it.
_SKIPPED: Final = str.maketrans("", "", "\t\n\r")
_LEADING: Final = "".join(map(chr, range(0x21)))
_SCRIPT_SCHEMES: Final = ("javascript:", "vbscript:", "data:")
_REMOTE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}")


class Observations:
    """Observations in the order they were made, each subject once a code."""

    __slots__ = ("_count", "_seen")

    def __init__(self) -> None:
        self._seen: dict[Observation, None] = {}
        self._count: dict[ViolationCode, int] = {}

    def add(self, code: ViolationCode, subject: str) -> None:
        """Note that a rule has something to say about a name of the markup."""
        observation = Observation(code, _UNPRINTABLE.sub("?", subject[:_MAX_SUBJECT_LENGTH]))
        if observation in self._seen:
            return
        count = self._count.get(code, 0)
        if count < _MAX_SUBJECTS:
            self._count[code] = count + 1
            self._seen[observation] = None

    def all(self) -> tuple[Observation, ...]:
        """Return what was observed."""
        return tuple(self._seen)


def language_token(text: str) -> str:
    """Return a data-lang as it is stored: trimmed and lower-case."""
    return trim(text).lower()


def observe_attributes(tag: str, attributes: Mapping[str, str | None], seen: Observations) -> None:
    """Note every attribute of one element that a rule speaks about."""
    for name, value in attributes.items():
        if name in _HARMLESS:
            continue
        if name == "data-lang":
            if value is None or _LANGUAGE.fullmatch(value) is None:
                seen.add(ViolationCode.LANG_TOKEN_BAD, tag)
        elif name in FORBIDDEN_ATTRIBUTES:
            seen.add(ViolationCode.FORBIDDEN_ATTRIBUTE, name)
        elif name.startswith("on") and _HANDLER.fullmatch(name) is not None:
            seen.add(ViolationCode.EVENT_HANDLER, name)
        elif name in _ADDRESSES:
            if value is not None:
                _observe_address(tag, name, value, seen)
        elif name == "srcdoc":
            seen.add(ViolationCode.EMBEDDED_PAGE, tag)
        elif name == "http-equiv" and tag == "meta":
            seen.add(ViolationCode.META_HTTP_EQUIV, name)


def _observe_address(tag: str, name: str, value: str, seen: Observations) -> None:
    many = name in ("srcset", "imagesrcset", "ping", "archive", "values")
    for part in re.split(r"[,;\s]+", value) if many else (value,):
        address = part.translate(_SKIPPED).lstrip(_LEADING)[:64].lower()
        if address.startswith(_SCRIPT_SCHEMES):
            seen.add(ViolationCode.URL_SCRIPT, name)
        elif _REMOTE.match(address) is not None and (
            name in _FETCHED or (name in ("href", "xlink:href") and tag not in _CLICKED)
        ):
            seen.add(ViolationCode.REMOTE_RESOURCE, f"{tag}@{name}")


def observe_template(template: LexborNode, seen: Observations) -> None:
    """Note what a template hides; its content is not part of the tree, and neither are its words."""
    pending = template.template_fragments()
    while pending:
        fragment = pending.pop()
        for node in fragment.traverse(include_text=True, skip_empty=True):
            seen.add(ViolationCode.HIDDEN_CONTENT, "template")
            tag = node.tag
            if tag is None or tag.startswith("-"):
                continue
            if tag in FORBIDDEN_ELEMENTS:
                seen.add(ViolationCode.HIDDEN_CONTENT, tag)
            elif tag == "template":
                pending.extend(node.template_fragments())
            for name in node.attributes:
                if name in FORBIDDEN_ATTRIBUTES or _HANDLER.fullmatch(name) is not None:
                    seen.add(ViolationCode.HIDDEN_CONTENT, name)


def observe_element(
    node: LexborNode, tag: str, attributes: Mapping[str, str | None], seen: Observations
) -> None:
    """Note what the rules say about an element of the head that is no title, meta or link."""
    if attributes:
        observe_attributes(tag, attributes, seen)
    if tag in FORBIDDEN_ELEMENTS:
        seen.add(ViolationCode.FORBIDDEN_ELEMENT, tag)
        return
    if tag == "base":
        seen.add(ViolationCode.BASE_ELEMENT, tag)
    elif tag == "template":
        observe_template(node, seen)
    elif tag == "noscript" and trim(node.text()):
        seen.add(ViolationCode.HIDDEN_CONTENT, tag)
    seen.add(ViolationCode.ELEMENT_UNKNOWN, tag)
