"""The flags that narrow a search or a listing."""

from memhtml.cli.parsing import Call
from memhtml.index.scope import Scope, scope_of

__all__ = ["scope_in"]


def scope_in(call: Call) -> Scope:
    """Return the scope that a call's flags mean. Errors: `InvalidFlag`."""
    return scope_of(
        types=call.texts("type"),
        workspace=call.text("workspace"),
        tags=call.texts("tag"),
        entity=call.text("entity"),
        facets=call.texts("facet"),
        para=call.text("para"),
        include_archived=call.switch("include-archived"),
        as_of=call.text("as-of"),
    )
