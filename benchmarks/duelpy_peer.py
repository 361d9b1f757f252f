"""driftduel beside duelpy 1.0.0: mean regret on two matrices of the field, and rounds a second.

make bench-duelpy, or python -m benchmarks.duelpy_peer [--quick] [--seeds N] [--rounds T].

Both sides get the same parameters, the same matrices and the same number of rounds; when duelpy
has made up its mind it plays its winner against itself to the end, and so does driftduel. Regret
is Condorcet regret, the mean of the gaps of the two arms, counted here for both from the pairs
that were dueled. Two means agree if they differ by at most 3 standard errors of the difference;
with 48 comparisons, about one in eight such tables has a false alarm. Of the learners here duelpy
1.0.0 has neither Doubler nor MultiSBM.

Where duelpy departs from the paper, `_duelpy_repairs` puts it right, and the repaired algorithm is
compared too. duelpy needs an old numpy, so it gets an environment of its own, .duelpy-venv,
which is made if it is missing and needs Python 3.11. Its plays are kept in build/duelpy.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftduel as dd

HERE = Path(__file__).parent
SIDE = HERE / "_duelpy_side.py"
REPAIRS = HERE / "_duelpy_repairs.py"
HOME = HERE.parent / ".duelpy-venv"
KEPT = HERE.parent / "build" / "duelpy"
NEEDS = ("duelpy==1.0.0", "numpy==1.23.5", "scipy<1.12", "pandas<2.1", "seaborn<0.13")

MATRICES = ("six_rankers", "arithmetic")
APART = 3.0
"""Standard errors of the difference beyond which two means do not agree."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One algorithm on both sides, with what is known of the differences."""

    name: str
    learner: Callable[[int, int], dd.Learner]
    algorithm: str
    arguments: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    repair: str = ""
    note: str = ""
    most_rounds: int = 10**9
    """Rounds of a run at most, for an algorithm that duelpy takes long for."""


def learner(name: str, **parameters: Any) -> Callable[[int, int], dd.Learner]:
    def make(n_arms: int, horizon: int) -> dd.Learner:
        return dd.all_learners()[name](n_arms, horizon, **parameters)

    return make


