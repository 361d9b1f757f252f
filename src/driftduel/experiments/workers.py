"""Processes that work for this one and end with it, whatever ends it.

A worker is a Python process with a pipe each way: work comes in, results go out. Nothing else is
shared, no lock and no memory, so that a process that is killed leaves nothing behind. When this
process ends the pipe to a worker closes; the thread of the worker that waits for more work sees it
and ends the worker, also in the middle of compiled code. When a worker ends, this process sees the
other pipe close and knows what the worker was at.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import islice
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

_WAITING = 2
"""Pieces of work given out for every worker: one that it does, one that it need not wait for."""

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""Workers keep all cores busy; threads of numpy's libraries would only get in each other's way."""

_SERVE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from driftduel.experiments.workers import serve; serve()"
)

_SIZE = 8
"""Bytes that say how long a message is."""


class WorkerDiedError(Exception):
    """A worker ended while it had work to do; the message says how."""


def work(
    function: Callable[[Work], Result], items: Iterable[Work], workers: int
) -> Generator[tuple[Work, Result | WorkerDiedError]]:
    """Call a function for every item in processes, and yield results as they come.

    A worker that dies is replaced. What it was at is tried again, when everything else is done
    and memory is free; if a worker dies of it again, the error stands in for the result.

    Parameters
    ----------
    function : callable
        A function that a worker can import; what it raises ends the worker.
    items : iterable
        What to call it for; taken as results are.
    workers : int
        How many processes.
    """
    lost: list[Work] = []
    pending = iter(items)
    finished: SimpleQueue[Future[Result]] = SimpleQueue()
    under_way: dict[Future[Result], Work] = {}
    with closing(_Crew(workers)) as crew:
        while True:
            for item in islice(pending, _WAITING * workers - len(under_way)):
                future = crew.submit(function, item)
                under_way[future] = item
                future.add_done_callback(finished.put)
            if not under_way:
                break
            future = finished.get()
            item = under_way.pop(future)
            result = _result(future)
            if isinstance(result, WorkerDiedError):
                lost.append(item)
            else:
                yield item, result
        for item in lost:
            yield item, _result(crew.submit(function, item))


def serve() -> None:
    """Do work in a worker: read calls from standard input and write what they return."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    calls: SimpleQueue[bytes] = SimpleQueue()
    pipe = os.fdopen(os.dup(0), "rb")
    # What a library prints must not get among the results.
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def listen() -> None:
        try:
            while True:
                calls.put(_receive(pipe))
        finally:
            os._exit(0)

    Thread(target=listen, daemon=True).start()
    _send(results, b"ready")
    while True:
        function, item = pickle.loads(calls.get())
        _send(results, pickle.dumps(function(item), pickle.HIGHEST_PROTOCOL))


class _Worker:
    """A process that does one thing after another."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**_ONE_THREAD, **os.environ},
            # An interrupt from the keyboard is for this process alone.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._calls, self._results = self._process.stdin, self._process.stdout
        self._ready = False

    def call(self, function: Callable[[Work], Result], item: Work) -> Result:
        try:
            if not self._ready:
                _receive(self._results)
                self._ready = True
            _send(self._calls, pickle.dumps((function, item), pickle.HIGHEST_PROTOCOL))
            answer = _receive(self._results)
        except (EOFError, OSError):
            code = self._process.wait()
            if not self._ready and code > 0:
                raise ValueError(
                    f"a worker could not start, it ended with code {code}; what it said is above"
                ) from None
            how = f"with code {code}" if code >= 0 else f"by {_signal(-code)}"
            raise WorkerDiedError(
                f"the process that worked on it was ended {how}, perhaps for want of memory"
            ) from None
        result: Result = pickle.loads(answer)
        return result

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._results.close()
        with suppress(BrokenPipeError):
            self._calls.close()


class _Crew:
    """Workers that are started when they are needed."""

    def __init__(self, size: int) -> None:
        self._threads = ThreadPoolExecutor(size)
        self._lock = Lock()
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._closed = False

    def submit(self, function: Callable[[Work], Result], item: Work) -> Future[Result]:
        return self._threads.submit(self._call, function, item)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.end()
        self._threads.shutdown(cancel_futures=True)

    def _call(self, function: Callable[[Work], Result], item: Work) -> Result:
        worker = self._take()
        try:
            result = worker.call(function, item)
        except BaseException:
            with self._lock:
                self._workers.discard(worker)
                worker.end()
            raise
        self._idle.append(worker)
        return result

    def _take(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise WorkerDiedError("it was not begun")
            if self._idle:
                return self._idle.pop()
            worker = _Worker()
            self._workers.add(worker)
            return worker


def _result(future: Future[Result]) -> Result | WorkerDiedError:
    try:
        return future.result()
    except WorkerDiedError as error:
        return error


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(_SIZE, "big"))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    size = int.from_bytes(_exactly(pipe, _SIZE), "big")
    return _exactly(pipe, size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
