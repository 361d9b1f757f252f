"""Attacks on learner files: numbers and trees changed at random, read, and played on.

A worker process attacks the learners it is named and says before each attack which it is; whoever
started it sees a crash or a hang from outside, notes it, and starts another worker after it::

    NUMBA_BOUNDSCHECK=1 python -m tests.learners.fuzzing 0 5000 5000

attacks all learners with 5,000 changes of states and 5,000 of trees, starting from seed 0, and
prints what came of them.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from queue import Empty, Queue

import numpy as np

import driftduel as dd
from driftduel.learners.contract.storage import _checksum, as_payload
from driftduel.learners.contract.values import arrays_of
from tests.learners.variants import HASTY, QUICK, VARIANTS

TARGETS = {
    **VARIANTS,
    "all intervals": lambda n, t, seed: dd.MetaBosse(
        n, t, seed=seed, constants=QUICK, intervals="all"
    ),
    "no horizon": lambda n, t, seed: dd.MetaBosse(n, None, seed=seed, constants=QUICK),
    "restarts of all intervals": lambda n, t, seed: dd.learners.PeriodicRestart.of(
        dd.MetaBosse(n, 97, seed=seed, constants=QUICK, intervals="all"), every=97
    ),
    "restarts of DriftDuel": lambda n, t, seed: dd.learners.PeriodicRestart.of(
        dd.DriftDuel(n, t, seed=seed, calibration=HASTY), every=150
    ),
    "restarts of a detector": lambda n, t, seed: dd.learners.PeriodicRestart.of(
        dd.learners.MDB(n, t, seed=seed), every=97
    ),
    "a window of eliminations": lambda n, t, seed: dd.learners.SlidingWindow.of(
        dd.learners.RRDB(n, t, seed=seed), window=60, every=20
    ),
    "restarts of a window": lambda n, t, seed: dd.learners.PeriodicRestart.of(
        dd.learners.SlidingWindow.of(dd.learners.RUCB(n, t, seed=seed), window=50, every=7),
        every=97,
    ),
}

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds after which an attack counts as a hang; most take milliseconds."""

TIME_TO_COMPILE = 3600

AGES = (0, 3, 60, 400)
"""Rounds after which learners are attacked."""


# What can be changed

WHOLE = (-1, 0, 1, 2, 3, 2**31, 2**62, -(2**63), 2**63 - 1)
REAL = (
    *(np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.0, -1.0, 2.0),
    5e-324,
    1e-300,
    1e16,
    1e308,
    -1e308,
)
THINGS = (
    *(None, True, False, -1, 0, 1, 2, 7, 10**9, 10**30, 0.5, 1e308, -0.0),
    *("", "x", "nan", "<i8", "|O", "<U5", "i8,f8", "(2,)f8", "|V999999999", "AAAA", "borda", "all"),
    *([], {}, [[]], [0], [-1], [10**12], [10**6, 10**6], {"list": []}, {"float": "nan"}),
    *({"float": "x"}, {"class": "Borda", "parameters": {}}, {"class": "RUCB", "parameters": {}}),
    {"class": "Uniform", "parameters": {"n_arms": 5}},
    {"class": "print", "parameters": {}},
    {"array": {"dtype": "<f8", "shape": [10**9, 10**9], "bytes": ""}},
    {"tuple": ["a", "b", "c", "d", "e"]},
)


def change_state(learner, chance):
    """Change one to three numbers of a state, or of the ticket of an open duel."""
    arrays = [array for _, array in arrays_of(learner._session.state) if array.size > 0]
    writeable = [array for array in arrays if array.flags.writeable]
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if learner._session.open and chance.random() < 0.1:
            number = chance.choice(list(learner._session.open))
            left, right, ticket = learner._session.open[number]
            place = chance.integers(len(ticket))
            value = float(chance.choice([*REAL, ticket[place] + 1, learner.n_arms]))
            ticket = (*ticket[:place], value, *ticket[place + 1 :])
            learner._session.open[number] = (left, right, ticket)
            continue
        array = writeable[chance.integers(len(writeable))]
        if array.dtype.names:
            array = array[str(chance.choice(array.dtype.names))]
        change_array(array, learner, chance)


