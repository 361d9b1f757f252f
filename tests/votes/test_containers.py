"""Whatever holds votes gives the same log: files of every kind, frames, dicts, lists."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from datetime import date

import polars as pl
import pytest

import driftduel as dd
from driftduel import votes
from driftduel._support.extras import MissingExtraError
from driftduel._support.hints import for_the_command
from driftduel.votes import Log
from tests.votes.test_shapes import FILES, log_of

FRAME = pl.read_csv(FILES / "extras.csv")
RECORDS = FRAME.to_dicts()
TEXT = (FILES / "extras.csv").read_bytes()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def written(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def sheet(frame):
    """Return a workbook by hand, as small as Excel takes it; dates have a style of dates."""
    rows = [frame.columns, *frame.rows()]
    days = {frame.columns.index("when")}

    def serial(text):
        return (date.fromisoformat(text) - date(1899, 12, 30)).days

    def cells(row, values):
        for place, value in enumerate(values):
            if row and place in days:
                yield f"<c s='1'><v>{serial(value)}</v></c>"
            else:
                yield f"<c t='inlineStr'><is><t>{value}</t></is></c>"

    data = "".join(f"<row>{''.join(cells(n, row))}</row>" for n, row in enumerate(rows))
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return zipped({
        "[Content_Types].xml": f"<Types xmlns='{package}/content-types'>"
        "<Default Extension='xml' ContentType='application/xml'/>"
        "<Default Extension='rels' ContentType="
        "'application/vnd.openxmlformats-package.relationships+xml'/>"
        f"<Override PartName='/xl/workbook.xml' ContentType='{kinds}.sheet.main+xml'/>"
        f"<Override PartName='/xl/worksheets/s.xml' ContentType='{kinds}.worksheet+xml'/>"
        f"<Override PartName='/xl/styles.xml' ContentType='{kinds}.styles+xml'/></Types>",
        "_rels/.rels": f"<Relationships xmlns='{package}/relationships'><Relationship Id='r' "
        f"Type='{office}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
        "xl/workbook.xml": f"<workbook xmlns='{main}' xmlns:r='{office}'><sheets>"
        "<sheet name='Votes' sheetId='1' r:id='s'/></sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships xmlns='{package}/relationships'>"
        f"<Relationship Id='s' Type='{office}/worksheet' Target='worksheets/s.xml'/>"
        f"<Relationship Id='t' Type='{office}/styles' Target='styles.xml'/></Relationships>",
        "xl/styles.xml": f"<styleSheet xmlns='{main}'><cellXfs><xf numFmtId='0'/>"
        "<xf numFmtId='14'/></cellXfs></styleSheet>",
        "xl/worksheets/s.xml": f"<worksheet xmlns='{main}'><sheetData>{data}</sheetData>"
        "</worksheet>",
    })  # fmt: skip


def lines(sign):
    return TEXT.replace(b",", sign)


KEPT = {
    "votes.csv": TEXT,
    "votes.tsv": lines(b"\t"),
    "semicolons.csv": lines(b";"),
    "pipes.txt": lines(b"|"),
    "blanks.txt": lines(b"  "),
    "excel.csv": b"sep=;\r\n" + lines(b";").replace(b"\n", b"\r\n"),
    "mark.csv": "\ufeff".encode() + TEXT,
    "utf16.csv": TEXT.decode().encode("utf-16"),
    "quoted.csv": written(lambda file: FRAME.write_csv(file, quote_style="always")),
    "old_mac.csv": TEXT.replace(b"\n", b"\r"),
    "blank_lines.csv": b"\n\n" + TEXT.replace(b"\n", b"\n\n"),
    "votes.csv.gz": gzip.compress(TEXT),
    "votes.tsv.gz": gzip.compress(lines(b"\t")),
    "votes.json": json.dumps(RECORDS).encode(),
    "pretty.json": json.dumps(RECORDS, indent=2).encode(),
    "columns.json": json.dumps(FRAME.to_dict(as_series=False)).encode(),
    "inside.json": json.dumps({"votes": RECORDS, "version": 2}).encode(),
    "split.json": json.dumps({"columns": FRAME.columns, "data": FRAME.rows()}).encode(),
    "pandas.json": json.dumps(
        {name: dict(enumerate(column)) for name, column in FRAME.to_dict().items()}
    ).encode(),
    "votes.json.gz": gzip.compress(json.dumps(RECORDS).encode()),
    "votes.jsonl": "\n".join(map(json.dumps, RECORDS)).encode(),
    "votes.ndjson": "\n".join(map(json.dumps, RECORDS)).encode() + b"\n",
    "votes.jsonl.gz": gzip.compress("\n".join(map(json.dumps, RECORDS)).encode()),
    "votes.zip": zipped({"__MACOSX/._votes.csv": b"x", "deep/votes.csv": TEXT, "a.md": b"hi"}),
    "json.zip": zipped({"votes.json": json.dumps(RECORDS)}),
    "votes.parquet": written(FRAME.write_parquet),
    "votes.parquet.gz": gzip.compress(written(FRAME.write_parquet)),
    "votes.arrow": written(FRAME.write_ipc),
    "votes.feather": written(FRAME.write_ipc),
    "stream.arrow": written(FRAME.write_ipc_stream),
    "votes.xlsx": sheet(FRAME),
    "misnamed.csv": written(FRAME.write_parquet),
}


@pytest.mark.parametrize("name", KEPT)
def test_files_of_every_kind_hold_the_same_votes(name, tmp_path, monkeypatch):
    path = tmp_path / name
    path.write_bytes(KEPT[name])
    for source in (path, str(path)):
        log = votes.read(source)
        assert log == log_of()
        assert log.extras["category"].to_list() == ["hot", "cold"] * 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KEPT[name])))
    assert votes.read("-") == log_of()


class Foreign:
    """A frame of another library: all that is known of it is its stream."""

    def __arrow_c_stream__(self, requested_schema=None):
        return FRAME.__arrow_c_stream__(requested_schema)


class Pandas:
    """A frame of pandas where pyarrow is not installed."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise ImportError("pyarrow")

    def __iter__(self):
        return iter(FRAME.columns)

    def __getitem__(self, name):
        return Column(FRAME[name])


