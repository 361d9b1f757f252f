"""What is proved however often somebody looks: drift, what turned, and who was best between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftduel.verdict.moments import Moment


@dataclass(frozen=True, kw_only=True)
class Drifted:
    """That tastes drifted was proved at a moment, whoever looked when.

    Attributes
    ----------
    proved : Moment
        With which votes it was proved first.
    of_strengths : bool
        Whether it is proved only if strengths alone tell who beats whom.
    """

    proved: Moment
    of_strengths: bool = False


@dataclass(frozen=True, kw_only=True)
class Turned:
    """An option fell or rose, or wins less against another, which is proved whoever looked when.

    Attributes
    ----------
    kind : {"fell", "rose", "turned"}
        Of a pair that turned ``option`` wins less than before, ``other`` more.
    option : int
        Which one.
    other : int or None
        The other one of a pair.
    proved, likeliest : Moment
        With which votes it was proved, and when it likely began.
    """

    kind: Literal["fell", "rose", "turned"]
    option: int
    other: int | None = None
    proved: Moment
    likeliest: Moment


@dataclass(frozen=True, kw_only=True)
class Reign:
    """An option was best on average over a time between two proofs, whoever looked when.

    The last time goes on until now: ``until`` is None.
    """

    option: int
    since: Moment
    until: Moment | None = None