def change_array(array, learner, chance):
    place = tuple(chance.integers(length) for length in array.shape)
    old = array[place]
    if array.dtype.kind == "b":
        array.view(np.uint8)[place] = chance.choice([not old, 0, 1, 2, 255])
        return
    how = chance.random()
    if how < 0.05:
        array[...] = old
    elif how < 0.1:
        array[...] = chance.permutation(array.reshape(-1)).reshape(array.shape)
    elif array.dtype.kind == "f":
        near = (old + 1, old - 1, old * 2, old / 2, -old, learner.n_arms, learner.rounds)
        with np.errstate(all="ignore"):
            array[place] = chance.choice([*REAL, *near])
    else:
        least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        arms, told = learner.n_arms, learner.rounds
        near = (old + 1, old - 1, -old, arms - 1, arms, arms + 1, told, told + 1, least, most)
        value = [*WHOLE, *map(int, near)][chance.integers(len(WHOLE) + len(near))]
        array[place] = min(max(value, least), most)


def change_tree(content, chance):
    """Change one to three places of a JSON tree; return the tree."""
    content = copy.deepcopy(content)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        places = list(places_of(content))
        # Parameters and the session's own numbers are few among the arrays.
        depth = chance.integers(1, 6)
        near = [place for place in places if len(place[2]) <= depth] or places
        holder, key, _ = near[chance.integers(len(near))]
        content_at(holder, key, chance)
    return content


def places_of(content, path=()):
    for key in content if isinstance(content, dict) else range(len(content)):
        yield content, key, (*path, key)
        if isinstance(content[key], dict | list):
            yield from places_of(content[key], (*path, key))


def content_at(holder, key, chance):
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    other = keys[chance.integers(len(keys))]
    old = holder[key]
    how = chance.integers(8)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key], holder[other] = holder[other], holder[key]
    elif how == 2 and isinstance(holder, dict):
        holder[str(chance.choice(["x", f"{key}s", other]))] = holder.pop(key)
    elif how == 3 and isinstance(holder, list):
        holder.append(copy.deepcopy(old))
    elif how == 4:
        holder[key] = {"list": [old]} if chance.random() < 0.5 else [old]
    elif isinstance(old, str) and old and chance.random() < 0.7:
        cut = chance.integers(len(old))
        letter = "ABCxyz019+/=<|"[chance.integers(14)]
        holder[key] = old[:cut] + letter * int(chance.integers(0, 2)) + old[cut + 1 :]
    elif isinstance(old, int | float) and chance.random() < 0.7:
        near = (old + 1, old - 1, -old, old * 1000, old * 10**12, str(old), float(old))
        holder[key] = near[chance.integers(len(near))]
    else:
        holder[key] = copy.deepcopy(THINGS[chance.integers(len(THINGS))])


# One attack


def aged(variant, age, seed):
    """Return a learner after some rounds, with open duels."""
    n_arms = 2 + seed % 4
    learner = TARGETS[variant](n_arms, 500, seed)
    chance = np.random.default_rng(seed)
    for number in range(age):
        duel = learner.ask()
        if number % 20 != 7:
            learner.tell(duel, vote(duel, chance))
    for _ in range(3):
        learner.ask()
    return learner


def vote(duel, chance):
    if chance.random() < 0.1 or not duel.is_vote:
        return 0.5
    return float(chance.random() < 0.5 + 0.3 * np.sign(duel.right - duel.left))


def attack(variant, kind, seed, file):
    """Return what came of a changed file: "refused", "played", or what went wrong."""
    chance = np.random.default_rng([seed, kind == "tree"])
    learner = aged(variant, int(chance.choice(AGES)), seed)
    if kind == "state":
        if chance.random() < 0.2:  # the ranges of counts are wide for who claims to be old
            more = int(chance.choice([1000, 2**31, 2**47]))
            learner._session.asked += more
            learner._session.told += more
        change_state(learner, chance)
    content = as_payload(learner)
    if kind == "tree":
        content = change_tree(json.loads(json.dumps(content)), chance)
    try:
        content = {**content, "checksum": _checksum(content)}
    except ValueError:
        content = {**content, "checksum": ""}
    file.write_text(json.dumps(content))
    try:
        learner = dd.load_learner(file)
    except ValueError as error:
        sentence = str(error)
        good = sentence.startswith(f"{file.name}: ") and "\n" not in sentence
        return "refused" if good else f"no sentence: {sentence!r}"
    except Exception as error:
        return f"traceback when read: {error!r}"
    try:
        return play_on(learner, chance, file)
    except IndexError as error:
        return f"out of bounds: {error!r}"
    except Exception as error:
        return f"traceback when played: {error!r}"