class Column:
    def __init__(self, column):
        self.column = column

    def tolist(self):
        return self.column.to_list()


@pytest.mark.parametrize(
    "source",
    [
        FRAME, FRAME.lazy(), Foreign(), Pandas(), RECORDS, FRAME.to_dict(as_series=False),
        FRAME.to_dict(), [FRAME[:2], FRAME[2:]], [FRAME[:1], RECORDS[1:]],
        [FILES / "left_won.csv"],
        FRAME.with_columns(pl.col("when").str.to_date(), pl.col("left").cast(pl.Categorical)),
    ],
)  # fmt: skip
def test_what_python_holds_is_read_as_it_is(source):
    assert votes.read(source) == log_of()
    assert dd.analyse(source).to_dict()["votes"] == 6


def test_a_log_is_itself():
    log = log_of()
    assert votes.read(log) is log
    assert votes.read(log, arms=["tea", "milk"]) == log.select(["tea", "milk"])


def test_rows_without_names_are_winners_and_losers_if_that_is_said():
    pairs = [("tea", "milk"), ("tea", "soda")]
    assert votes.read(pairs, header=False).head_to_head()[2].tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match=r"^votes: are rows without names, say what their columns"):
        votes.read(pairs)


def test_several_files_are_one_log_and_so_is_a_folder(tmp_path):
    FRAME[:2].write_csv(tmp_path / "1.csv")
    FRAME[2:5].rename({"category": "kind"}).write_parquet(tmp_path / "2.parquet")
    FRAME[5:].drop("category").write_csv(tmp_path / "3.csv")
    (tmp_path / ".hidden.csv").write_text("x")
    (tmp_path / "README.md").write_text("x")
    files = [tmp_path / name for name in ("1.csv", "2.parquet", "3.csv")]
    for source in (tmp_path, files, files[::-1]):
        log = votes.read(source)
        assert log == log_of()
        assert log.extras["kind"].to_list() == [None, None, "hot", "cold", "hot", None]
    assert len(log.notes) == 1


