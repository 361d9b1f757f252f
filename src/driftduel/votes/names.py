"""What headings of votes mean: the two options, who won, when; by the words people use for them.

A heading is cut into words, ``HomeTeam`` and ``home_team`` alike. Two columns are a pair if they
differ in one word alone and the two words are sides of one thing: left and right, a and b, home and
away. What their other words say (``model``, ``score``, ``elo``) tells what the pair is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")

SIDES = (
    ("left", "right"), ("a", "b"), ("1", "2"), ("home", "away"), ("white", "black"),
    ("first", "second"), ("one", "two"), ("0", "1"), ("home", "visitor"),
    ("home", "guest"), ("control", "treatment"), ("red", "blue"), ("r", "b"), ("x", "y"),
    ("player", "opponent"), ("team", "opponent"), ("links", "rechts"),
)  # fmt: skip
"""Words for the left and the right one of two."""

WON = (
    ("winner", "loser"), ("chosen", "rejected"), ("won", "lost"), ("winning", "losing"),
    ("better", "worse"), ("preferred", "rejected"), ("preferred", "dispreferred"),
    ("preferred", "other"), ("selected", "rejected"), ("accepted", "rejected"), ("win", "loss"),
    ("picked", "rejected"), ("w", "l"), ("sieger", "verlierer"), ("gewinner", "verlierer"),
    ("win", "lose"), ("wins", "loses"), ("picked", "passed"), ("chosen", "unchosen"),
    ("chosen", "other"), ("selected", "other"), ("selected", "unselected"), ("liked", "disliked"),
    ("picked", "skipped"), ("picked", "other"), ("beats", "loses"), ("victor", "vanquished"),
)  # fmt: skip
"""Words for who won and who lost."""

NOUNS = (
    "name", "label", "model", "option", "arm", "item", "team", "player", "club", "", "design",
    "variant", "candidate", "version", "image", "answer", "system", "product", "brand", "choice",
    "entry", "entrant", "opponent", "method", "llm", "bot", "agent", "engine", "generator",
    "fighter", "username", "text", "id", "output",
)  # fmt: skip
"""What is compared, the likeliest first; a side alone, as in white and black, is among them."""

_SCORES = ("score", "scores", "goals", "goal", "points", "pts", "runs", "fthg", "result")
_STARS = ("rating", "ratings", "stars", "grade", "mark", "likert")
_COUNTS = ("wins", "won", "votes", "count", "win")
_FIGURES = frozenset({
    *_SCORES, *_COUNTS, "elo", "rating", "rank", "ranking", "seed", "odds", "length", "len",
    "tokens", "response", "conversation", "text", "prompt", "age", "ht", "hand", "ioc", "losses",
    "ties", "draws", "votes", "propensity", "probability", "prob", "time", "date", "turn", "turns",
    "half", "shots", "fouls", "corners", "yellow", "red", "cards", "position", "order", "url",
    "link", "cost", "latency", "title", "winner", "loser", "tie", "comment", "reason", "rationale",
    "yds", "yards", "chose", "picked", "selected", "weight", "height", "reach", "stance", "sets",
})  # fmt: skip
"""What is told of an option and is not its name."""

_TEXTS = frozenset({"response", "conversation", "text", "prompt", "title", "url", "link"})
"""What of it names an option all the same if nothing else does."""

TIMES = (
    "time", "date", "datetime", "timestamp", "tstamp", "ts", "when", "voted_at", "created_at",
    "created", "submitted_at", "vote_time", "start_time", "started_at", "day", "utc_date",
    "gameday", "datum", "zeit", "zeitpunkt", "month", "week", "quarter",
    "year", "season", "round", "step",
)  # fmt: skip
"""What a column of times is called, the likeliest first."""
CLOCKS = (
    "time", "clock", "time_of_day", "start_time", "kickoff", "kick_off", "kickoff_time", "uhrzeit",
)  # fmt: skip
"""What a column of clocks is called that stands beside one of dates."""
_TIME_WORDS = frozenset({"time", "date", "datetime", "timestamp", "tstamp", "day", "at"})

WINNERS = (
    "winner", "preferred", "preference", "chosen", "choice", "result", "who_won", "verdict",
    "outcome", "vote", "ftr", "won_by", "winner_name", "pick", "picked", "selected", "selection",
    "judgment", "judgement", "decision", "better", "best", "winning_team", "preferred_model",
    "chosen_model", "winner_model", "winner_side", "pref", "better_model", "score", "ft",
    "final_score", "label", "answer", "response", "victor", "sieger", "gewinner",
)  # fmt: skip
"""What a column that says who won is called."""

WINNER_WORDS = frozenset(
    {"winner", "preferred", "winning", "chosen", "better", "best", "pick", "preference", "vote"}
)
LEFT_WON = (
    "left_won", "won", "left_win", "first_won", "a_won", "home_won", "white_won", "is_win",
    "outcome", "result", "score", "left_is_better",
)  # fmt: skip
"""What a column is called in which 1 is a win of the first option, as Elo counts it."""
VOTERS = (
    "voter", "voter_id", "user", "user_id", "judge", "judge_id", "annotator", "annotator_id",
    "rater", "rater_id", "participant", "participant_id", "worker", "worker_id", "session",
    "session_id", "evaluator", "email",
)  # fmt: skip
"""What a column that names voters is called."""
COUNTED = (
    "count", "n", "votes", "n_votes", "times", "freq", "frequency", "number_of_votes", "anzahl",
)  # fmt: skip
"""What a column is called that says how many such votes there are."""
LOSERS = frozenset({"loser", "lost", "losing", "rejected", "worse", "verlierer"})
BEATEN = frozenset({"beat", "beaten", "defeated", "lost"})
"""Words that may stand above who won as well as above who lost."""
TOTALS = ("n", "total", "trials", "games", "matches", "comparisons", "n_votes", "total_votes")
TIES = ("ties", "tie", "draws", "draw", "tied", "drawn")
PLACES = ("rank", "ranked", "place", "position", "pos", "choice", "preference", "finish")
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
POSITIONS = (
    "position", "rank", "place", "finish", "pos", "position_order", "finishing_position",
    "final_position", "final_rank", "placing", "standing", "finish_position", "ranking", "order",
)  # fmt: skip
"""What a column is called that says which place one option took."""
CONTESTS = (
    "race", "race_id", "event", "event_id", "contest", "contest_id", "heat", "heat_id", "match",
    "match_id", "game_id", "ballot", "ballot_id", "question_id", "question", "task", "task_id",
    "prompt_id", "round_id", "group", "voter", "voter_id", "respondent", "respondent_id",
    "participant", "participant_id", "user", "user_id", "judge", "rater", "race_name", "raceid",
)  # fmt: skip
"""What a column is called that says in which contest, or on whose ballot, that was."""
ENTRANTS = (
    "driver", "horse", "athlete", "rider", "runner", "skier", "swimmer", "racer", "constructor",
    "alternative", "concept", "contestant", "competitor", "participant", "country",
)  # fmt: skip
BEST = ("best", "most", "max", "most_preferred")
WORST = ("worst", "least", "min", "least_preferred")
RANKINGS = ("ranking", "ranked", "order", "ranks", "finishing_order")
"""What a column with whole rankings is called."""


def words(heading: str) -> tuple[str, ...]:
    """Cut a heading into words.

    Examples
    --------
    >>> words("HomeTeam"), words("answer1"), words("Option A"), words("FTR"), words("model_a")
    (('home', 'team'), ('answer', '1'), ('option', 'a'), ('ftr',), ('model', 'a'))
    """
    return tuple(word.lower() for word in _WORD.findall(heading))


def joined(heading: str) -> str:
    """Return the words of a heading with underscores between them."""
    return "_".join(words(heading))


def pairs_of(
    header: Sequence[str], sides: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield pairs of headings that differ in a pair of words alone, with their other words.

    Examples
    --------
    >>> list(pairs_of(["White", "Black", "WhiteElo", "BlackElo", "Result"], SIDES))
    [('White', 'Black', ()), ('WhiteElo', 'BlackElo', ('elo',))]
    """
    cut = {words(heading): heading for heading in reversed(header)}
    found = set()
    for heading in header:
        parts = words(heading)
        for place, word in enumerate(parts):
            for one, other in sides:
                if word != one:
                    continue
                twin = cut.get((*parts[:place], other, *parts[place + 1 :]))
                pair = (cut[parts], twin)
                if twin is not None and pair not in found:
                    found.add(pair)
                    yield cut[parts], twin, (*parts[:place], *parts[place + 1 :])


