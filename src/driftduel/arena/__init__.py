"""The arena: a voting service whose votes cannot be lost.

How to use it from a page, a route or a command: open a `Service` once for the process, and call the
functions of `driftduel.arena.service` with it. They may be called from many threads; they wait for
the database, so call them from threads, not from an event loop.

>>> import tempfile
>>> from driftduel.arena import service as arena
>>> with arena.Service.open(f"sqlite:{tempfile.mkdtemp()}/arena.db") as service:
...     made = arena.create_arena(service, "drinks", "Which is nicer?", ["tea", "coffee", "milk"])
...     asked = arena.ask(service, "drinks", voter="a cookie")
...     told = arena.tell(service, asked.duel, "a cookie", "left")
...     again = arena.tell(service, asked.duel, "a cookie", "left")
...     now = arena.status(service, "drinks")
>>> told.first, again.first, told.seq == again.seq
(True, False, True)
>>> sorted({asked.left.name, *told.reveal}) == sorted(told.reveal)
True

- What is refused is raised as one of `driftduel.arena.errors`: ``error.status`` is the status of
  HTTP (401, 403, 404, 409, 410, 422, 429, 503) and ``str(error)`` the sentence to send. Nothing
  else is raised for anything that a client sends; a page need not check input before.
- `tell` returns when the verdict is on the disk. ``Receipt.first`` tells 201 from 200. With
  ``wants_next=True`` the next duel is opened in the same transaction, in ``Receipt.next``.
- A voter is any text: a cookie, a header. Its keyed hash is stored. `check_token` is for owners,
  readers and embedders; origins are in ``Arena.settings.origins``, for the caller to check.
- `status` is as of the last event, ``Status.head``, which is for ETags. Times are microseconds
  since 1970.
- `Service.check_ready` is for /health/ready; ``service.writer.requests`` and ``.commits`` count
  for /metrics; `Buckets` limits how often an address may ask.
- `verify(service.store)` raises `driftduel.arena.errors.Violation` at the first broken promise.

Who has a server and wants to ask from a program takes `Client`.

Layers: web; service; store and replica; model and errors. The events in the database are the truth,
the learner of a process is a fold over them.
"""

from driftduel.arena.client import Client as Client
