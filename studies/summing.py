"""What the reports on all studies share: one document from the documents on its experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftduel._support.text import count
from driftduel.experiments.results import Results
from driftduel.report.document import Chapter, Document, Figure
from driftduel.report.tables import Table


def report_on_all(
    found: Mapping[str, Results],
    parts: Mapping[str, Document],
    *,
    title: str,
    counted: str,
    findings: list[str],
    tables: list[Table],
    figures: Sequence[Figure] = (),
    chapters: list[Chapter],
    chapters_title: str,
    command: str,
) -> Document:
    """Return the report on a study, given the results and reports of its experiments by name.

    ``counted`` says how much was studied, and ``command`` how all of it is run again. Specs and
    notices are those of all parts; date and environment those of the first.
    """
    first = next(iter(parts.values()))
    runs = sum(len(results.runs) for results in found.values())
    specs = "\n".join(f"# ---- {name}.toml\n\n{part.spec}" for name, part in parts.items())
    return Document(
        title=title,
        facts=f"{counted}, {count(runs, 'run')}, {first.facts.split(',')[0]}, "
        f"driftduel {first.environment.get('driftduel', '')}",
        findings=findings,
        tables=tables,
        figures=list(figures),
        chapters=chapters,
        spec=f"# All of it: {command}\n# Each of these is a spec of its own.\n\n{specs}",
        environment=first.environment,
        notices=list(dict.fromkeys(text for part in parts.values() for text in part.notices)),
        parts=chapters_title,
        again=f"Run all of it again with: {command}",
    )
