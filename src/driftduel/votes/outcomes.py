"""Who met and who won, row by row: by name, by side, by 1 and 0, by counts, scores or places.

Cells are read once for each different text among them, and rows by the number of that text: ten
million votes between twenty options are forty texts. A word such as ``left`` or ``draw`` means the
same in every file. Words that may as well be names, such as ``a``, ``b``, ``1`` and ``2``, are
sides only where no option is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from driftduel._support import hints
from driftduel._support.text import did_you_mean
from driftduel.votes import names
from driftduel.votes.cells import check_present, is_empty, numbers, whole
from driftduel.votes.log import OUTCOMES, Array, BadRow, first_true
from driftduel.votes.values import would_tell

if TYPE_CHECKING:
    import polars as pl

Codes = NDArray[np.signedinteger]
"""Places in a list of names or of texts."""

_TIE = re.compile(
    r"((about |roughly |approximately )?(the )?"
    r"(tie|tied|draw|drawn|both|neither|equal|equally|same|similar|none|no preference|no difference"
    r"|unentschieden|remis))([\W_]|bad|$)"
)
_HALVES = {"1/2-1/2": 0.5, "½-½": 0.5, "0.5-0.5": 0.5, "=": 0.5, "a=b": 0.5, "a = b": 0.5}
_BETTER = re.compile(
    r"(?:the )?(?:(?:option|model|response|assistant|answer|version|image|side|team|player)[ _])?"
    r"(?P<side>a|b|1|2|left|right|first|second|one|two|red|blue|white|black|home|away)"
    r"(?: one| model| option| response| answer)?(?: is| was)?"
    r"(?: (?:much|far|a lot|a bit|a little|slightly|somewhat|clearly|significantly|strongly))?"
    r"(?: better| preferred| wins?| won)?"
)
_LEFTS = ("a", "1", "left", "first", "one", "red", "white", "home")
_SIGNS = re.compile(r"a ?(?P<sign>>>?|<<?) ?b|b ?(?P<back>>>?|<<?) ?a")
NO_VOTE = (
    "", "na", "n/a", "nan", "null", "skip", "skipped", "pass", "passed", "unknown", "invalid",
    "can't tell", "cannot tell", "not sure", "unsure", "error", "-", "?",
)  # fmt: skip
"""What stands where nobody said who won."""
_SCORE = re.compile(r"(\d+) ?[-–:] ?(\d+)")
_WON = {"win": 1.0, "won": 1.0, "loss": 0.0, "lose": 0.0, "lost": 0.0}
_TRUTHS = {"true": 1.0, "false": 0.0, "0,5": 0.5, "yes": 1.0, "no": 0.0}
_NUMBERS = (("1", "2"), ("0", "1"))
_YES, _NO = ("1", "1.0", "true", "yes", "t", "x"), ("0", "0.0", "false", "no", "f", "")
_FEW = 200
"""Rows by whose cells it is judged whether winners are said in numbers."""
_COIN = 0
"""Seed of the side on which a winner is put, where nobody knows."""


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes as numbers.

    Attributes
    ----------
    labels : list of str
        The options.
    left, right : array of shape (n,)
        Places in ``labels``.
    outcome : array of shape (n,)
        1 left won, 0 right won, 0.5 tie.
    count : array of shape (n,) or None
        How many votes each stands for; None if one.
    rows : array of shape (n,) or None
        The row of the table; None if each row is a vote.
    """

    labels: list[str]
    left: Codes
    right: Codes
    outcome: Array
    count: Array | None = None
    rows: Codes | None = None


