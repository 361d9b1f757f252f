"""Every built-in world by name, for commands and experiment files.

The parameters of a world are those of the function that builds it, with their defaults; values
may also be given as text, as on a command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from driftduel._support import params
from driftduel._support.checks import BadParameter, as_count
from driftduel._support.params import Parameter, parameters_of, resolve
from driftduel._support.text import did_you_mean
from driftduel.worlds import adversarial, hard, synthetic
from driftduel.worlds.hard import HardInstance
from driftduel.worlds.stream import Stream


@dataclass(frozen=True)
class World:
    """One entry of the catalogue.

    Attributes
    ----------
    builder : callable
        Builds the world from keyword arguments that all have defaults.
    description : str
        One line about it.
    """

    builder: Callable[..., Stream | HardInstance]
    description: str


def names() -> tuple[str, ...]:
    """Return the names of all built-in worlds.

    Examples
    --------
    >>> "switching" in names()
    True
    """
    return tuple(CATALOGUE)


def describe(name: str) -> str:
    """Return one line about a world.

    Examples
    --------
    >>> describe("sinusoidal")
    'utilities rise and fall in turn, evenly out of step'
    """
    return _world(name).description


def parameters(name: str) -> dict[str, Parameter]:
    """Return the parameters of a world by name, with their types and defaults.

    Examples
    --------
    >>> [f"{key}={item.default}" for key, item in parameters("known-weight-dynamic").items()]
    ['n_arms=10', 'horizon=100000', 'n_phases=5', 'weight=None', 'seed=0']
    """
    return parameters_of(_world(name).builder)


def build(name: str, **values: object) -> Stream:
    """Build a world.

    Parameters
    ----------
    name : str
        One of `names`.
    **values
        Its parameters; those left out have their defaults.

    Raises
    ------
    ValueError
        If there is no such world or parameter, or a value does not fit; the message says what
        is allowed.

    Examples
    --------
    >>> build("switching", n_arms=5, horizon=1000, n_phases=3)
    Stream(5 arms, 1,000 rounds, 3 stretches of 3 matrices)
    >>> build("switching", phases=3)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: switching: phases is no parameter (did you mean n_phases?), there are n_arms, horizon, n_phases, kind, winner, spacing, seed
    """  # noqa: E501
    try:
        built = params.build(_world(name).builder, values)
    except BadParameter as error:
        raise error.of(name) from None
    return built.stream if isinstance(built, HardInstance) else built


def parse(name: str, texts: Mapping[str, str]) -> dict[str, object]:
    """Turn the parameters of a world from text into values for `build`.

    Examples
    --------
    >>> parse("known-weight", {"n_arms": "3", "weight": "0.5,0.25,0.25", "winner": "none"})
    {'n_arms': 3, 'weight': [0.5, 0.25, 0.25], 'winner': None}
    """
    try:
        return resolve(_world(name).builder, texts, texts=True)
    except BadParameter as error:
        raise error.of(name) from None


def _american_league(
    *,
    horizon: int = 100_000,
    bandwidth: float | None = None,
    arms: Sequence[str] | None = None,
    remove_bias: bool = True,
) -> Stream:
    from driftduel.worlds import datasets

    width = {} if bandwidth is None else {"bandwidth": bandwidth}
    return datasets.american_league(horizon, arms=arms, remove_bias=remove_bias, **width)


def _formula_1(
    *,
    horizon: int = 100_000,
    bandwidth: float | None = None,
    arms: Sequence[str] | None = None,
) -> Stream:
    from driftduel.worlds import datasets

    width = {} if bandwidth is None else {"bandwidth": bandwidth}
    return datasets.formula_1(horizon, arms=arms, **width)


def _premier_league(
    *,
    horizon: int = 100_000,
    bandwidth: float | None = None,
    arms: Sequence[str] | None = None,
    remove_bias: bool = True,
) -> Stream:
    from driftduel.worlds import datasets

    width = {} if bandwidth is None else {"bandwidth": bandwidth}
    return datasets.premier_league(horizon, arms=arms, remove_bias=remove_bias, **width)


def _matrix(name: str, /, *, horizon: int = 100_000, arms: Sequence[str] | None = None) -> Stream:
    from driftduel.worlds import datasets

    return datasets.stationary(name, horizon, arms=arms)


def _gic_pair(*, horizon: int = 1_000_000, constant: float = 1.0, world: int = 1) -> HardInstance:
    return hard.gic_pair(horizon=horizon, constant=constant)[as_count(world, "world", 1, 2) - 1]


CATALOGUE: dict[str, World] = {
    "one-winner": World(
        synthetic.one_winner, "one arm beats every other by a margin, the others tie"
    ),
    "bradley-terry-luce": World(
        synthetic.bradley_terry_luce, "random strengths, P[a,b] = s_a / (s_a + s_b)"
    ),
    "random-utilities": World(
        synthetic.random_utilities, "random utilities through a link: logistic, probit or linear"
    ),
    "random-member": World(
        synthetic.random_member,
        "one random matrix of a kind: any, cw, gic, sst, sst-sti or cyclic",
    ),
    "switching": World(
        synthetic.switching, "phases of random matrices of a kind; the winner changes or stays"
    ),
    "random-walk": World(synthetic.random_walk, "utilities are independent random walks"),
    "glm-drift": World(
        synthetic.glm_drift, "arms have features, and what is looked for in them is a random walk"
    ),
    "sinusoidal": World(
        synthetic.sinusoidal, "utilities rise and fall in turn, evenly out of step"
    ),
    "one-entry-drift": World(
        synthetic.one_entry_drift, "a single entry of the matrix drifts in a straight line"
    ),
    "spurious-switches": World(
        synthetic.spurious_switches,
        "near-equal arms take turns to win, while one stays nearly best throughout",
    ),
    "wobble": World(
        synthetic.wobble, "the winner stays, the margin by which it wins goes up and down"
    ),
    "alternation": World(synthetic.alternation, "a few arms take turns to be clearly best"),
    "turnover": World(synthetic.turnover, "tastes stay, arms take turns on offer"),
    "handover": World(synthetic.handover, "one arm slowly hands over to another, once"),
    "bursts": World(
        synthetic.bursts, "long calm, then changes of the winner close together (Pareto)"
    ),
    "one-winner-moves": World(
        synthetic.one_winner_moves, "the Borda or the Condorcet winner moves, the other stays"
    ),
    "hidden-rise": World(
        adversarial.hidden_rise, "another arm becomes Borda winner, the old one still beats all"
    ),
    "spoilers": World(
        adversarial.spoilers, "the winner hardly beats most arms, a spoiler beats those clearly"
    ),
    "dear-challenger": World(
        adversarial.dear_challenger, "the Borda winner loses to an arm that is otherwise poor"
    ),
    "others-change": World(
        adversarial.others_change, "one arm wins for ever, the order of all others changes"
    ),
    "late-start": World(
        adversarial.late_start, "long calm, then two arms take turns to be clearly best"
    ),
    "known-weight": World(
        hard.known_weight, "lower bound, known weight: one good arm hides among equals"
    ),
    "known-weight-dynamic": World(
        hard.known_weight_dynamic, "the known-weight lower bound, drawn again in every phase"
    ),
    "known-weight-variation": World(
        hard.known_weight_variation, "the known-weight lower bound within a total variation"
    ),
    "gic": World(hard.gic, "lower bound under GIC: only one entry tells the winner"),
    "gic-dynamic": World(hard.gic_dynamic, "the GIC lower bound, drawn again in every phase"),
    "gic-variation": World(hard.gic_variation, "the GIC lower bound within a total variation"),
    "gic-pair": World(_gic_pair, "one of two 3-arm worlds that differ against a bad arm only"),
    "borda-against-condorcet": World(
        hard.borda_against_condorcet, "3 arms, every policy pays T/45 under some weight"
    ),
    "shuffled-halves": World(
        hard.shuffled_halves, "a fresh random split into good and bad arms every round"
    ),
    "american-league": World(
        _american_league, "baseball 1903-1960, slow drift and weak signal (Retrosheet)"
    ),
    "formula-1": World(_formula_1, "Formula 1 teams 1997-2025, clear regimes (F1DB)"),
    "premier-league": World(
        _premier_league, "six clubs of the Premier League 1992-2026, ties (openfootball)"
    ),
    "six-rankers": World(
        partial(_matrix, "six_rankers"), "six rankers of arXiv's search (Komiyama)"
    ),
    "arithmetic": World(
        partial(_matrix, "arithmetic"), "8 arms, P[i,j] = 0.5 + 0.05 (j - i) (Komiyama)"
    ),
    "cyclic": World(
        partial(_matrix, "cyclic"), "one arm beats three that beat each other in a circle"
    ),
    "llm-arena": World(
        partial(_matrix, "llm_arena"), "16 language models in votes of 2025 (LMArena)"
    ),
}
"""The built-in worlds by name."""


def _world(name: str) -> World:
    if name not in CATALOGUE:
        there_are = f"{did_you_mean(name, CATALOGUE)}, there are {', '.join(CATALOGUE)}"
        raise ValueError(f"no world is called {name!r}{there_are}")
    return CATALOGUE[name]