# Constants are chosen so that arms are dropped within the horizon, equal on both sides: duelpy's
# gamma enters as 3 gamma^2, its factor of the radius is twice ours.
CASES = (
    Case(
        "RUCB",
        learner("RUCB", alpha=0.51),
        "RelativeUCB",
        {"exploratory_constant": 0.51},
        note="duelpy asks whether an outcome is below 0, but outcomes are True and False, so its "
        "champion wins every duel; the champion may not be its own challenger, which Zoghi et al. "
        "exclude only where arms tie; and bounds above 1 count as 1. All put right.",
    ),
    Case(
        "D-TS",
        learner("DTS", alpha=0.51),
        "DoubleThompsonSampling",
        {"exploratory_constant": 0.51},
        note="duelpy reads rows where columns are meant: the challenger is the arm that the "
        "champion beats most clearly, not the arm that beats the champion. Put right.",
    ),
    Case(
        "RMED1",
        learner("RMED1"),
        "Rmed1",
        note="duelpy keeps one of the arms that seem to beat the one whose turn it is, and uses "
        "it for the divergence of every arm; Komiyama et al. sum over all arms that seem to beat "
        "the arm itself. Put right.",
    ),
    Case(
        "MergeRUCB",
        learner("MergeRUCB", alpha=1.01, batch_size=4, failure=0.01),
        "MergeRUCB",
        {"exploratory_constant": 1.01, "partition_size": 4, "failure_probability": 0.01},
        note="duelpy's code fails with a KeyError when two arms of a batch beat a third at once; "
        "put right. Runs that failed, if any, are left out and counted in the table. Batches "
        "differ: with 8 arms duelpy starts with 5 and 3, driftduel with 4 and 4.",
    ),
    Case(
        "Beat the Mean",
        learner("BeatTheMean", gamma=1.0, scale=0.3),
        "BeatTheMeanBandit",
        {"gamma": math.sqrt(0.1)},
        note="when an arm leaves, duelpy takes the counts of its own duels from the others instead "
        "of theirs against it, and never their wins; arms that have left still count for the best "
        "rate; and an arm never meets itself, though it is part of the mean. Put right.",
    ),
    Case(
        "Interleaved Filter",
        learner("InterleavedFilter", scale=0.5),
        "InterleavedFiltering",
        settings={"preference_estimate.confidence_radius.factor": 1.0},
        note="neither departs: duelpy has IF1 of Yue et al., driftduel IF2, which also drops whom "
        "the old candidate has beaten more often than not. Put right means made IF2.",
    ),
    Case(
        "SAVAGE",
        learner("SAVAGE", delta=0.5),
        "Savage",
        {"failure_probability": 0.5},
        note="duelpy divides by the factor of the union bound where Urvoy et al. multiply, so its "
        "radius is always 0 and a pair decided by one duel; and it has the test for Copeland "
        "winners, driftduel the one for Condorcet winners. Both put right.",
    ),
    Case(
        "SAVAGE, Copeland",
        learner("CopelandSAVAGE", delta=0.5),
        "Savage",
        {"failure_probability": 0.5},
        repair="SavageCopeland",
        note="the radius is as above, and put right; then arms that can at best draw level with "
        "another are out for duelpy, for driftduel when they cannot. Put right too.",
    ),
    Case(
        "Seq-Eliminate",
        lambda n_arms, horizon: dd.learners.SeqEliminate(
            n_arms, horizon, epsilon=0.2, failure=0.02 * n_arms
        ),
        "SequentialElimination",
        {"failure_probability": 0.02, "epsilon_upper": 0.2},
    ),
    Case(
        "Knockout",
        learner("Knockout", epsilon=0.9, failure=0.3),
        "KnockoutTournament",
        {"epsilon": 0.9, "failure_probability": 0.3, "stochasticity": 1.0},
        note="duelpy lets every arm meet every other one in each round and all who win once go "
        "on, where Falahatgar et al. pair the arms at random; and the radius has the failure "
        "probability of the whole, not of the round. Put right.",
    ),
    Case(
        "ECW-RMED",
        learner("ECWRMED", alpha=3.0, beta=0.01),
        "CwRmed",
        {"exploratory_constant": 3.0, "regret_bound_constant": 0.01},
        note="duelpy has CW-RMED, the version that is dearer to compute. It asks for rates near 0 "
        "where Komiyama et al. ask for rates near 1/2, counts what is proven against a winner, "
        "gives each program one condition of many, and passes over its errors. Put right, and made "
        "the version that is cheap to compute.",
        most_rounds=1000,
    ),
    Case(
        "Winner Stays, weak",
        learner("WinnerStays"),
        "WinnerStaysWeakRegret",
    ),
    Case(
        "Winner Stays, strong",
        learner("WinnerStaysStrong", growth=1.05),
        "WinnerStaysStrongRegret",
        {"exploitation_factor": 1.05},
        note="duelpy rests after every duel; in Chen & Frazier a rest follows a stage, which ends "
        "when an arm has (K - 1) l wins more than losses. Put right.",
    ),
)


def compare() -> None:
    parser = argparse.ArgumentParser(description="driftduel beside duelpy")
    parser.add_argument("--seeds", type=int, help="runs of each algorithm; 50, or 8 if quick")
    parser.add_argument("--rounds", type=int, help="rounds of a run; 5000, or 1000 if quick")
    parser.add_argument("--quick", action="store_true", help="few and short runs")
    parser.add_argument("--only", nargs="*", help="names of cases, as in the table")
    options = parser.parse_args()
    seeds = options.seeds or (8 if options.quick else 50)
    rounds = options.rounds or (1000 if options.quick else 5000)
    unknown = set(options.only or ()) - {case.name for case in CASES}
    if unknown:
        sys.exit(f"no case is called {min(unknown)!r}")
    python = environment()
    cases = [case for case in CASES if not options.only or case.name in options.only]
    regrets(python, cases, seeds, rounds)
    print()
    speeds(python, cases, 500 if options.quick else 3000)


