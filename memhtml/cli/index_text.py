"""Reports on the index as a person reads them."""

from collections.abc import Sequence

from memhtml.cli.terminal import Paint, listing, plural, safe
from memhtml.index.reports import EmbedReport, IndexStatus, RebuildReport, UpdateReport, VerifyReport
from memhtml.values import Skip

__all__ = ["embedded", "rebuilt", "standing", "updated", "verified"]

#: How many skipped files, or differing rows, are told one by one; JSON has them all.
SHOWN = 10


def rebuilt(report: RebuildReport, paint: Paint, *, has_embedder: bool) -> str:
    """Say what a rebuild made."""
    lines = [
        f"{paint.green('rebuilt')} {plural(report.files_indexed, 'memory', 'memories')}, "
        f"{plural(report.chunks_indexed, 'chunk')} and {plural(report.edges_indexed, 'edge')} "
        f"at {report.head_sha[:12]}"
    ]
    if report.embeddings_preserved or report.embeddings_written:
        lines.append(f"vectors: {report.embeddings_preserved:,} kept, {report.embeddings_written:,} made")
    lines += _left_over(report, has_embedder=has_embedder)
    return "\n".join(lines + _skipped(report.skipped, paint))


def updated(report: UpdateReport, paint: Paint, *, has_embedder: bool) -> str:
    """Say what an update changed."""
    if report.unchanged:
        lines = [f"{paint.green('up to date')} at {report.head_sha[:12]}"]
    else:
        counts = (
            ("added", report.added),
            ("modified", report.modified),
            ("removed", report.removed),
            ("renamed", report.renamed),
        )
        told = ", ".join(f"{count:,} {what}" for what, count in counts if count) or "no row changed"
        lines = [f"{paint.green('updated')} to {report.head_sha[:12]}: {told}"]
        lines.append(
            f"vectors: {report.embeddings_written:,} made, {plural(report.embeddings_saved, 'call')} saved"
        )
    if report.reason is not None:
        lines.append(f"compared the whole tree: {report.reason}")
    lines += _left_over(report, has_embedder=has_embedder)
    return "\n".join(lines + _skipped(report.skipped, paint))


def standing(report: IndexStatus, paint: Paint) -> str:
    """Say what the index holds."""
    fresh = paint.green("current") if report.fresh else paint.yellow("behind; run `memhtml index update`")
    vectors = f"{report.embeddings:,} of {report.embed_model or 'no model'}"
    return "\n".join(
        [
            f"index {fresh}",
            listing(
                [
                    ("commit", report.head_sha),
                    ("HEAD", report.repository_head or "no commit yet"),
                    ("digest", report.digest),
                    ("memories", f"{report.files:,}, {report.active_files:,} active"),
                    ("skipped", f"{report.skipped:,}"),
                    ("uncommitted", f"{report.dirty:,}"),
                    ("chunks", f"{report.chunks:,}"),
                    ("vectors", vectors),
                    ("edges", f"{report.edges:,}, {report.derived_edges:,} derived"),
                    ("rebuilt", report.rebuilt_at),
                    ("updated", report.updated_at),
                ]
            ),
        ]
    )


def verified(report: VerifyReport, paint: Paint) -> str:
    """Say whether the index is what a rebuild makes."""
    rows = plural(report.rows_compared, "row")
    if report.agrees:
        return f"{paint.green('verified')} {rows}: the same as a rebuild ({report.digest})"
    found = plural(len(report.differences), "difference")
    lines = [f"{paint.red('differs')} from a rebuild: {found} in {rows}"]
    for row in report.differences[:SHOWN]:
        columns = f": {', '.join(row.columns)}" if row.columns else ""
        lines.append(f"  {row.kind} {row.table} {safe(row.key)}{columns}")
    lines += _more(len(report.differences))
    return "\n".join([*lines, "`memhtml index rebuild` mends it"])


def embedded(report: EmbedReport, paint: Paint) -> str:
    """Say which vectors were made, or would be."""
    if report.dry_run:
        missing = plural(report.embeddings_remaining, "vector")
        return f"{missing} would take {plural(report.calls, 'request')}"
    return (
        f"{paint.green('embedded')} {plural(report.embeddings_written, 'chunk')} in "
        f"{plural(report.calls, 'request')}; {report.embeddings_remaining:,} without a vector"
    )


def _left_over(report: RebuildReport | UpdateReport, *, has_embedder: bool) -> list[str]:
    lines = []
    if report.dirty:
        lines.append(f"{plural(report.dirty, 'file')} of these not committed yet")
    if report.unmerged:
        lines.append(f"{plural(report.unmerged, 'file')} in an unfinished merge")
    if report.embeddings_remaining and has_embedder:
        missing = plural(report.embeddings_remaining, "chunk")
        lines.append(f"{missing} without a vector; `memhtml index embed` makes them")
    if report.moved_aside:
        lines.append(f"the index was damaged and stands now as {safe(report.moved_aside)}")
    return lines


def _skipped(skipped: Sequence[Skip], paint: Paint) -> list[str]:
    if not skipped:
        return []
    lines = [paint.yellow(f"{plural(len(skipped), 'file')} not indexed:")]
    lines += [f"  {safe(skip.path)}  {skip.code}: {safe(skip.reason)}" for skip in skipped[:SHOWN]]
    return lines + _more(len(skipped))


def _more(count: int) -> list[str]:
    return [f"  … and {count - SHOWN:,} more"] if count > SHOWN else []
