"""Which column of a table of votes is what: by what the user says, by its heading, by its cells.

A column has a role. What is said counts most, then a heading that is the name of a role, then one
that means the same (`driftduel.votes.names`), if its cells agree. The roles that were found make a
shape: how a row tells who met and who won.
"""

from __future__ import annotations

from collections.abc import Iterable

from driftduel._support import hints
from driftduel._support.text import listing
from driftduel.votes import moments, names
from driftduel.votes.cells import counts_rows
from driftduel.votes.outcomes import is_outcome, named_by, says_sides, tells_left_won, tells_results
from driftduel.votes.rankings import are_ballots, are_places
from driftduel.votes.roles import (
    LONG,
    LOSSES,
    ONE_HOT,
    OUTCOMES,
    RESULTS,
    SCORES,
    SHAPES,
    WINS,
    Columns,
    NoShape,
    Shape,
    find_columns,
    holds_counts,
    there_are,
)
from driftduel.votes.tables import Table
from driftduel.votes.values import would_tell

_MOST_CODES = 11
_MOST_STARS = 10
_GUESSED_LAST = 200
"""Rows by whose cells it is judged what a column is."""


def guess_columns(table: Table, columns: Columns | None = None, *, header: bool = True) -> Shape:
    """Return what the columns of a table are; without a header, by their number and their cells.

    Raises
    ------
    ValueError
        If they make no shape; the sentence says what came nearest, and what would mend it.

    Examples
    --------
    >>> import polars as pl
    >>> from driftduel.votes.tables import frame_table
    >>> votes = {"Date": ["2024-05-01"], "Option A": ["tea"], "Option B": ["milk"], "Best": ["tea"]}
    >>> guess_columns(frame_table(pl.DataFrame(votes))).named
    {'left': 'Option A', 'right': 'Option B', 'winner': 'Best', 'time': 'Date'}
    """
    given = dict(columns or {})
    guess = _Guess(table, given if header or given else _unnamed(table))
    kind = guess.kind()
    guess.find_time()
    if kind in ("votes", "won_lost", "one_hot", "scores", "results"):
        guess.find_clock()
    guess.find_voter()
    guess.check_once()
    return Shape(kind, guess.named, guess.places, guess.guessed or not header, guess.unread)


def _unnamed(table: Table) -> dict[str, str]:
    """Return what columns without names are: a time if there is one, then two options and who won.

    Two columns are who won and who lost.
    """
    columns = list(table.header)
    dates = [name for name in columns if moments.looks_like_dates(table.frame[name])]
    named = {"time": dates[0]} if len(dates) == 1 else {}
    others = [name for name in columns if name not in named.values()]
    roles = ("winner", "loser") if len(others) == 2 else ("left", "right", "winner")
    return named | dict(zip(roles, others, strict=False))