def test_what_is_said_of_some_files_is_said_with_their_names(tmp_path):
    (tmp_path / "1.csv").write_text("date,left,right,winner\n2024-01-02,a,b,a\n")
    (tmp_path / "2.csv").write_text("time,left,right,winner\n2024-01-03,a,b,a\n2024-01-04,a,a,a\n")
    assert votes.read(tmp_path).notes == (
        "1.csv: read as: left = left, right = right, winner = winner, time = date",
        "2.csv: read as: left = left, right = right, winner = winner, time = time; 1 self-duel "
        "skipped, the first in line 3",
    )


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        ("left,right,winner\na,b,a\n",
         "some of the files say when votes were cast, others do not: 2.csv"),
        ("time,left,right,winner\n7,a,b,a\n",
         "the times of some files are dates, those of others are numbers: 2.csv"),
        ("time,left,right,winner,propensity\n2024-01-02,a,b,a,0.5\n",
         "some of the files have propensities, others do not"),
    ],
)  # fmt: skip
def test_files_that_do_not_go_together_are_refused(tmp_path, second, sentence):
    (tmp_path / "1.csv").write_text("time,left,right,winner\n2024-01-02,a,b,a\n")
    (tmp_path / "2.csv").write_text(second)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        votes.read(tmp_path)
    assert str(error.value) == sentence


def test_logs_with_propensities_are_joined():
    parts = [Log(["a", "b"], [n], [0], [1], [1], propensity=[0.5]) for n in (1, 2)]
    assert votes.read(parts).propensity.tolist() == [0.5, 0.5]


def test_without_its_library_an_excel_file_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "votes.xlsx"
    path.write_bytes(KEPT["votes.xlsx"])
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingExtraError, match=r'^Excel files need fastexcel: pip install "drift'):
        votes.read(path)


REFUSED = [
    ("a.csv", b"", "is empty"),
    ("a.csv", b"  \n\n", "is empty"),
    ("a.csv", b"time,left,right,winner\n", "holds no votes, at least one is needed"),
    ("a.bin", bytes(range(256)) * 9, "is no text, and no Parquet, Arrow, Excel or zip file"),
    ("a.csv", b"\xff\xfea\x00,", "no columns name the two options, the columns are: a; say"),
    ("a.parquet", b"PAR1 but no more", "is not a readable Parquet file"),
    ("a.arrow", b"ARROW1 but no more", "is not a readable Arrow file"),
    ("a.arrow", b"\xff\xff\xff\xff\x10", "is not a readable Arrow stream"),
    ("a.feather", b"FEA1....", "is a Feather file of version 1, save it as version 2 or as P"),
    ("a.xls", b"\xd0\xcf\x11\xe0.......", "is not a readable Excel file"),
    ("a.xlsx", zipped({"xl/workbook.xml": "x"}), "is not a readable Excel file"),
    ("a.zip", b"PK\x03\x04garbage", "is not a readable zip file"),
    ("a.zip", zipped({"a.md": "x"}), "must hold one table, there is none; unpack it first"),
    ("a.zip", zipped({"a.csv": "x", "b.csv": "y"}),
     "must hold one table, there is a.csv and b.csv; unpack it first"),
    ("a.csv.gz", gzip.compress(TEXT)[:30], "is not a readable file"),
    ("a.zst", b"\x28\xb5\x2f\xfd....", "is packed, but not as .gz or .zip; unpack it first"),
    ("a.json", b"{", "is not readable JSON: "),
    ("a.json", b"[1, 2]", "is JSON, but no list of records and no columns by their names"),
    ("a.json", b'{"left": ["a"], "right": ["b", "c"]}',
     "is JSON, but its columns are not of one length"),
    ("a.json", b"[]", "is JSON, but no list of records and no columns by their names"),
    ("a.csv", b"left:right:winner\na:b:a\n", "the header is one column, 'left:right:winner'"),
    ("a.csv", b"left,right,winner\na,b,a,a,a\n", "line 2 has 5 fields, the header has 3"),
    ("a.csv", b'left,right,winner\n"a,b,a\n', "is not a readable CSV file"),
    ("a.csv", b"left,left,right,winner\na,b,c,a\n", "there is more than one column 'left', t"),
    ("a.csv", b"left,right,winner\na,a,a\n", "holds no votes between two different arms, at"),
    ("a.csv", b"left,right,winner\na,b,\n", "line 2: winner is empty"),
    ("a.csv", b"left,right,winner\na,b,NaN\n", "line 2: winner is 'NaN', must be left, right"),
    ("a.csv", b"left,right,winner\na,b,1\n", "line 2: winner is '1', must be left, right, ti"),
    ("a.csv", b"model_a,model_b,tstamp\na,b,1\n",
     "left = model_a, right = model_b, but no column says who won, the columns are: model_a, "
     "model_b, tstamp; say which does: --winner NAME"),
    ("a.csv", b"thing,other thing,winner\na,b,left\n",
     "winner = winner, but no columns name the two options, the columns are: thing, other "
     "thing, winner; say which do: --left NAME --right NAME"),
    ("a.csv", b"drink_a,drink_b,cup_a,cup_b,winner\na,b,c,d,a\n",
     "the two options may be drink_a and drink_b or cup_a and cup_b; say which: --left "
     "drink_a --right drink_b"),
    ("a.csv", b"tea,milk\nmilk,tea\ntea,soda\n", "the first row is a vote and no header; say"),
    ("a.csv", b"model_a,model_b,winner_model_a,winner_model_b\nx,y,1,1\n",
     "line 2: winner_model_a is 1, winner_model_b is 1; one of them must be 1 and the others"),
    ("a.csv", b"model_a,model_b,winner_model_a,winner_model_b\nx,y,1,maybe\n",
     "line 2: winner_model_b is 'maybe', must be 1 or 0"),
    ("a.csv", b"home,away,home_score,away_score\nx,y,1,0\nx,y,1,\n",
     "line 3: away_score is empty"),
    ("a.csv", b"ranking\ntea\n", "line 2: ranking is 'tea', must be a ranking such as a > b"),
    ("a.csv", b"first,second,third\ntea,,\n", "no row ranks two options, at least one is nee"),
    ("a.csv", b"time,left,right,winner\n01/02/2024,a,b,a\n01/03/2024,a,b,a\n",
     "line 2: time is '01/02/2024', and no row tells whether the day or the month comes first"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "sentence"), REFUSED, ids=[sentence for _, _, sentence in REFUSED]
)
def test_what_cannot_be_read_is_told_in_one_sentence(tmp_path, name, data, sentence):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ValueError) as error, for_the_command():  # noqa: PT011
        votes.read(path)
    assert str(error.value).startswith(f"{name}: {sentence}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (7, "votes: are int, must be a path, a data frame, a dict of columns, a list of dicts or"),
        ([], "votes: there are none, at least one is needed"),
        ({"left": ["a"], "right": []}, "votes: make no table: "),
        ("https://example.org/votes.csv",
         "https://example.org/votes.csv: is an address on the network, download it first"),
        ({"left": [["a"]], "right": ["b"], "winner": ["a"]},
         "left: holds List(String), must hold text or numbers"),
        ({"left": ["a", None], "right": ["b", "c"], "winner": ["a", "c"]}, "row 2: left is empty"),
        ({"left": [1.5, float("nan")], "right": [1, 2], "winner": [1, 2]},
         "row 2: left is nan, must be a name"),
    ],
)  # fmt: skip
def test_what_python_holds_and_is_no_votes_is_told_in_one_sentence(source, sentence):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        votes.read(source)
    assert str(error.value).startswith(sentence)


