"""Who is decided to be best, from plain lists of votes and of who was on offer with each.

A vote is ``(offered, left, right, outcome, left_tossed, right_tossed)``, the outcome that of the
left arm. Nothing is counted ahead: each answer goes through all votes again.
"""

from __future__ import annotations

import math

from tests.naive.evidence import log_evidence, log_joint


def log_weight(arms, first, known, grew):
    """The share of the level that a set has; ``grew`` is how often the list of arms did."""
    if set(arms) == set(first):
        return math.log(0.6)
    absent = known - len(arms)
    if grew == 0:
        parts = [1 / 16, 3 / 4, *(3 / 8 * 2**-more for more in range(2, known + 1))]
        return math.log(0.3 * parts[absent] / math.comb(known, absent))
    return math.log(0.1 * 2**-grew * 2 ** -(absent + 1) / math.comb(known, absent))


def classes(votes, first, arms):
    """Those of some arms that were on offer together at the beginning and with each vote."""
    found = {}
    for arm in arms:
        history = (arm in first, *(arm in vote[0] for vote in votes))
        found.setdefault(history, []).append(arm)
    return list(found.values())


def stratum(votes, arm, opponents):
    """What an arm won, of how many: of one opponent all votes, of several the tosses only."""
    outcomes = []
    for _, left, right, outcome, left_tossed, right_tossed in votes:
        alone = len(opponents) == 1
        if left == arm and right in opponents and (alone or left_tossed):
            outcomes.append(outcome)
        if right == arm and left in opponents and (alone or right_tossed):
            outcomes.append(1 - outcome)
    return sum(outcomes), len(outcomes)


def log_gap(votes, first, arms, weight, leader, rival):
    """ln of the evidence that an arm is ahead of another one among some arms."""
    columns = [(weight[leader] + weight[rival], *stratum(votes, leader, [rival]))]
    others = [arm for arm in arms if arm not in (leader, rival)]
    for group in classes(votes, first, others):
        share = sum(weight[arm] for arm in group)
        columns.append((share, *stratum(votes, leader, group)))
        columns.append((-share, *stratum(votes, rival, group)))
    problem = (*zip(*columns, strict=True), (weight[leader] + weight[rival]) / 2)
    if len(columns) <= 3:
        return log_evidence(*problem)
    return math.log((math.exp(log_evidence(*problem)) + math.exp(log_joint(*problem))) / 2)


def score_strata(votes, first, arms, weight, arm):
    """The share, the wins and the votes of an arm against each class of the others."""
    others = [one for one in arms if one != arm]
    total = sum(weight[one] for one in others)
    return [
        (sum(weight[one] for one in group) / total, *stratum(votes, arm, group))
        for group in classes(votes, first, others)
    ]


def score(parts):
    """The mean of the classes that were met, by their shares."""
    some = [(share, wins, played) for share, wins, played in parts if played]
    if not some:
        return None
    return sum(c * s / n for c, s, n in some) / sum(c for c, _, _ in some)


def judged(votes, first, known, grew, offered, leader, weight, level):
    """Who is judged, of whom there is too little, and the evidence over each rival and its bar."""
    whole = {arm: score_strata(votes, first, offered, weight, arm) for arm in offered}
    here = {arm for arm in offered if arm in first and all(arm in vote[0] for vote in votes)}
    few = [arm for arm in offered if arm not in here and sum(n for *_, n in whole[arm]) < 30]
    apart = few if len(offered) - len(few) >= 2 else []
    among = [arm for arm in offered if arm not in apart]
    parts = {arm: score_strata(votes, first, among, weight, arm) for arm in among}
    scores = {arm: score(parts[arm]) for arm in among}
    front = leader if leader in among else max(among, key=lambda arm: scores[arm] or 0.0)
    own = level * math.exp(log_weight(among, first, known, grew))
    total = sum(weight[arm] for arm in among)
    shares = {arm: weight[arm] / total for arm in among}
    return {
        "among": among,
        "apart": apart,
        "front": front,
        "bar": math.log(len(among) / own),
        "evidence": {
            arm: log_gap(votes, first, among, shares, front, arm) for arm in among if arm != front
        },
        "enough": sum(n for *_, n in parts[front]) >= 30,
        "parts": parts,
        "scores": {arm: score(parts.get(arm, whole[arm])) for arm in offered},
        "each": own / len(among),
    }