class _Guess:
    """What is known so far of the columns of a table."""

    def __init__(self, table: Table, given: dict[str, str]) -> None:
        self.table = table
        self.given = given
        self.exact = find_columns(table, given)
        self.named: dict[str, str] = {}
        self.places: tuple[str, ...] = ()
        self.guessed = False
        self.unread = ""
        self.sample = table.frame.head(_GUESSED_LAST)

    @property
    def free(self) -> list[str]:
        """The columns that have no role yet, and none that was said."""
        taken = {*self.named.values(), *self.given.values()}
        return [name for name in self.table.header if name not in taken]

    def take(self, *roles: str) -> None:
        """Give columns the roles that they are called by."""
        self.named |= {role: self.exact[role] for role in roles if role in self.exact}

    def guess(self, **named: str) -> None:
        self.named |= named
        self.guessed |= any(name != role for role, name in named.items())

    def kind(self) -> str:
        """Find who met and who won; return the kind of shape."""
        self.take("count", "propensity")
        kind = self.kind_of_rows()
        if kind in ("votes", "won_lost", "scores"):
            self.find_count()
        return kind

    def kind_of_rows(self) -> str:
        if "ranking" in self.given:
            self.take("ranking")
            return "ranking"
        for kind, roles in (("long", LONG), ("best_worst", ("best", "worst"))):
            if self.given.keys() & {*roles}:
                self.take(*roles)
                missing = [role for role in roles if role not in self.named]
                if missing:
                    raise ValueError(
                        f"there is no column {missing[0]!r}, {there_are(self.table)}; say which it "
                        f"is: {hints.columns(**{missing[0]: 'NAME'})}"
                    )
                return kind
        if "winner" in self.given and "loser" in self.given:
            self.take("winner", "loser")
            return "won_lost"
        if self.find_best_and_worst():
            return "best_worst"
        if not self.has_names_of_winners() and self.find_sides():
            return self.find_outcome()
        if self.find_won_and_lost():
            return "won_lost"
        if self.find_ranking():
            return "ranking"
        if self.find_sides_by_winner():
            return self.find_outcome()
        if self.find_long():
            return "long"
        if self.find_ballots():
            return "ballots"
        raise self.nothing()

    def has_names_of_winners(self) -> bool:
        """Tell whether winners and losers have names where the two sides have numbers alone."""
        ends, sides = names.won_and_lost(self.table.header), names.sides_of([*self.table.header])
        if {"left", "right"} & self.exact.keys() or len(ends) != 1 or not sides:
            return False
        numbered = all(names.words(pair[0])[-1] == "id" for pair in sides)
        return numbered and names.words(ends[0][0])[-1] != "id"

    def find_sides(self) -> bool:
        if {"left", "right"} <= self.exact.keys():
            self.take("left", "right")
            return True
        said = {side: self.given[side] for side in ("left", "right") if side in self.given}
        found = names.sides_of([*self.table.header])
        if said:
            found = [
                pair for pair in found if {*said.items()} <= {("left", pair[0]), ("right", pair[1])}
            ]
        if len(found) > 1:  # 1 and 0 are no names where others are texts
            found = [pair for pair in found if self.are_texts(pair)] or found
        if len(found) == 1 and not self.is_ranking(found[0]):
            self.guess(left=found[0][0], right=found[0][1])
            return True
        if len(found) > 1 and not names.won_and_lost(self.table.header):
            several = " or ".join(f"{one} and {other}" for one, other in found)
            raise ValueError(
                f"the two options may be {several}; say which: "
                f"{hints.columns(left=found[0][0], right=found[0][1])}"
            )
        if said:
            missing = "right" if "left" in said else "left"
            raise ValueError(
                f"there is no column {missing!r}, {there_are(self.table)}; say which it is: "
                f"{hints.columns(**{missing: 'NAME'})}"
            )
        return False

    def find_sides_by_winner(self) -> bool:
        """Find two sides that headings alone do not tell: by who won, or texts that are names.

        Cells of the winner are the two headings, or in every row one of two cells.
        """
        free = {names.joined(name): name for name in reversed(self.free)}
        found: list[tuple[str, str]] = []
        for name in (free[known] for known in names.WINNERS if known in free):
            found = found or named_by(self.sample, name, self.free)
        found = found or names.sides_of(self.free, texts=True)
        if len(found) != 1 or not self.are_texts(found[0]):
            return False
        self.guess(left=found[0][0], right=found[0][1])
        return True

    def are_texts(self, columns: Iterable[str]) -> bool:
        import polars as pl

        texts = [self.sample[name] for name in columns]
        return all(
            text.dtype == pl.String
            and text.cast(pl.Float64, strict=False).null_count() > text.null_count()
            for text in texts
        )

    def is_ranking(self, pair: tuple[str, str]) -> bool:
        """Tell whether what looks like two sides is the first two places of a ranking."""
        places = names.places_of(self.table.header)
        return [*pair] == places[:2] and not self.exact.keys() & {*OUTCOMES}

    def find_outcome(self) -> str:
        """Find who won, where left and right are known."""
        has = self.exact.keys()
        if has & {*OUTCOMES}:
            self.take(*OUTCOMES)
            return "votes"
        if holds_counts(self.exact):
            self.take(*WINS, *LOSSES, "ties", "n")
            return "counts"
        for kind, roles in (("one_hot", ONE_HOT), ("scores", SCORES), ("results", RESULTS)):
            if has >= {*roles}:
                self.take(*roles, "winner_tie")
                return kind
        finders = (
            self.guess_one_hot,
            self.guess_winner,
            self.guess_counts,
            self.guess_scores,
            self.guess_results,
            self.guess_sides,
            self.take_any_winner,
        )
        for find in finders:
            kind = find()
            if kind:
                return kind
        left, right = self.named["left"], self.named["right"]
        coding = self.coding()
        if coding:
            raise ValueError(
                f"left = {left}, right = {right}, but no column says in words who won, "
                f"{there_are(self.table)}; if {coding}"
            )
        raise ValueError(
            f"left = {left}, right = {right}, but no column says who won, {there_are(self.table)}; "
            f"say which does: {hints.columns(winner='NAME')}, or {hints.columns(left_won='NAME')} "
            "for 1 and 0"
        )

    def coding(self) -> str:
        """Return the first column of few numbers, which may say who won, and how to say that."""
        known = {*names.VOTERS, *names.TIMES, *names.COUNTED}
        for name in self.free:
            cells = self.sample[name].drop_nulls()
            few = 1 < cells.n_unique() <= _MOST_CODES and not cells.dtype.is_nested()
            told = would_tell(cells) if few and names.joined(name) not in known else ""
            if told and tells_left_won(cells):
                return f"{name} is 1 where {self.named['left']} won: {hints.columns(left_won=name)}"
            if told:
                return f"{name} does, what its values mean: {hints.columns(winner=name)} {told}"
        return ""

    def guess_one_hot(self) -> str:
        """Find a column for each one that may have won, with 1 in that of the winner."""
        begin = (
            "winner", "win", "won", "is_winner", "preferred", "chose", "chosen", "picked",
            "selected", "voted", "choice",
        )  # fmt: skip
        sides: dict[str, str] = {}
        words = {
            **dict.fromkeys(self.side_words(0), "winner_left"),
            **dict.fromkeys(self.side_words(1), "winner_right"),
            **dict.fromkeys(names.TIES, "winner_tie"),
        }
        for heading in self.free:
            joined = names.joined(heading)
            for word in begin:
                rest = joined.removeprefix(f"{word}_")
                if rest != joined and rest in words:
                    sides.setdefault(words[rest], heading)
        if sides.keys() >= {*ONE_HOT}:
            free = {names.joined(name): name for name in reversed(self.free)}
            ties = [free[name] for name in names.TIES if name in free]
            self.guess(**({"winner_tie": ties[0]} if ties else {}) | sides)
            return "one_hot"
        return ""

    def side_words(self, side: int) -> Iterable[str]:
        heading = self.named[("left", "right")[side]]
        own = [pair[side] for pair in names.SIDES if pair[side] in names.words(heading)]
        return (names.joined(heading), ("left", "right")[side], *own)

    def guess_winner(self) -> str:
        """Find a column whose cells say who won, by its heading and then by its cells alone."""
        free = {names.joined(name): name for name in reversed(self.free)}
        left = names.joined(self.named["left"])
        own = [f"{left}_won", f"{left}_win", f"{left}_wins", f"{left}_is_winner"]
        known = [free[name] for name in dict.fromkeys((*names.LEFT_WON, *own)) if name in free]
        both = {name for pair in names.counts_of(self.free) for name in pair}
        fits = [name for name in known if name not in both and tells_left_won(self.sample[name])]
        if len(fits) == 1:
            self.guess(left_won=fits[0])
            return "votes"
        right = names.joined(self.named["right"])
        for name in ("right_won", f"{right}_won", f"{right}_win", f"{right}_wins"):
            alone = name in free and free[name] not in both
            if alone and tells_left_won(self.sample[free[name]]):
                self.guess(right_won=free[name])
                return "votes"
        known = [free[name] for name in names.WINNERS if name in free]
        others = [name for name in self.free if not {*names.words(name)} & names.LOSERS]
        fits = [name for name in known if self.fits(name)]
        fits = fits or [name for name in others if self.fits(name, by_name=True)]
        worded = [name for name in others if {*names.words(name)} & names.WINNER_WORDS]
        fits = fits or [name for name in worded if self.fits(name)]
        if len(fits) > 1:
            raise ValueError(
                f"who won may be told by {listing(fits)}; say which: "
                f"{hints.columns(winner=fits[0])}"
            )
        if not fits:
            return ""
        self.guess(winner=fits[0])
        return "votes"

    def take_any_winner(self) -> str:
        """Take a column by its heading alone, so that the cell is told that makes no sense."""
        free = {names.joined(name): name for name in reversed(self.free)}
        known = [free[name] for name in names.WINNERS if name in free]
        if known:
            self.guess(winner=known[0])
        return "votes" if known else ""

    def fits(self, name: str, by_name: bool = False) -> bool:
        sides = self.named["left"], self.named["right"]
        return is_outcome(self.sample, name, sides, by_name=by_name)

    def guess_sides(self) -> str:
        """Find the one column that says left and right, whatever it is called."""
        fits = [name for name in self.free if self.tells_sides(name)]
        if len(fits) != 1:
            return ""
        self.guess(winner=fits[0])
        return "votes"

    def tells_sides(self, name: str) -> bool:
        """Tell whether a column says who won by sides: left and right, or as the headings do."""
        return says_sides(self.sample[name], self.named["left"], self.named["right"]) and self.fits(
            name
        )

    def guess_results(self) -> str:
        """Find two columns that say what became of either, one of them a win."""
        pairs = names.results_of(self.free)
        if len(pairs) != 1 or not tells_results(self.sample, pairs[0]):
            return ""
        self.guess(left_result=pairs[0][0], right_result=pairs[0][1])
        return "results"

    def find_count(self) -> None:
        """Find how many votes a row stands for, if a column of whole numbers says so."""
        if "count" in self.named or "propensity" in self.named:
            return
        free = {names.joined(name): name for name in reversed(self.free)}
        for name in names.COUNTED:
            if name in free and counts_rows(self.table.frame[free[name]]):
                self.guess(count=free[name])
                return

    def find_best_and_worst(self) -> bool:
        """Find the best and the worst of several, as in MaxDiff, and the others of a row."""
        free = {names.joined(name): name for name in reversed(self.free)}
        best = [free[name] for name in names.BEST if name in free]
        worst = [free[name] for name in names.WORST if name in free]
        if len(best) != 1 or len(worst) != 1 or self.exact.keys() & {*OUTCOMES}:
            return False
        self.guess(best=best[0], worst=worst[0])
        self.places = tuple(names.numbered(self.free))
        return True

    def find_long(self) -> bool:
        """Find rows of one option each: in which contest it was, and which place it took."""
        free = {names.joined(name): name for name in reversed(self.free)}
        places = [free[name] for name in names.POSITIONS if name in free]
        places = [name for name in places if self.are_numbers([name])]
        contests = [free[name] for name in names.CONTESTS if name in free]
        nouns = [*names.ENTRANTS, *(f"{name}_id" for name in names.ENTRANTS), *names.NOUNS]
        options = [free[name] for name in nouns if name in free and free[name] not in contests[:1]]
        if not (places and contests and options):
            return False
        self.guess(contest=contests[0], option=options[0], place=places[0])
        return True

    def find_ballots(self) -> bool:
        """Find a column for each option, with the place that it has on the ballot of a row."""
        ranked = [name for name in self.free if are_places(self.sample[name], len(self.free))]
        if len(ranked) < 3 or not are_ballots(self.sample.select(ranked)):
            return False
        self.guessed = True
        self.places = tuple(ranked)
        return True

    def guess_counts(self) -> str:
        pairs = [pair for pair in names.counts_of(self.free) if self.are_numbers(pair)]
        free = {names.joined(name): name for name in reversed(self.free)}
        more: dict[str, str] = {}
        ties = [free[name] for name in names.TIES if name in free]
        if ties:
            more["ties"] = ties[0]
        if len(pairs) == 1:
            self.guess(left_wins=pairs[0][0], right_wins=pairs[0][1], **more)
            return "counts"
        wins = [self.exact[role] for role in WINS if role in self.exact]
        totals = [free[name] for name in names.TOTALS if name in free]
        if wins and totals:
            self.guess(wins=wins[0], n=totals[0], **more)
            return "counts"
        return ""

    def guess_scores(self) -> str:
        pairs = [pair for pair in names.scores_of(self.free) if self.are_numbers(pair)]
        pairs = pairs or [pair for pair in names.stars_of(self.free) if self.are_stars(pair)]
        if len(pairs) != 1:
            return ""
        self.guess(left_score=pairs[0][0], right_score=pairs[0][1])
        return "scores"

    def are_numbers(self, columns: Iterable[str]) -> bool:
        import polars as pl

        said = pl.col(*columns).cast(pl.String, strict=False).str.strip_chars()
        cast = self.sample.select(said.cast(pl.Float64, strict=False))
        return all(column.null_count() < max(len(column), 1) for column in cast)

    def are_stars(self, columns: Iterable[str]) -> bool:
        """Tell whether columns hold whole numbers as people give stars, and no ratings of Elo."""
        return all(are_places(self.sample[name], _MOST_STARS) for name in columns)

    def find_won_and_lost(self) -> bool:
        if {"winner", "loser"} <= self.exact.keys():
            self.take("winner", "loser")
            return True
        found = names.won_and_lost(self.table.header)
        if len(found) != 1:
            return False
        self.guess(winner=found[0][0], loser=found[0][1])
        return True

    def find_ranking(self) -> bool:
        self.places = tuple(names.places_of(self.table.header))
        if self.places:
            self.guessed = True
            return True
        if "ranking" in self.exact:
            self.take("ranking")
            return True
        free = {names.joined(name): name for name in reversed(self.free)}
        for name in names.RANKINGS:
            if name in free:
                self.guess(ranking=free[name])
                return True
        return False

    def find_time(self) -> None:
        if "time" in self.given:
            self.named["time"] = self.given["time"]
            return
        known = [name for name in names.times_of(self.free) if self.is_time(name)]
        if not known:
            known = self.dates()
            called = [name for name in names.times_of(self.free) if names.is_time(name)]
            self.unread = called[0] if called and not known else ""
        elif names.joined(known[0]) in ("year", "season", "round", "step", "week"):
            known = self.dates() or known
        if known:
            self.guess(time=known[0])
        elif "time" in self.exact:
            self.take("time")

    def find_clock(self) -> None:
        """Find clocks beside dates; in a race they may be how long somebody took."""
        if "time" not in self.named or "time" in self.given:
            return
        free = {names.joined(name): name for name in reversed(self.free)}
        for name in names.CLOCKS:
            if name in free and moments.clocks_of(self.table.frame[free[name]]) is not None:
                self.guess(clock=free[name])
                return

    def dates(self) -> list[str]:
        """Return the one column of dates, if there is one alone."""
        dates = [name for name in self.free if moments.looks_like_dates(self.sample[name])]
        return dates if len(dates) == 1 else []

    def is_time(self, name: str) -> bool:
        return moments.is_readable(self.sample[name])

    def find_voter(self) -> None:
        free = {names.joined(name): name for name in reversed(self.free)}
        if "voter" in self.given:
            self.named["voter"] = self.given["voter"]
            return
        for name in names.VOTERS:
            if name in free:
                self.named["voter"] = free[name]
                return

    def check_once(self) -> None:
        for name in self.named.values():
            if self.table.header.count(name) > 1:
                raise ValueError(f"there is more than one column {name!r}, {there_are(self.table)}")

    def nothing(self) -> NoShape:
        """Return what to say of a table that has neither two sides nor a winner and a loser."""
        if self.table.begins_with_a_vote:
            return NoShape(
                "the first row is a vote and no header; say "
                f"{hints.either('--no-header', 'header=False')}, and what the columns are if not "
                "winner and loser: "
                f"{hints.columns(left='1', right='2', winner='3')}"
            )
        winners = [name for name in self.free if names.joined(name) in names.WINNERS]
        beaten = [name for name in self.free if {*names.words(name)} & names.BEATEN]
        either = [*winners[:1], *beaten]
        if beaten and len(either) == 2:
            return NoShape(
                f"{either[0]} and {either[1]} may each be who won; say which is: "
                f"{hints.columns(winner=either[0], loser=either[1])}"
            )
        near = f"winner = {winners[0]}, but " if winners else ""
        return NoShape(
            f"{near}no columns name the two options, {there_are(self.table)}; say which do: "
            f"{hints.columns(left='NAME', right='NAME')}; expected are {SHAPES}"
        )