def test_names_with_blanks_commas_and_quotes_stay_as_they_are(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text('left,right,winner\n"green tea, hot","say ""hi""","green tea, hot"\n')
    assert votes.read(path).arms == ("green tea, hot", 'say "hi"')


def test_huge_cells_are_read_and_not_kept(tmp_path):
    path = tmp_path / "votes.csv"
    text = "long " * 100_000
    path.write_text(f'prompt,left,right,winner\n"{text}",a,b,a\n"{text}",a,b,7\n')
    with pytest.raises(ValueError, match=r"^votes\.csv: row 2: winner is '7', must be left"):
        votes.read(path)
    path.write_text(f'prompt,left,right,winner\n"{text}",a,b,a\n"{text}",a,b,b\n')
    assert votes.read(path).extras is None


def test_a_carriage_return_alone_before_the_header_is_a_sentence(tmp_path):
    path = tmp_path / "votes.csv"
    for text in (b"\r\ra\n", b"\r\r\ra,b\n", b"\r\r"):
        path.write_bytes(text)
        with pytest.raises(ValueError, match="votes"):
            votes.read(path)


@pytest.mark.parametrize("name", ["votes.parquet", "votes.arrow"])
def test_a_file_at_which_a_library_panics_is_a_sentence(tmp_path, monkeypatch, name):
    table = pl.DataFrame({"left": ["tea"], "right": ["milk"], "left_won": [1]})
    path = tmp_path / name
    table.write_parquet(path) if name.endswith("parquet") else table.write_ipc(path)

    def panic(*arguments, **options):
        raise pl.exceptions.PanicException("index out of bounds")

    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    with pytest.raises(ValueError, match=r"votes.* is not a readable"):
        votes.read(path)
