"""Votes as logged data of the Open Bandit Pipeline (``obp``), whose estimators then judge policies.

An ordered pair of arms is an action, number ``left K + right``; the outcome is its reward, and the
chance with which the pair was drawn is its propensity, which obp calls pscore.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.log import Log


def bandit_feedback(log: Log) -> dict[str, Any]:
    """Return a log with propensities as obp has it: the keys of its ``BanditFeedback``.

    A vote that stands for several is there so often. The context is the time alone.

    Examples
    --------
    >>> log = Log(["tea", "milk"], [0, 1], [0, 1], [1, 0], [1, 0.5], propensity=[0.25, 0.5])
    >>> data = bandit_feedback(log)
    >>> data["action"].tolist(), data["reward"].tolist(), data["pscore"].tolist()
    ([1, 2], [1.0, 0.5], [0.25, 0.5])
    """
    if log.propensity is None:
        raise ValueError(
            "the log has no propensities, the chance with which each pair was shown: obp needs them"
        )
    rows = np.repeat(np.arange(len(log)), log.count.astype(np.int64))
    actions = log.n_arms**2
    return {
        "n_rounds": len(rows),
        "n_actions": actions,
        "context": log.time[rows, None],
        "action_context": np.eye(actions),
        "action": (log.left * log.n_arms + log.right)[rows],
        "position": np.zeros(len(rows), np.int64),
        "reward": log.outcome[rows],
        "pscore": log.propensity[rows],
    }


def against_anybody(log: Log, arm: str) -> NDArray[np.float64]:
    """Return the policy whose value is the Borda score of an arm, as obp has an ``action_dist``.

    It shows the arm left, against an arm drawn at random, itself among them.

    Examples
    --------
    >>> log = Log(["tea", "milk"], [0], [0], [1], [1], propensity=[0.25])
    >>> against_anybody(log, "milk")[0, :, 0].tolist()
    [0.0, 0.0, 0.5, 0.5]
    """
    if arm not in log.arms:
        raise ValueError(f"arm is {arm!r}, must be one of {', '.join(log.arms)}")
    chances = np.zeros((log.n_arms, log.n_arms))
    chances[log.arms.index(arm)] = 1 / log.n_arms
    rounds = int(log.count.sum())
    return np.broadcast_to(chances.reshape(1, -1, 1), (rounds, log.n_arms**2, 1))
