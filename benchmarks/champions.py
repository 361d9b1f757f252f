"""Whether who was likeliest best of a season is its champion: leagues whose books everybody knows.

python -m benchmarks champions.

The champion of the Premier League is of points; of the American League, and of Formula 1, the one
with the largest share of games won, or of rivals beaten. The best of a season is who was likeliest
best on average over it (`Timeline.best_during`), of the whole log and without prior knowledge.
"""

from __future__ import annotations

import numpy as np

import driftduel as dd
from driftduel.worlds import datasets


def main() -> None:
    premier = datasets.premier_league_log()
    champions = datasets.premier_league_champions()
    _tell("Premier League", premier, champions, summer=True)
    for name, log in (
        ("American League", datasets.american_league_log()),
        ("Formula 1", datasets.formula_1_log()),
    ):
        _tell(name, log, best_records(log), summer=False)


def best_records(log: dd.Log) -> dict[int, str]:
    """Return by year who won the largest share."""
    years = 1970 + log.time.astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    found = {}
    for year in np.unique(years):
        rows = years == year
        won, played = np.zeros(log.n_arms), np.zeros(log.n_arms)
        for arm, own in ((log.left, log.outcome), (log.right, 1 - log.outcome)):
            np.add.at(won, arm[rows], (own * log.count)[rows])
            np.add.at(played, arm[rows], log.count[rows])
        found[int(year)] = log.arms[int((won / np.maximum(played, 1)).argmax())]
    return found


def _tell(name: str, log: dd.Log, champions: dict[int, str], *, summer: bool) -> None:
    story = dd.timeline(log)
    right, said = [], []
    for year, champion in champions.items():
        ends = (
            (f"{year}-07-15", f"{year + 1}-07-14") if summer else (f"{year}-01-01", f"{year}-12-31")
        )
        told = story.best_during(*ends)
        likeliest = max(told, key=lambda one: told[one])
        right.append(likeliest == champion)
        said.append(told[likeliest])
    sure = np.array(said) >= 0.7
    came = int(np.array(right)[sure].sum())
    print(
        f"{name:16} champion in {sum(right)} of {len(right)} seasons (said {np.mean(said):.2f}); "
        f"where it says .7 or more in {came} of {sure.sum()} "
        f"(said {np.array(said)[sure].mean():.2f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
