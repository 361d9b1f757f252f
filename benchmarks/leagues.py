"""What three real logs prove of their tastes, and by which null: python -m benchmarks leagues.

That tastes drifted: no constant means (or strengths, where pairs meet seldom) foretell the votes as
well as players who move. What turned: the coin of a pair changed. Both hold at every look. Changes
of the leader: that the same one was best all the time; of one look. The Premier League also by its
clubs that never went down, and by the six that are called big.
"""

from __future__ import annotations

import driftduel as dd
from driftduel.votes.analyses import _panel
from driftduel.worlds import datasets

BIG_SIX = (
    "Arsenal", "Chelsea", "Liverpool", "Manchester City", "Manchester United", "Tottenham Hotspur",
)  # fmt: skip


def main() -> None:
    print("log, drifted since, pairs that turned, best on average in turn, changes of the leader")
    _tell("American League", datasets.american_league_log())
    _tell("Formula 1", datasets.formula_1_log())
    premier = datasets.premier_league_log()
    _tell("Premier League", premier)
    weight, panel = _panel(premier)
    _tell(f"{len(panel)} clubs that stayed", premier, dd.Weighted(weight))
    _tell("the big six", premier.select(BIG_SIX))


def _tell(name: str, log: dd.Log, criterion: dd.Criterion | None = None) -> None:
    found = dd.history(log, criterion or "borda")
    reigns = [log.arms[one.best] for one in found.watch.phases if one.best is not None]
    who = ", ".join(reigns) or "nobody"
    print(f"{name}: {found.drift.proved}, {len(found.watch.turns)}, {who}, {len(found.changes)}")
    for one in found.changes:
        before, after = ("/".join(names) for names in (one.before_among, one.after_among))
        print(f"  {before} -> {after}, proved between {one.after_surely} and {one.before_surely}")


if __name__ == "__main__":
    main()
