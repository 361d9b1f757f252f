"""Predicting votes of days that were held out: the likely story beside the peers, on real logs.

python -m benchmarks predictions [--log NAME] [--peer NAME] [--limit SECONDS] [--clock].

A tenth of the days, drawn with a seed, is held out. Each peer is tuned on the training days: of its
settings the one with the least mean log loss on a tenth of those predicts the held-out days, from
all training days. Smoothers (kickscore, TrueSkill Through Time, whole-history rating) use votes
after a day too; filters (Glicko-2, openskill, Elo) those before it. Peers that know no side get the
log-odds of the left side's wins added. Ours has no prior knowledge: `votes.likely.story.tell` on
the training days, and the mean chance over its samples in the bin that is nearest. A tie counts as
half a win and half a loss. The geometric mean is of exp(log loss). Libraries for state spaces
(statsmodels, pykalman, filterpy) see votes as Gaussian, in weeks.

The peers have an environment of their own, .predictions-venv, made if it is missing. Answers are
kept in build/predictions, so that a run that was stopped goes on. CPU seconds are of one fit.

`--clock` times the story of the whole Premier League beside a fit of TrueSkill Through Time, both
with one setting and with the search for it, in turns on the same machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from driftduel.votes.likely.filtering import Constants, outcomes, run_filter
from driftduel.votes.likely.sampling import draw
from driftduel.votes.likely.story import Story, tell
from driftduel.worlds import datasets

HERE = Path(__file__).parent
SIDE = HERE / "_predictions_side.py"
HOME = HERE.parent / ".predictions-venv"
KEPT = HERE.parent / "build" / "predictions"
NEEDS = (
    "kickscore==0.2.0", "trueskillthroughtime==1.1.0", "whole-history-rating==3.7.1",
    "glicko2==2.1.0", "openskill==6.2.0", "elote==1.5.1", "choix==0.4.1", "statsmodels==0.15.0",
    "pykalman==0.11.2", "filterpy==2.0.0", "scipy", "setuptools<81",
)  # fmt: skip

YEAR = 365.25
SETTINGS: dict[str, list[dict[str, float]]] = {
    "elote": [{"k": k} for k in (4.0, 8.0, 16.0, 32.0)],
    "glicko2": [{"rd": rd, "volatility": v} for rd in (60.0, 120.0) for v in (0.003, 0.01, 0.03)],
    "choix": [{"alpha": a} for a in (0.1, 1.0)],
    "openskill": [{"sigma0": s, "tau": t} for s in (2.0, 8.0) for t in (0.02, 0.08, 0.3)],
    "kickscore": [
        {"variance": v, "lscale": years * YEAR} for v in (0.1, 0.4, 1.6) for years in (1.0, 4.0)
    ],
    "whr": [{"w2": w} for w in (1.0, 5.0, 20.0)],
    "trueskillthroughtime": [{"sigma0": s, "gamma": g} for s in (0.5, 1.5) for g in (0.005, 0.02)],
    **{
        library: [{"drift": q} for q in (0.0005, 0.002, 0.008, 0.03)]
        for library in ("statsmodels", "pykalman", "filterpy")
    },
}

Floats = NDArray[np.float64]


def logs() -> dict[str, dd.Log]:
    league = datasets.premier_league_log()
    return {
        "American League": datasets.american_league_log(),
        "Premier League": league,
        "its six big clubs": league.select(datasets.BIG_SIX),
        "Formula 1": datasets.formula_1_log(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--log", help="only this one")
    parser.add_argument("--peer", help="only this one, or 'none'")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds a fit may take")
    parser.add_argument("--clock", action="store_true", help="time ours and a peer instead")
    arguments = parser.parse_args(sys.argv[2:])
    if arguments.clock:
        _clock(datasets.premier_league_log())
        return
    losses: dict[str, dict[str, float]] = {}
    for name, log in logs().items():
        if arguments.log in (None, name):
            print(f"{name}: {log.n_votes:,} votes, {log.n_arms} arms", flush=True)
            losses[name] = _race(log, arguments.peer, arguments.limit)
    _means(losses)


def _means(losses: dict[str, dict[str, float]]) -> None:
    """Print the geometric mean of those that predicted every log."""
    everywhere = set.intersection(*(set(of) for of in losses.values()))
    if len(losses) > 1:
        print(f"all {len(losses)} logs, geometric mean of exp(log loss)")
        for who in sorted(everywhere, key=lambda who: sum(of[who] for of in losses.values())):
            mean = np.exp(np.mean([of[who] for of in losses.values()]))
            print(f"  {who:22s} {mean:.5f}")


def _race(log: dd.Log, only: str | None, limit: float) -> dict[str, float]:
    test = held_out(log, 0)
    train = log.rows(~test)
    asked = log.rows(test)
    found = {"coin": float(np.log(2))}
    began = time.process_time()
    found["driftduel"] = loss(ours(train, asked), asked)
    rows = [("driftduel", time.process_time() - began, "no prior knowledge")]
    for peer, settings in SETTINGS.items():
        if only not in (None, peer):
            continue
        inner = held_out(train, 1)
        tried = [
            (loss(told, train.rows(inner)), n)
            for n, setting in enumerate(settings)
            if (told := _peer(peer, setting, train.rows(~inner), train.rows(inner), limit)[0])
            is not None
        ]
        if tried:
            setting = settings[min(tried)[1]]
            told, seconds = _peer(peer, setting, train, asked, limit)
            if told is not None:
                found[peer] = loss(told, asked)
                rows.append((peer, seconds, json.dumps(setting)))
    for name, seconds, said in sorted(rows, key=lambda row: found[row[0]]):
        print(f"  {name:22s} {found[name]:.5f}  {seconds:8.1f} s  {said}", flush=True)
    return found


def held_out(log: dd.Log, seed: int) -> NDArray[np.bool_]:
    """Return the votes of a tenth of the days."""
    days = np.unique(log.time)
    chosen = np.random.default_rng(seed).random(len(days)) < 0.1
    return np.asarray(np.isin(log.time, days[chosen]))


def ours(train: dd.Log, asked: dd.Log) -> Floats:
    """Return the chance that the left arm wins each vote, the mean over samples."""
    story = _told(train)
    middle = (story.bins.first + story.bins.last) / 2
    after = np.clip(np.searchsorted(middle, asked.time), 1, max(len(middle) - 1, 1))
    after = np.minimum(after, len(middle) - 1)
    before = np.maximum(after - 1, 0)
    near = np.where(
        np.abs(middle[before] - asked.time) <= np.abs(middle[after] - asked.time), before, after
    )
    layout = story.filtered.layout
    found = np.empty(len(asked))
    for n, (b, left, right) in enumerate(zip(near, asked.left, asked.right, strict=True)):
        state = story.samples[:, b]
        gap = (state[:, left] - state[:, right]).astype(np.float64)
        if layout.sided:
            gap += state[:, layout.side]
        if layout.paired:
            sign = 1.0 if left < right else -1.0
            gap += sign * state[:, layout.pair_place[left, right]]
        found[n] = outcomes(gap, story.bins.ties)[0].mean()
    return found


def _told(log: dd.Log) -> Story:
    return tell(
        log.left,
        log.right,
        log.outcome,
        log.time,
        log.n_arms,
        count=log.count,
        dated=log.dated,
        sides=log.sides,
    )


def loss(told: Floats, asked: dd.Log) -> float:
    """Return the mean log loss of votes."""
    told = np.clip(told, 1e-6, 1 - 1e-6)
    each = asked.outcome * np.log(told) + (1 - asked.outcome) * np.log(1 - told)
    return float(-np.average(each, weights=asked.count))


def _clock(log: dd.Log) -> None:
    """Print CPU seconds of the whole log: ours and TrueSkill Through Time, in turns."""
    spent: dict[str, list[float]] = {"all constants": [], "one without jumps": []}
    fits = []
    for setting in SETTINGS["trueskillthroughtime"]:
        began = time.process_time()
        story = _told(log)
        _ = story.eras, story.since, story.bands_now
        spent["all constants"].append(time.process_time() - began)
        pool = story.filtered.pools[-1]
        calm = np.where(story.filtered.constants.jumps[pool.constants] > 0, -np.inf, pool.weight)
        at = pool.constants[[calm.argmax()]]
        constants = Constants(*(part[at] for part in story.filtered.constants))
        began = time.process_time()
        filtered = run_filter(story.bins, story.filtered.layout, constants, 10)
        story = Story(story.bins, filtered, draw(filtered, story.bins, len(story.samples)))
        _ = story.eras, story.since, story.bands_now
        spent["one without jumps"].append(time.process_time() - began)
        answer = _side("trueskillthroughtime", setting, log, log.rows(slice(1)), 3600.0)
        fits.append(float(json.loads(answer.stdout)["seconds"]))
    for name, seconds in spent.items():
        print(f"driftduel, {name:30} {np.median(seconds):6.2f} s")
    print(f"TrueSkill Through Time, one setting       {np.median(fits):6.2f} s")
    print(f"its {len(fits)} settings and a last fit           {sum(fits) + np.median(fits):6.2f} s")


def _peer(
    peer: str, settings: dict[str, float], train: dd.Log, asked: dd.Log, limit: float
) -> tuple[Any, float]:
    """Return what a peer tells of votes, and its CPU seconds; None if it failed or was late."""
    request = _request(peer, settings, train, asked)
    key = hashlib.sha256(SIDE.read_bytes() + request.encode()).hexdigest()[:24]
    kept = KEPT / f"{peer}-{key}.json"
    if not kept.exists():
        try:
            done = _side(peer, settings, train, asked, limit)
        except subprocess.TimeoutExpired:
            print(f"  {peer} {settings}: more than {limit:g} s", flush=True)
            return None, limit
        if done.returncode:
            print(f"  {peer} {settings}: {done.stderr.strip().splitlines()[-1]}", flush=True)
            return None, 0.0
        KEPT.mkdir(parents=True, exist_ok=True)
        new = kept.with_suffix(".new")
        new.write_text(done.stdout)
        new.replace(kept)
    answer = json.loads(kept.read_text())
    return np.array(answer["told"]), float(answer["seconds"])


def _request(peer: str, settings: dict[str, float], train: dd.Log, asked: dd.Log) -> str:
    return json.dumps(
        {
            "peer": peer,
            "settings": settings,
            "votes": [
                (float(at), int(left), int(right), float(won))
                for at, left, right, won in zip(
                    train.time, train.left, train.right, train.outcome, strict=True
                )
            ],
            "asked": [
                (float(at), int(left), int(right))
                for at, left, right in zip(asked.time, asked.left, asked.right, strict=True)
            ],
        }
    )


def _side(
    peer: str, settings: dict[str, float], train: dd.Log, asked: dd.Log, limit: float
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [_environment(), SIDE],
        input=_request(peer, settings, train, asked),
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )


def _environment() -> Path:
    """Return the Python of the peers, made if it is missing."""
    python = HOME / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDS], check=True)
    return python


if __name__ == "__main__":
    main()