def from_votes(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return votes of rows that name both sides and say who won."""
    labels, (left, right) = as_codes([frame[named["left"]], frame[named["right"]]])
    outcome = _outcomes(frame, named, labels, left, right)
    count = numbers(frame[named["count"]]) if "count" in named else None
    return Votes(labels, left, right, outcome, count)


def from_winners(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return votes of rows that name who won and who lost; a coin puts them left and right.

    Their sides are not known. If winners were put left throughout, every estimate that looks at
    sides would find that being left is all that counts.
    """
    labels, (won, lost) = as_codes([frame[named["winner"]], frame[named["loser"]]])
    outcome = np.ones(len(won))
    if "winner_tie" in named:
        outcome[_flags(frame[named["winner_tie"]])] = 0.5
    count = numbers(frame[named["count"]]) if "count" in named else None
    return tossed(Votes(labels, won, lost, outcome, count))


def tossed(votes: Votes) -> Votes:
    """Return votes with their sides exchanged in about half of the rows."""
    swap = np.random.default_rng(_COIN).integers(2, size=len(votes.left), dtype=np.bool_)
    left = np.where(swap, votes.right, votes.left)
    right = np.where(swap, votes.left, votes.right)
    outcome = np.where(swap, 1 - votes.outcome, votes.outcome)
    return Votes(votes.labels, left, right, outcome, votes.count, votes.rows)


def from_one_hot(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return votes of rows with a 1 in the column of the winner, or of the tie."""
    labels, (left, right) = as_codes([frame[named["left"]], frame[named["right"]]])
    roles = [role for role in ("winner_left", "winner_right", "winner_tie") if role in named]
    flags = [_flags(frame[named[role]]) for role in roles]
    wrong = np.sum(flags, axis=0) != 1
    if wrong.any():
        row = first_true(wrong)
        columns = ", ".join(f"{named[role]} is {frame[named[role]][row]}" for role in roles)
        raise BadRow(row, f"{columns}; one of them must be 1 and the others 0")
    outcome = np.where(flags[0], 1.0, np.where(flags[1], 0.0, 0.5))
    count = numbers(frame[named["count"]]) if "count" in named else None
    return Votes(labels, left, right, outcome, count)


def from_scores(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return votes of rows with what both sides scored: who has more won."""
    labels, (left, right) = as_codes([frame[named["left"]], frame[named["right"]]])
    mine, other = numbers(frame[named["left_score"]]), numbers(frame[named["right_score"]])
    outcome = (1 + np.sign(mine - other)) / 2
    count = numbers(frame[named["count"]]) if "count" in named else None
    return Votes(labels, left, right, outcome, count)


def from_results(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return votes of rows that say what became of either: who has a win won, none is a tie."""
    labels, (left, right) = as_codes([frame[named["left"]], frame[named["right"]]])
    won, lost = (_is_win(frame[named[role]]) for role in ("left_result", "right_result"))
    both = won & lost
    if both.any():
        raise BadRow(first_true(both), "both sides won, one of them must have lost")
    outcome = np.where(won, 1.0, np.where(lost, 0.0, 0.5))
    count = numbers(frame[named["count"]]) if "count" in named else None
    return Votes(labels, left, right, outcome, count)


def tells_results(frame: pl.DataFrame, pair: tuple[str, str]) -> bool:
    """Tell whether two columns say what became of the two sides: at most one of them a win."""
    import polars as pl

    if any(frame[name].dtype != pl.String for name in pair):
        return False
    won, lost = (_is_win(frame[name]) for name in pair)
    return bool((won | lost).any() and not (won & lost).any())


def _is_win(column: pl.Series) -> NDArray[np.bool_]:
    said = column.fill_null("").str.strip_chars().str.to_lowercase()
    return said.is_in(["win", "won", "w", "winner", "victory"]).to_numpy()


def from_counts(frame: pl.DataFrame, named: Mapping[str, str]) -> Votes:
    """Return the votes that rows of counts stand for."""
    labels, (left, right) = as_codes([frame[named["left"]], frame[named["right"]]])
    counted = ("left_wins", "wins", "right_wins", "losses", "ties", "n")
    have = {role: whole(frame[named[role]]) for role in counted if role in named}
    wins = have["left_wins"] if "left_wins" in have else have["wins"]
    ties = have.get("ties", np.zeros(frame.height))
    losing = [role for role in ("right_wins", "losses") if role in have]
    losses = have[losing[0]] if losing else have["n"] - wins - ties
    if "n" in have:
        of = have["n"]
        wrong = (losses < 0) | (wins + ties + losses != of)
        if wrong.any():
            row = first_true(wrong)
            more = wins[row] + ties[row] + (losses[row] if losing else 0)
            raise BadRow(row, f"n is {of[row]:g}, but wins, losses and ties make {more:g}")
    rows = np.repeat(np.arange(frame.height), 3)
    outcome = np.tile([1.0, 0.5, 0.0], frame.height)
    count = np.stack([wins, ties, losses], axis=1).ravel()
    some = count > 0
    rows = rows[some]
    return Votes(labels, left[rows], right[rows], outcome[some], count[some], rows)


def as_codes(columns: Sequence[pl.Series]) -> tuple[list[str], list[Codes]]:
    """Return the different names in columns, sorted, and the cells as places among them.

    Examples
    --------
    >>> import polars as pl
    >>> as_codes([pl.Series(["tea", " milk"]), pl.Series(["milk", "tea"])])
    (['milk', 'tea'], [array([1, 0], dtype=int32), array([0, 1], dtype=int32)])
    """
    cells = [_texts_of(column) for column in columns]
    labels = sorted({text for _, texts in cells for text in texts})
    place = {label: n for n, label in enumerate(labels)}
    lookups = [np.array([place[text] for text in texts], dtype=np.int32) for _, texts in cells]
    return labels, [lookup[codes] for lookup, (codes, _) in zip(lookups, cells, strict=True)]


def named_by(frame: pl.DataFrame, name: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of columns of which one or the other holds the winner in every row.

    Or else those whose headings are what the winner's cells say.
    """
    import polars as pl

    texts = [
        one for one in columns if one != name and frame[one].dtype in (pl.String, pl.Categorical)
    ]
    won = frame[name].cast(pl.String, strict=False).str.strip_chars()
    kept = ~pl.Series(has_no_vote(won)) & ~won.str.to_lowercase().str.contains(_TIE.pattern)
    won = won.filter(kept.fill_null(value=False))
    said = {cell.casefold() for cell in won.unique()}
    heads = [one for one in texts if one.strip().casefold() in said]
    if len(said) == 2 == len(heads):
        return [(heads[0], heads[1])]
    is_won = {
        one: (frame[one].cast(pl.String).str.strip_chars().filter(kept) == won).fill_null(
            value=False
        )
        for one in texts
    }
    some = [one for one, rows in is_won.items() if rows.any() and not rows.all()]
    return [
        (one, other)
        for n, one in enumerate(some)
        for other in some[n + 1 :]
        if (is_won[one] | is_won[other]).all()
        and not (frame[one].cast(pl.String) == frame[other].cast(pl.String)).any()
    ]


def codes_used(frame: pl.DataFrame, named: Mapping[str, str], labels: Sequence[str]) -> str:
    """Return what numbers mean in the column of winners; empty if names or words say who won."""
    import polars as pl

    column = frame[named["winner"]]
    first = column.head(_FEW).cast(pl.String, strict=False).drop_nulls()
    if "left_won" in named or not first.str.contains(r"^\s*-?\d[\d.]*\s*$").any():
        return ""
    texts = column.drop_nulls().unique().cast(pl.String).str.strip_chars().to_list()
    known = _words_of(named, [*labels], texts, "winner")
    said = sorted((key, known[key]) for text in texts if (key := _key(text)) in known)
    sides = {1.0: named["left"], 0.0: named["right"], 0.5: "tie"}
    meant = dict.fromkeys(f"{key} = {sides[value]}" for key, value in said if _is_number(key))
    return ", ".join(meant) if not {_key(text) for text in texts} & {*map(_key, labels)} else ""


def tells_left_won(column: pl.Series) -> bool:
    """Tell whether all cells are 1, 0 or 0.5, true or false."""
    import polars as pl

    if column.dtype == pl.Boolean:
        return True
    said = column.cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    known = said.cast(pl.Float64, strict=False).is_in([0.0, 0.5, 1.0]) | said.is_in([*_TRUTHS])
    return bool(known.fill_null(value=False).all())


def says_sides(column: pl.Series, left: str, right: str) -> bool:
    """Tell whether all cells are sides in words of one meaning, both of them, or ties."""
    import polars as pl

    if column.dtype != pl.String:
        return False
    said = {text.strip().casefold() for text in column.drop_nulls().unique()} - {*NO_VOTE}
    known = {"left", "right", left.casefold(), right.casefold()}
    known |= {word for pair in names.SIDES for word in pair if len(word) > 1}
    known &= {"left", "right", *names.words(left), *names.words(right)} | {
        left.casefold(),
        right.casefold(),
    }
    named = {text for text in said if text in known or _in_words(text) is not None}
    return len(named) > 1 and all(_TIE.match(text) or text in _HALVES for text in said - named)


def has_no_vote(column: pl.Series, *, number: bool = False) -> NDArray[np.bool_]:
    """Return which cells of those that should say who won say that nobody did.

    In texts of numbers ``nan`` is more likely a mistake.
    """
    import polars as pl

    if column.dtype.is_float():
        return (column.is_null() | column.is_nan().fill_null(value=False)).to_numpy()
    empty = column.is_null()
    if column.dtype == pl.String:
        words = {word for word in NO_VOTE if not (number and word == "nan")}
        cells = column.drop_nulls().unique()  # few, of however many votes
        said = [cell for cell in cells if cell.strip().lower() in words]
        if said:
            empty = empty | column.is_in(said).fill_null(value=True)
    return empty.to_numpy()


def is_outcome(
    frame: pl.DataFrame, name: str, sides: tuple[str, str], *, by_name: bool = False
) -> bool:
    """Tell whether a column says who won in every row; with ``by_name``, mostly by name."""
    named = {"left": sides[0], "right": sides[1], "winner": name}
    rows = frame.filter(~is_empty(frame[name]))
    if not rows.height or rows[name].dtype.is_nested():
        return False
    try:
        labels, (left, right) = as_codes([rows[sides[0]], rows[sides[1]]])
        _outcomes(rows, named, labels, left, right)
    except ValueError:
        return False
    if not by_name:
        return True
    _, texts = _texts_of(rows[name])
    return bool({*texts} & {*labels})


def _texts_of(column: pl.Series) -> tuple[Codes, list[str]]:
    """Return cells as numbers of different texts, and the texts without blanks around them."""
    import polars as pl

    if column.dtype.is_nested():
        raise ValueError(f"{column.name}: holds {column.dtype}, must hold text or numbers")
    if column.has_nulls():
        check_present(column)
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    different = column.unique(maintain_order=False)
    codes = column.replace_strict(
        different, pl.int_range(len(different), dtype=pl.Int32, eager=True), return_dtype=pl.Int32
    ).to_numpy()
    texts = different.cast(pl.String).str.strip_chars().to_list()
    if "" in texts:
        row = first_true(codes == texts.index(""))
        raise BadRow(row, f"{column.name} is empty")
    if column.dtype.is_float() and "NaN" in texts:
        row = first_true(codes == texts.index("NaN"))
        raise BadRow(row, f"{column.name} is nan, must be a name")
    return codes, texts


def _flags(column: pl.Series) -> Array:
    """Return which cells are yes; BadRow if one is neither yes nor no."""
    import polars as pl

    filled = column.cast(pl.String).fill_null("")
    different = filled.unique()
    said = {text: text.strip().lower() for text in different}
    for text, word in said.items():
        if word not in (*_YES, *_NO):
            row = first_true((filled == text).to_numpy())
            raise BadRow(row, f"{column.name} is {text!r}, must be 1 or 0")
    return filled.is_in([text for text, word in said.items() if word in _YES]).to_numpy()


def _outcomes(
    frame: pl.DataFrame, named: Mapping[str, str], labels: list[str], left: Codes, right: Codes
) -> Array:
    """Return what the rows say of the left side, in numbers, in words or by the winner's name."""
    import polars as pl

    if "right_won" in named and "left_won" not in named:
        there = {**named, "left_won": named["right_won"]}
        there.pop("right_won")
        back = {**there, "left": named["right"], "right": named["left"]}
        return 1 - _outcomes(frame, back, labels, right, left)
    role = "left_won" if "left_won" in named else "winner"
    column = frame[named[role]]
    if column.dtype.is_temporal():
        raise ValueError(f"{column.name}: holds {column.dtype}, must hold text or numbers")
    if role == "left_won" and column.dtype.is_numeric():
        found = numbers(column)
    else:
        codes, texts = _texts_of(column)
        if role == "left_won" and "nan" in texts:
            check_present(column.cast(pl.Float64, strict=False).fill_null(0.0))
        known = _words_of(named, labels, texts, role)
        found = _resolve(column.name, codes, texts, known, labels, left, right)
    wrong = ~((found == 1) | (found == 0) | (found == 0.5))
    if wrong.any():
        row = first_true(wrong)
        raise BadRow(row, _complaint(role, column, row, (labels[left[row]], labels[right[row]])))
    if role == "left_won" and "winner" in named:
        _check_agreement(frame, named, labels, left, right, found)
    return found


def _complaint(role: str, column: pl.Series, row: int, sides: tuple[str, str]) -> str:
    import polars as pl

    said = str(column[row]).strip()
    like = did_you_mean(said, sides)
    rule = f"{OUTCOMES}, true, false, " if role == "left_won" else "must be "
    other = ""
    cells = {_key(cell) for cell in column.drop_nulls().unique().cast(pl.String, strict=False)}
    coding = would_tell(column) if role == "winner" and cells - {"0", "1", "0.5"} else ""
    if coding:
        other = f"; say what its values mean, as in {coding}"
    elif role == "winner" and said.casefold() in {*_TRUTHS, "0", "1", "0.5"}:
        one, two = (hints.columns(**{role: column.name}) for role in ("left_won", "right_won"))
        other = f"; if 1 is the left one, say {one}, else {two}"
    return (
        f"{column.name} is {column[row]!r}{like}, {rule}left, right, tie, draw or the name of "
        f"one of the two arms{other}"
    )


def _words_of(
    named: Mapping[str, str], labels: list[str], texts: Sequence[str], role: str
) -> dict[str, float]:
    """Return what words mean that stand in a column and are no names."""
    known = {"left": 1.0, "right": 0.0, **_HALVES, **_WON}
    known |= {_key(text): 0.5 for text in texts if _TIE.match(text.casefold())}
    for score in (match for text in texts if (match := _SCORE.fullmatch(text))):
        mine, other = int(score[1]), int(score[2])
        known[_key(score[0])] = 0.5 * (1 + (mine > other) - (mine < other))
    called = {_key(label) for label in labels}
    for text in texts:
        key = _key(text)
        value = _in_words(text.casefold())
        if value is not None and key not in called:
            known.setdefault(key, value)
    for side, value in (("left", 1.0), ("right", 0.0)):
        parts = names.words(named[side])
        for word in (named[side].casefold(), "_".join(parts), " ".join(parts), "".join(parts)):
            known.setdefault(word, value)
    if role == "left_won":
        known |= _TRUTHS | {"1": 1.0, "0": 0.0, "0.5": 0.5}
        return known
    said = {_key(text) for text in texts} - known.keys()
    for code, needed in _codes(named):
        if said and said <= code.keys() and said & needed and not called & code.keys():
            return known | code
    return known


def _codes(named: Mapping[str, str]) -> Iterator[tuple[dict[str, float], set[str]]]:
    """Yield ways to write sides, those of the headings first, and what of them must be there."""
    heads = {*names.words(named["left"])}
    pairs = [pair for pair in names.SIDES if pair not in _NUMBERS]
    for one, other in sorted(pairs, key=lambda pair: pair[0] not in heads):
        yield {one: 1.0, other: 0.0}, {one, other}
        if one in heads or one == "home":  # as in H, D, A
            yield {one[0]: 1.0, other[0]: 0.0, "d": 0.5, "t": 0.5}, {one[0], other[0]}
    yield {"w": 1.0, "l": 0.0, "d": 0.5, "t": 0.5}, {"w", "l"}
    yield {"w": 1.0, "b": 0.0, "d": 0.5}, {"w", "b"}
    yield {"l": 1.0, "r": 0.0, "t": 0.5}, {"l", "r"}
    yield {"1st": 1.0, "2nd": 0.0}, {"1st", "2nd"}
    yield {"[[a]]": 1.0, "[[b]]": 0.0, "[[c]]": 0.5}, {"[[a]]", "[[b]]"}
    yield {"1": 1.0, "2": 0.0, "1.5": 0.5}, {"2", "1.5"}
    # 1 alone may be the left one as well as the second of 0 and 1.
    yield {"1": 1.0, "2": 0.0, "x": 0.5}, {"2", "x"}
    yield {"1": 1.0, "0": 0.0, "0.5": 0.5}, {"0.5"}
    yield {"1": 1.0, "-1": 0.0, "0": 0.5}, {"-1"}


def _in_words(text: str) -> float | None:
    """Return the side that a phrase such as ``A is better`` or ``A >> B`` names."""
    signs = _SIGNS.fullmatch(text)
    if signs is not None:
        ahead = ">" in (signs["sign"] or signs["back"])
        return float(ahead == (signs["sign"] is not None))
    found = _BETTER.fullmatch(text)
    if found is None or text == found["side"]:  # a side alone is judged by all that is said
        return None
    return float(found["side"] in _LEFTS)


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _key(text: str) -> str:
    """Return a cell in small letters, and numbers in their shortest form."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.casefold()


def _resolve(
    name: str,
    codes: Codes,
    texts: Sequence[str],
    known: Mapping[str, float],
    labels: list[str],
    left: Codes,
    right: Codes,
) -> Array:
    """Return outcomes by words and names, NaN for what is neither."""
    by_word = np.array([known.get(_key(text), np.nan) for text in texts])
    place = {label: n for n, label in enumerate(labels)}
    who = np.array([place.get(text, -1) for text in texts], dtype=np.int32)
    said = by_word[codes]
    if (who < 0).all():
        return said
    won = who[codes]
    is_left, is_right = won == left, won == right
    found = np.where(is_left, 1.0, np.where(is_right, 0.0, said))
    if np.isfinite(by_word[who >= 0]).any():
        clash = (is_left != is_right) & (said != found) & np.isfinite(said)
        if clash.any():
            row = first_true(clash)
            text = texts[codes[row]]
            raise BadRow(
                row, f"{name} is {text!r}, which is also the name of an arm; rename the arm"
            )
    return found


def _check_agreement(
    frame: pl.DataFrame,
    named: Mapping[str, str],
    labels: list[str],
    left: Codes,
    right: Codes,
    found: Array,
) -> None:
    """Raise BadRow if a winner is told too, and is another; what is no winner does not matter."""
    import polars as pl

    column = frame[named["winner"]]
    filled = column.cast(pl.String, strict=False).fill_null("?").replace("", "?")
    codes, texts = _texts_of(filled)
    words = _words_of(named, labels, texts, "winner")
    told = _resolve(column.name, codes, texts, words, labels, left, right)
    against = np.isfinite(told) & (told != found)
    if against.any():
        row = first_true(against)
        name = named["left_won"]
        raise BadRow(
            row,
            f"{name} is {frame[name][row]}, but {column.name} is {str(column[row]).strip()!r}; "
            f"say which of them counts, as in left_won={name}",
        )
