"""What the tests have workers do: functions that a process can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from numba import njit

from driftduel.experiments.tasks import Failure, attempt


def square(number):
    print("this is no result")
    return number * number


def die_once(file):
    """Die the first time, and say so in a file."""
    if not Path(file).exists():
        Path(file).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def die_of_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def exit_of_three(number):
    if number == 3:
        os._exit(7)
    return number


def compute_for_ever(folder):
    """Say which process this is and get lost in compiled code."""
    (Path(folder) / str(os.getpid())).touch()
    return _count_up(10**18)


@njit(nogil=True)
def _count_up(end):
    total = 0
    for number in range(end):
        total += number & total
    return total


def sleep_after_the_first(number):
    if number:
        time.sleep(3600)
    return number


def is_chosen(task):
    """Tell whether this is the one task of `SMALL` that the tests let go wrong."""
    return task.learner == "Uniform" and '"n_arms": 4' in task.source.parameters


def attempt_or_fail(task, stream=None):
    if is_chosen(task):
        return Failure("ArithmeticError: too much", "Traceback: it was too much")
    return attempt(task, stream)


def attempt_or_die(task, stream=None):
    if is_chosen(task):
        os.kill(os.getpid(), signal.SIGKILL)
    return attempt(task, stream)


def attempt_or_die_as(task, expected, stream=None):
    return attempt_or_die(task, stream)