def regrets(python: Path, cases: list[Case], seeds: int, rounds: int) -> None:
    print(f"Condorcet regret after {rounds:,} rounds, mean +- standard error over {seeds} seeds;")
    print(f"apart: the difference to driftduel in standard errors, agreement is at most {APART:g}")
    print()
    print("| algorithm | matrix | driftduel | duelpy | apart | duelpy put right | apart | |")
    print("|---|---|---:|---:|---:|---:|---:|---|")
    notes = []
    for case in cases:
        n_rounds = min(rounds, case.most_rounds)
        title = case.name if n_rounds == rounds else f"{case.name}, {n_rounds:,} rounds"
        for name in MATRICES:
            matrix = dd.worlds.datasets.matrix(name).P
            ours = played_here(case, matrix, n_rounds, seeds)
            theirs, lost = played_there(python, case, matrix, n_rounds, seeds, repaired=False)
            cells = [title, name, shown(ours), shown(theirs), f"{apart(ours, theirs):+.1f}"]
            verdict = "agree" if abs(apart(ours, theirs)) <= APART else "duelpy differs"
            if lost:
                verdict += f", {lost} of its runs failed"
            cells += ["", ""]
            if case.note:
                right, _ = played_there(python, case, matrix, n_rounds, seeds, repaired=True)
                cells[5:] = [shown(right), f"{apart(ours, right):+.1f}"]
                agree = abs(apart(ours, right)) <= APART
                verdict += "; put right: " + ("agree" if agree else "STILL APART")
                if case not in notes:
                    notes.append(case)
            print("| " + " | ".join([*cells, verdict]) + " |", flush=True)
    for case in notes:
        print(f"\n{case.name}: {case.note}")


def played_here(case: Case, matrix: Array, rounds: int, seeds: int) -> Array:
    """Return driftduel's regret of each seed."""
    player = case.learner(len(matrix), rounds)
    stream = dd.Stream.stationary(matrix, rounds)
    runs = dd.simulate_many(player, stream, range(seeds), points=1)
    return np.array([regret(run.plays, matrix) for run in runs])


def played_there(
    python: Path, case: Case, matrix: Array, rounds: int, seeds: int, *, repaired: bool
) -> tuple[Array, int]:
    """Return duelpy's regret of each seed that was played to the end, and how many were not."""
    results = kept(python, job(case, matrix, rounds, range(seeds), repaired=repaired))
    whole = [result for result in results if not result["error"]]
    if repaired and len(whole) < len(results):
        problems = {result["error"] for result in results} - {""}
        raise RuntimeError(f"duelpy's {case.algorithm}, put right, failed: {max(problems)}")
    plays = [np.array(result["plays"]) for result in whole]
    short = [play for play in plays if play.sum() != rounds]
    if short:
        raise RuntimeError(f"duelpy's {case.algorithm} played {short[0].sum()} of {rounds} rounds")
    return np.array([regret(play, matrix) for play in plays]), len(results) - len(whole)


def regret(plays: NDArray[np.int64], matrix: Array) -> float:
    """Return the Condorcet regret of how often each ordered pair was played."""
    gaps = dd.Condorcet().gaps(matrix)
    return float((plays * (gaps[:, None] + gaps) / 2).sum())


def apart(ours: Array, theirs: Array) -> float:
    """Return by how many standard errors of the difference the means differ."""
    if len(theirs) < 2:
        return math.nan
    error = math.hypot(standard_error(ours), standard_error(theirs))
    # Where nothing is random but the order among equals, the last few duels differ for ever.
    return float(theirs.mean() - ours.mean()) / max(error, 1e-3 * float(ours.mean()))


def shown(values: Array) -> str:
    return f"{values.mean():.1f} +- {standard_error(values):.1f}" if len(values) > 1 else "-"


