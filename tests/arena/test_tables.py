from __future__ import annotations

import io
from array import array

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.model import COLUMNS, DAY
from driftduel.arena.service.verify import learned
from driftduel.cli import main
from driftduel.votes.proof.tosses import tosses_of
from driftduel.votes.reading import read_log
from tests.arena.voting import events, prefer, state, state_from_nothing, vote


def exported(service, **options):
    text = "".join(arena.votes_csv(service, "drinks", **options))
    return text, pl.read_csv(io.StringIO(text))


def test_the_exported_votes_give_the_state_again_byte_for_byte(drinks):
    prefer(drinks, "tea", 15)
    prefer(drinks, "milk", 5, voter="bot")
    for verdict in ("bad", "skip", "tie"):
        vote(drinks, verdict)
    asked = arena.ask(drinks, "drinks", "ann")
    arena.tell(drinks, asked.duel, "ann", "left")
    arena.retract(drinks, asked.duel, "ann")
    arena.exclude(drinks, "drinks", drinks.voter("bot"))
    _, table = exported(drinks)
    numbers = {"tea": 0, "coffee": 1, "milk": 2}
    left, right = ([numbers[name] for name in table[side]] for side in ("left", "right"))
    swapped = table["swapped"].to_numpy()
    won = table["left_won"].to_numpy()
    learner = dd.DriftPoll(3, seed=1, labels=["0", "1", "2"])
    learner.fold(
        np.where(swapped, right, left),
        np.where(swapped, left, right),
        [[float(number) for number in ticket.split()] for ticket in table["ticket"]],
        np.where(swapped, 1 - won, won),
    )
    payload = learned(learner)
    (head, *_), times, mine = state(drinks)
    assert payload == mine
    assert len(table) == 17
    when = table["time"].str.to_datetime(time_unit="us").dt.epoch("us")
    assert array("q", when).tobytes() == times
    assert head == table["seq"].max() + 3


def test_measure_reads_what_is_exported(drinks, tmp_path, capsys):
    days = [f"2024-05-{day:02},tea,{'milk' if day % 2 else 'coffee'},tea" for day in range(1, 29)]
    lines = "\n".join(["time,left,right,winner", *days])
    arena.import_votes(drinks, "drinks", old_votes(tmp_path, lines), "uniform")
    vote(drinks, "skip")
    text, table = exported(drinks)
    assert tuple(table.columns) == COLUMNS
    file = tmp_path / "votes.csv"
    file.write_text(text)
    log = read_log(file)
    assert (log.n_votes, log.dated) == (28, True)
    assert main(["measure", str(file)]) == 0
    assert "tea" in capsys.readouterr().out


def test_propensities_are_exported_exactly(drinks, tmp_path):
    prefer(drinks, "tea", 8)
    _, table = exported(drinks)
    stored = [row.propensity for row in events(drinks) if row.kind == "vote"]
    assert table["propensity"].to_list() == stored
    arena.write_parquet(drinks, "drinks", tmp_path / "votes.parquet")
    assert read_log(tmp_path / "votes.parquet").propensity.tolist() == stored


def test_csv_and_parquet_are_measured_and_estimated_alike(drinks, tmp_path, capsys):
    prefer(drinks, "tea", 60)
    days = f"(19844 + seq) * {DAY}"  # measuring wants votes that lie apart
    with drinks.store.writing() as connection:
        connection.execute(f"UPDATE event SET at = {days}")
    files = [tmp_path / "votes.csv", tmp_path / "votes.parquet"]
    files[0].write_text(exported(drinks)[0])
    arena.write_parquet(drinks, "drinks", files[1])
    estimates, measured = [], []
    for file in files:
        log = dd.read_log(file)
        assert (log.n_votes, log.dated, log.propensity.min() > 0) == (60, True, True)
        estimates.append(str(dd.estimate(log)))
        assert main(["measure", str(file)]) == 0
        measured.append(capsys.readouterr().out.replace(file.name, ""))
    assert estimates[0] == estimates[1]
    assert "tea" in measured[0]
    assert "tea" in measured[1]


def test_everything_has_also_what_does_not_count_and_why(drinks):
    vote(drinks, "skip")
    vote(drinks, voter="bot")
    arena.exclude(drinks, "drinks", drinks.voter("bot"))
    asked = arena.ask(drinks, "drinks", "ann")
    arena.tell(drinks, asked.duel, "ann", "left")
    arena.retract(drinks, asked.duel, "ann")
    vote(drinks)
    _, table = exported(drinks, everything=True)
    assert table["reason"].to_list() == ["skip", "excluded", "retracted", None]
    assert table["counted"].to_list() == [False, False, False, True]


def test_parquet_holds_the_same_as_csv(drinks, tmp_path):
    prefer(drinks, "tea", 5)
    arena.write_parquet(drinks, "drinks", tmp_path / "votes.parquet")
    table = pl.read_parquet(tmp_path / "votes.parquet")
    _, lines = exported(drinks)
    assert table.columns == list(COLUMNS)
    assert table["propensity"].equals(lines["propensity"])
    assert table["time"].dtype == pl.Datetime("us", "UTC")
    assert table["left"].to_list() == lines["left"].to_list()


OLD = """time,left,right,winner,count
2024-05-02,tea,milk,tea,2
2024-05-01,coffee,milk,draw,1
2024-05-03,milk,tea,tea,1
"""


def old_votes(tmp_path, text=OLD):
    file = tmp_path / "old.csv"
    file.write_text(text)
    return file


