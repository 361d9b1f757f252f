"""The same tasks on a Dask cluster: workers compute, this process writes.

Workers share no disk with this process. They make built-in worlds themselves, and get a stream
from a file once. Results come back as they finish, with a few tasks for every thread of the
cluster under way at any time. If a worker dies, Dask gives its tasks to another; a task that
several workers died of has failed.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from driftduel.experiments.tasks import (
    Failure,
    OtherCodeError,
    Row,
    Source,
    Task,
    attempt,
    check_code,
)
from driftduel.experiments.versions import package_version
from driftduel.worlds import Stream

_PER_THREAD = 3
_CONNECT = 20.0


class ForeignWorkerError(ValueError):
    """A worker has another version of the package, or of a learner, than this process."""


def on_cluster(tasks: Iterator[Task], address: str) -> Generator[tuple[Task, list[Row] | Failure]]:
    """Run tasks on the workers of a Dask scheduler and yield what comes of them, as it comes.

    Parameters
    ----------
    tasks : iterator of Task
        What to run.
    address : str
        The scheduler, as in ``tcp://10.0.0.1:8786``.

    Raises
    ------
    ValueError
        If the scheduler cannot be reached, has no worker, or a worker has another version of the
        package or of a learner from outside it.
    """
    with _without_logs(), _connect(address) as client:
        _check_workers(client, address)
        yield from _stream_results(client, tasks)


def attempt_as(task: Task, expected: str, stream: Stream | None = None) -> list[Row] | Failure:
    """Run a task in a worker, if it has the expected version of the package and of the learner."""
    from distributed import get_worker

    if package_version() != expected:
        raise ForeignWorkerError(_differs(get_worker().address, package_version(), expected))
    try:
        check_code(task)
    except OtherCodeError as error:
        raise ForeignWorkerError(
            f"the worker at {get_worker().address} is refused, {error}; install the same code and "
            "libraries there, start the worker again and repeat the command: what is finished is "
            "kept"
        ) from None
    return attempt(task, stream)


def version_here() -> str:
    """Return the version of the package where this is called: in a worker, that of the worker."""
    return package_version()


@contextmanager
def _without_logs() -> Iterator[None]:
    """Keep Dask from logging tracebacks of a lost connection, which an error reports."""
    with suppress(ImportError):
        # It sets the levels of its logs when it is first imported.
        import distributed  # noqa: F401
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def _connect(address: str) -> Any:
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError:
        raise ValueError(
            "--dask needs dask.distributed: pip install 'driftduel[cluster]'"
        ) from None
    try:
        get_address_host_port(address)
    except ValueError:
        raise ValueError(
            f"{address!r} is no address of a Dask scheduler, must be like tcp://10.0.0.1:8786"
        ) from None
    try:
        return Client(address, timeout=_CONNECT, set_as_default=False)
    except OSError as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"no Dask scheduler answers at {address}: {reason}") from None


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster in which a worker would compute with other code."""
    expected = package_version()
    found = client.run(version_here, on_error="return")
    if not found:
        raise ValueError(
            f"the scheduler at {address} has no worker; start one: dask worker {address}"
        )
    for worker, version in sorted(found.items()):
        if isinstance(version, BaseException):
            raise ForeignWorkerError(
                f"the worker at {worker} cannot run driftduel ({version}); install driftduel "
                f"{expected} there (pip install 'driftduel[cluster]'), start the worker again and "
                "repeat the command"
            )
        if version != expected:
            raise ForeignWorkerError(_differs(worker, version, expected))


def _differs(worker: str, version: str, expected: str) -> str:
    return (
        f"the worker at {worker} has driftduel {version}, this machine has {expected} (after the + "
        "is a hash of the code); install the same driftduel there, start the worker again and "
        "repeat the command: what is finished is kept"
    )


def _stream_results(
    client: Any, tasks: Iterator[Task]
) -> Generator[tuple[Task, list[Row] | Failure]]:
    from distributed import as_completed

    sent: dict[Source, Any] = {}
    under_way: dict[Any, Task] = {}
    running = as_completed(loop=client.loop)
    while True:
        try:
            threads = sum(client.nthreads().values())
        except OSError:
            raise _gone() from None
        for _ in range(_PER_THREAD * max(1, threads) - running.count()):
            task = next(tasks, None)
            if task is None:
                break
            future = _submit(client, task, sent)
            under_way[future] = task
            running.add(future)
        if running.is_empty():
            return
        future = next(running)
        yield under_way.pop(future), _outcome(future)
        future.release()


def _submit(client: Any, task: Task, sent: dict[Source, Any]) -> Any:
    stream = None
    if task.source.file is not None:
        if task.source not in sent:
            sent.clear()
            # Not scattered: what the scheduler knows how to make survives the death of a worker.
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sending large graph")
                sent[task.source] = client.submit(_itself, task.source.build(), pure=False)
        stream = sent[task.source]
    return client.submit(attempt_as, task, package_version(), stream, pure=False)


def _itself(stream: Stream) -> Stream:
    return stream


def _outcome(future: Any) -> list[Row] | Failure:
    from distributed import KilledWorker

    try:
        outcome: list[Row] | Failure = future.result()
        return outcome
    except CancelledError:
        raise _gone() from None
    except KilledWorker as error:
        reason = "every worker that was given it died of it, perhaps for want of memory"
        return Failure(reason, str(error))


def _gone() -> ValueError:
    return ValueError(
        "the Dask scheduler went away; what is finished is kept, start it again and repeat the "
        "command"
    )