def sides_of(header: Sequence[str], *, texts: bool = False) -> list[tuple[str, str]]:
    """Return pairs of columns that may name the two options, only those as likely as the best.

    Columns such as ``response_a`` mostly hold what an option said; with ``texts`` they count, too.

    Examples
    --------
    >>> sides_of(["model_a", "model_b", "response_a", "response_b", "winner"])
    [('model_a', 'model_b')]
    >>> sides_of(["white_id", "white_rating", "black_id", "black_rating"])
    [('white_id', 'black_id')]
    """
    figures = _FIGURES - _TEXTS if texts else _FIGURES
    return _likeliest(pairs_of(header, SIDES), figures)


def won_and_lost(header: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of columns that may name who won and who lost, those as likely as the best.

    Examples
    --------
    >>> won_and_lost(["chosen", "rejected", "chosen_model", "rejected_model"])
    [('chosen_model', 'rejected_model')]
    """
    found = _likeliest(pairs_of(header, WON), _FIGURES - {"text", "tie"})
    cut = {words(heading): heading for heading in reversed(header)}
    found = found or [
        (heading, cut[("not", *parts)]) for parts, heading in cut.items() if ("not", *parts) in cut
    ]
    if found:
        return found
    won, lost = (
        [heading for heading in header if {*words(heading)} & {pair[side] for pair in WON[:1]}]
        for side in (0, 1)
    )
    return [(won[0], lost[0])] if len(won) == len(lost) == 1 else []


def scores_of(header: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of columns that hold what the two options scored.

    Examples
    --------
    >>> scores_of(["home_team", "away_team", "home_score", "away_score"])
    [('home_score', 'away_score')]
    """
    found = [(one, other) for one, other, rest in pairs_of(header, SIDES) if _is(rest, _SCORES)]
    cut = {joined(heading): heading for heading in header}
    if "fthg" in cut and "ftag" in cut:  # goals of football-data.co.uk
        found.append((cut["fthg"], cut["ftag"]))
    return found


def stars_of(header: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of columns that may hold how many stars the two options were given.

    Examples
    --------
    >>> stars_of(["model_a", "model_b", "rating_a", "rating_b"])
    [('rating_a', 'rating_b')]
    """
    return [(one, other) for one, other, rest in pairs_of(header, SIDES) if _is(rest, _STARS)]


def results_of(header: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of columns that hold what became of the two options.

    Examples
    --------
    >>> results_of(["white_username", "black_username", "white_result", "black_result"])
    [('white_result', 'black_result')]
    """
    return [(one, other) for one, other, rest in pairs_of(header, SIDES) if rest == ("result",)]


def counts_of(header: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of columns that hold how often the two options won."""
    return [(one, other) for one, other, rest in pairs_of(header, SIDES) if _is(rest, _COUNTS)]


def numbered(header: Sequence[str]) -> list[str]:
    """Return the columns of items, called by one word and numbers from 1 on; none if under three.

    Examples
    --------
    >>> numbered(["set", "item1", "item2", "item3", "time"])
    ['item1', 'item2', 'item3']
    """
    cut = {words(heading): heading for heading in reversed(header)}
    for parts in cut:
        if parts[-1:] == ("1",) and parts[:-1]:
            found: list[str] = []
            while (*parts[:-1], str(len(found) + 1)) in cut:
                found.append(cut[(*parts[:-1], str(len(found) + 1))])
            if len(found) > 2:
                return found
    return []


def places_of(header: Sequence[str]) -> list[str]:
    """Return the columns that name who came first, second, third and so on; none if under three.

    Examples
    --------
    >>> places_of(["race", "1st", "2nd", "3rd"]), places_of(["rank_1", "rank_2", "Third choice"])
    (['1st', '2nd', '3rd'], ['rank_1', 'rank_2', 'Third choice'])
    """
    place: dict[int, str] = {}
    for heading in header:
        number = _place(words(heading))
        if number is not None:
            place.setdefault(number, heading)
    found: list[str] = []
    while len(found) + 1 in place:
        found.append(place[len(found) + 1])
    return found if len(found) > 2 else []


def times_of(header: Sequence[str]) -> list[str]:
    """Return the columns that may hold times, the likeliest first.

    Examples
    --------
    >>> times_of(["last_move_at", "created_at", "turns", "Date"])
    ['Date', 'created_at', 'last_move_at']
    """
    known = {joined(heading): heading for heading in reversed(header)}
    found = [known[name] for name in TIMES if name in known]
    more = [heading for heading in header if {*words(heading)} & _TIME_WORDS]
    # "year" and what follows it count fewer things than a date does.
    coarse = ("year", "season", "round", "step")
    cut = next((n for n, one in enumerate(found) if joined(one) in coarse), len(found))
    return [*found[:cut], *(one for one in more if one not in found), *found[cut:]]


def is_time(heading: str) -> bool:
    """Tell whether a column is called so that it can hold nothing but times.

    Examples
    --------
    >>> is_time("voted_at"), is_time("Time (s)"), is_time("round")
    (True, False, False)
    """
    coarse = ("year", "season", "round", "step", "week", "month", "quarter", "time", "created")
    return joined(heading) in TIMES and joined(heading) not in coarse


def _likeliest(
    pairs: Iterator[tuple[str, str, tuple[str, ...]]], figures: frozenset[str] = _FIGURES
) -> list[tuple[str, str]]:
    ranked: dict[int, list[tuple[str, str]]] = {}
    for one, other, rest in pairs:
        if {*rest} & figures:
            continue
        ranked.setdefault(_rank(rest), []).append((one, other))
    return ranked[min(ranked)] if ranked else []


def _rank(rest: tuple[str, ...]) -> int:
    """Return how likely it is that columns with these other words name options, 0 most."""
    if rest and rest[-1] in ("name", "label"):
        return 0
    return min((NOUNS.index(word) for word in rest or ("",) if word in NOUNS), default=len(NOUNS))


def _is(rest: tuple[str, ...], known: Sequence[str]) -> bool:
    """Tell whether words are a figure such as the score, beside words for an option at most."""
    return [word in known for word in rest if word not in NOUNS] == [True]


def _place(parts: tuple[str, ...]) -> int | None:
    """Return which place a heading is about: 1st, second, rank 3, fourth choice."""
    said = [part for part in parts if part not in (*PLACES, "st", "nd", "rd", "th")]
    if len(said) != 1:
        return None
    if said[0] in ORDINALS:
        return ORDINALS.index(said[0]) + 1
    return int(said[0]) if said[0].isdigit() and len(parts) > 1 else None