def test_old_votes_on_uniform_pairs_are_told(drinks, tmp_path):
    done = arena.import_votes(drinks, "drinks", old_votes(tmp_path), "uniform")
    assert (done.votes, done.counted) == (4, 4)
    now = arena.status(drinks, "drinks")
    assert (now.votes, now.best) == (4, "tea")
    assert now.standing.since.value == 1_714_521_600_000_000
    assert state(drinks) == state_from_nothing(drinks)
    prefer(drinks, "milk", 3)
    arena.verify(drinks.store)
    _, table = exported(drinks)
    assert table["propensity"][:4].to_list() == [1 / 6] * 4


def test_old_votes_on_other_pairs_are_history(drinks, tmp_path):
    before = state(drinks)
    done = arena.import_votes(drinks, "drinks", old_votes(tmp_path), "other")
    assert (done.votes, done.counted) == (4, 0)
    assert state(drinks)[1:] == before[1:]
    _, table = exported(drinks, everything=True)
    assert table["reason"].to_list() == ["history"] * 4
    arena.verify(drinks.store)


def test_the_same_votes_come_in_once(drinks, tmp_path, url):
    done = [
        arena.import_votes(drinks, "drinks", old_votes(tmp_path), pairs)
        for pairs in ("uniform", "uniform", "other", "other")
    ]
    assert [(one.votes, one.counted, one.again) for one in done] == [
        (4, 4, False), (4, 4, True), (4, 0, False), (4, 0, True),
    ]  # fmt: skip
    with arena.Service.open(url) as other:  # whoever asks, and in whatever form
        text = OLD.replace(",", ";")
        assert arena.import_votes(other, "drinks", old_votes(tmp_path, text), "uniform").again
    more = OLD + OLD.splitlines()[-1] + "\n"
    found = arena.import_votes(drinks, "drinks", old_votes(tmp_path, more), "uniform")
    assert (found.votes, found.again) == (5, False)
    assert len([one for one in events(drinks) if one.kind == "import"]) == 13
    arena.verify(drinks.store)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (OLD.replace("coffee", "cocoa"), "no arm 'cocoa'"),
        (OLD.replace("2024-05-0", ""), "must be dates"),
        ("nonsense", "old.csv"),
        ("time,left,right,winner\n2024-05-02,tea,milk,cocoa\n", "cocoa"),
    ],
)
def test_votes_that_make_no_sense_are_refused_whole(drinks, tmp_path, text, sentence):
    with pytest.raises(errors.Invalid, match=sentence):
        arena.import_votes(drinks, "drinks", old_votes(tmp_path, text), "uniform")
    assert len(events(drinks)) == 1


def test_how_pairs_were_chosen_must_be_said(drinks, tmp_path):
    with pytest.raises(errors.Invalid, match="must be uniform or other"):
        arena.import_votes(drinks, "drinks", old_votes(tmp_path), "any")


def test_status_tells_what_votes_prove(drinks, tmp_path):
    """Tea wins nine of ten duels, coffee two of three with milk; no chance is at work."""
    rows = []
    for n in range(600):
        pair = [("tea", "coffee"), ("tea", "milk"), ("coffee", "milk")][n % 3]
        loses = n % 10 == 0 if n % 3 < 2 else n % 9 == 2
        left, right = pair if n % 2 else pair[::-1]
        day = f"2024-{1 + n // 50:02}-{1 + n % 50 // 2:02}"
        rows.append(f"{day},{left},{right},{pair[1] if loses else pair[0]}")
    text = "\n".join(["time,left,right,winner", *rows])
    arena.import_votes(drinks, "drinks", old_votes(tmp_path, text), "uniform")
    now = arena.status(drinks, "drinks")
    assert (now.best, now.decided) == ("tea", True)
    assert (now.standing.missing, now.standing.level) == (0, 0.95)
    assert now.standing.counted_since.value == 1_704_067_200_000_000
    tea, coffee, milk = now.arms
    assert tea.low < 0.9 < tea.high
    assert tea.low > max(coffee.high, milk.high)
    assert tea.score == pytest.approx(0.9, abs=0.01)  # every tenth vote, not every tenth of tea's
    assert "tea is best" in now.text


def test_before_the_first_vote_nothing_is_claimed(drinks):
    now = arena.status(drinks, "drinks")
    assert (now.best, now.decided) == (None, False)
    assert (now.standing.since, now.standing.missing) == (None, None)
    assert now.text == "Nobody has voted yet."
    assert {(arm.score, arm.low, arm.high) for arm in now.arms} == {(None, 0.0, 1.0)}


def test_tosses_are_exported_and_read_back(drinks, tmp_path):
    for n in range(30):
        if n == 25:
            arena.change_arms(drinks, "drinks", pause=["milk"])
        prefer(drinks, "tea", 1)
        drinks.follow()  # of two equal options every vote is a toss
    vote(drinks, "skip")
    drinks.follow()
    text, _ = exported(drinks)
    file = tmp_path / "votes.csv"
    file.write_text(text)
    log = read_log(file)
    kept = drinks.hosted("drinks").replica.cast()
    found = tosses_of(log)
    assert found.left.tolist() == ((kept.tossed & 1) > 0).tolist()
    assert found.right.tolist() == ((kept.tossed & 2) > 0).tolist()
    assert 0 < found.left.sum() + found.right.sum() < 60
    assert found.era.tolist() == kept.era.tolist() == [0] * 25 + [1] * 5
    assert kept.known.tolist() == [[3, 3], [3, 2]]
    assert tosses_of(log.rows(found.era == 0)).shares == pytest.approx([0.2])
