from __future__ import annotations

import polars as pl
import pytest

from driftduel.report.tables import Column, Table

FRAME = pl.DataFrame(
    {"arm": ["tea", None], "mean": [0.25, 12.5], "error": [None, 0.5], "votes": [3, 4000]}
)
WORDS = {"name": "drinks", "title": "Drinks", "caption": "Who drank what."}


def test_a_column_brings_its_heading_its_text_and_its_side():
    columns = [
        Column("votes", "n", "{:,}".format),
        Column("arm", "drink"),
        Column(("mean", "error"), "score", "{} ± {}".format),
        Column("error", "±"),
        Column(("arm", "votes"), "both", "{}: {}".format),
    ]
    table = Table.of(FRAME, columns, **WORDS)
    assert table.headings == {"n": True, "drink": False, "score": True, "±": True, "both": False}
    assert table.cells == [
        ["3", "tea", "0.25 ± None", "–", "tea: 3"],
        ["4,000", "–", "12.5 ± 0.5", "0.5", "–"],
    ]


def test_what_is_saved_is_the_frame_unless_another_is_named():
    columns = [Column("votes", "n")]
    assert Table.of(FRAME, columns, **WORDS).frame.equals(FRAME)
    saved = FRAME.select("arm")
    assert Table.of(FRAME, columns, saved=saved, **WORDS).frame.equals(saved)


def test_a_table_without_rows_has_its_headings():
    table = Table.of(FRAME.clear(), [Column("votes", "n"), Column("arm", "drink")], **WORDS)
    assert (table.headings, table.cells) == ({"n": True, "drink": False}, [])


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="tea"):
        Table.of(FRAME, [Column("tea", "tea")], **WORDS)