def standard_error(values: Array) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def speeds(python: Path, cases: list[Case], rounds: int) -> None:
    """Print rounds a second of both sides, measured one after the other."""
    n_arms, long = 10, 10**5
    arms = np.arange(n_arms, dtype=np.float64)
    matrix = 0.5 + 0.05 * (arms - arms[:, None])
    print(f"rounds a second on the arithmetic matrix with K = {n_arms}, one core, processor time,")
    print(
        f"the best of 3; duelpy plays {rounds:,} rounds, as 10^5 would take it long; the ratio is"
    )
    print("of the rates at T = 10^5 and at duelpy's T; bar: at least 100")
    print()
    print(f"| algorithm | duelpy | driftduel, T = {long:,} | driftduel, T = {rounds:,} | ratios |")
    print("|---|---:|---:|---:|---:|")
    for case in cases:
        results = asked(python, job(case, matrix, rounds, range(3), repaired=False))
        times = [result["seconds"] for result in results if not result["error"]]
        theirs = rounds / min(times) if times else math.nan
        far, near = (
            rate(case.learner(n_arms, n), dd.Stream.stationary(matrix, n)) for n in (long, rounds)
        )
        ratios = f"{far / theirs:,.0f}, {near / theirs:,.0f}"
        print(
            f"| {case.name} | {theirs:,.0f} | {far:,.0f} | {near:,.0f} | {ratios} |",
            flush=True,
        )


def rate(player: dd.Learner, stream: dd.Stream) -> float:
    """Return the rounds that driftduel plays a second."""
    dd.simulate(player, stream[:1], points=1)
    repeats = max(1, 10**5 // stream.horizon)
    best = math.inf
    for _ in range(3):
        begin = time.thread_time()
        for seed in range(repeats):
            dd.simulate(player, stream, seed, points=1)
        best = min(best, time.thread_time() - begin)
    return repeats * stream.horizon / best


def job(case: Case, matrix: Array, rounds: int, seeds: range, *, repaired: bool) -> dict[str, Any]:
    """Return what duelpy's side has to know."""
    return {
        "algorithm": case.algorithm,
        "repair": case.repair or case.algorithm,
        "arguments": case.arguments,
        "settings": case.settings,
        "repaired": repaired,
        "matrix": matrix.tolist(),
        "horizon": rounds,
        "seeds": list(seeds),
    }


def kept(python: Path, asked_for: dict[str, Any]) -> list[dict[str, Any]]:
    """Return duelpy's plays, from the last time the same was asked for if there was one."""
    text = json.dumps([asked_for, NEEDS, SIDE.read_text(encoding="utf-8")])
    if asked_for["repaired"]:
        text += REPAIRS.read_text(encoding="utf-8")
    name = f"{asked_for['algorithm']}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    path = KEPT / name
    if not path.exists():
        results = asked(python, asked_for)
        KEPT.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(json.dumps(results), encoding="utf-8")
        path.with_suffix(".new").rename(path)
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def asked(python: Path, asked_for: dict[str, Any]) -> list[dict[str, Any]]:
    """Let duelpy play, out of the way of whoever else uses the machine."""
    gently = ["nice", "-n", "19"] if shutil.which("nice") else []
    done = subprocess.run(
        [*gently, str(python), str(SIDE)],
        input=json.dumps(asked_for),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"duelpy's side failed:\n{done.stderr}")
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def environment() -> Path:
    """Return the Python of duelpy's environment, made on first use."""
    python = HOME / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    stamp = HOME / ".installed"
    needs = "\n".join(NEEDS)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != needs:
        print(f"making {HOME.name} for duelpy", flush=True)
        if not python.exists():
            subprocess.run([python_311(), "-m", "venv", str(HOME)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *NEEDS]
        subprocess.run(install, check=True)
        stamp.write_text(needs, encoding="utf-8")
    return python


def python_311() -> str:
    """Return a Python that the last numpy duelpy works with was made for."""
    if sys.version_info[:2] == (3, 11):
        return sys.executable
    found = shutil.which("python3.11")
    if found is None:
        sys.exit("duelpy needs Python 3.11: numpy 1.23.5 knows no newer one")
    return found


if __name__ == "__main__":
    compare()