def play_on(learner, chance, file, n_rounds=200):
    learner.limit_open()  # a changed limit may well be met
    for duel in learner.open_duels[:20]:
        if not may_go_on(learner):
            break
        if not all(0 <= arm < learner.n_arms for arm in (duel.left, duel.right)):
            return f"no arms: open {duel}"
        learner.tell(duel, vote(duel, chance))
    for _ in range(n_rounds):
        if not may_go_on(learner):
            break
        duel = learner.ask()
        if not all(0 <= arm < learner.n_arms for arm in (duel.left, duel.right)):
            return f"no arms: {duel}"
        if chance.random() < 0.95:
            learner.tell(duel, vote(duel, chance))
    assert str(learner.report())
    named = [learner.best(), *learner.active.tolist()]
    for eviction in learner.evictions:
        named += [eviction.arm, eviction.beaten_by]
    named += [activation.arm for activation in learner.activations]
    if not all(0 <= arm < learner.n_arms for arm in named):
        return f"no arms: {named}"
    learner.save(file)
    dd.load_learner(file)
    return "played"


def may_go_on(learner):
    try:
        learner._check_horizon(learner.rounds + 1)
    except ValueError:
        return False
    return True


# Many attacks


def attacks(variants, first, n_states, n_trees):
    """Return (variant, kind, seed) of the attacks, shared out evenly among variants."""
    kinds = ["state"] * n_states + ["tree"] * n_trees
    order = [(variants[n % len(variants)], kind, first + n) for n, kind in enumerate(kinds)]
    return sorted(order, key=lambda one: variants.index(one[0]))


def work():
    """Attack as the lines of standard input say, each a JSON list; answer each with a line."""
    with tempfile.TemporaryDirectory() as folder:
        warm = set()
        for line in sys.stdin:
            variant, kind, seed = json.loads(line)
            if variant not in warm:  # so that compiling does not count as a hang
                warm.add(variant)
                print("warming", flush=True)
                chance = np.random.default_rng(0)
                play_on(aged(variant, 100, 0), chance, Path(folder) / "warm.json")
                print("warm", flush=True)
            file = Path(folder) / "learner.json"
            print(json.dumps(attack(variant, kind, seed, file)), flush=True)


def run(todo, **environment):
    """Make attacks in worker processes; return how many came to what, and all that went wrong."""
    counts, wrong = Counter(), []
    todo = list(todo)
    while todo:
        done = _run_worker(todo, counts, wrong, {**os.environ, **environment})
        todo = todo[done:]
    return counts, wrong


def _run_worker(todo, counts, wrong, environment):
    """Make attacks until one kills the worker; return how many were made."""
    command = (sys.executable, "-W", "ignore", "-c", "import tests.learners.fuzzing as f; f.work()")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as worker:
        answers = Queue()
        threading.Thread(target=_read, args=(worker.stdout, answers), daemon=True).start()
        for number, one in enumerate(todo):
            worker.stdin.write(json.dumps(one) + "\n")
            worker.stdin.flush()
            answer = _answer(worker, answers)
            counts[answer.split(":")[0]] += 1
            if answer not in ("refused", "played"):
                wrong.append((*one, answer))
            if answer.startswith(("crash", "hang")):
                return number + 1
        worker.stdin.close()
    return len(todo)


def _answer(worker, answers):
    patience = PATIENCE
    while True:
        try:
            line = answers.get(timeout=patience)
        except Empty:
            worker.kill()
            return "hang"
        if line is None:
            return f"crash: {worker.wait()}"
        if line == "warming\n":
            patience = TIME_TO_COMPILE
        elif line == "warm\n":
            patience = PATIENCE
        else:
            return json.loads(line)


def _read(stream, answers):
    for line in stream:
        answers.put(line)
    answers.put(None)


if __name__ == "__main__":
    first, n_states, n_trees = map(int, sys.argv[1:4])
    names = [name for name in TARGETS if not sys.argv[4:] or name in sys.argv[4:]]
    counts, wrong = run(attacks(names, first, n_states, n_trees))
    for one in wrong:
        print(*one)
    print(dict(counts))
