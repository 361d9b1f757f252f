"""The tables of the arena. The events are the truth; duels are what is open, snapshots a cache."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from driftduel.arena.store.migrations import SCHEMA, Dialect, checked, migrate

metadata = sa.MetaData()

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

arena = sa.Table(
    "arena",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("slug", sa.Text, nullable=False, unique=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("head", sa.BigInteger, nullable=False),  # the seq of the last event
    sa.Column("generation", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("rules", sa.Integer, nullable=False),
)

access = sa.Table(
    "access",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("arena", sa.ForeignKey("arena.id"), nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index("access_by_arena", "arena"),
)

arm = sa.Table(
    "arm",
    metadata,
    sa.Column("arena", sa.ForeignKey("arena.id"), primary_key=True),
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("slug", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("offered", sa.Boolean, nullable=False),
    sa.UniqueConstraint("arena", "slug"),
    sa.UniqueConstraint("arena", "name"),
)

card = sa.Table(
    "card",
    metadata,
    sa.Column("arena", sa.ForeignKey("arena.id"), primary_key=True),
    sa.Column("arm", sa.Integer, primary_key=True),
    sa.Column("context", sa.Text, primary_key=True),  # empty: for no context in particular
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("blob", sa.ForeignKey("blob.sha256")),
)

blob = sa.Table(
    "blob",
    metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("bytes", sa.LargeBinary, nullable=False),
)


def _duel_columns() -> list[sa.Column]:  # type: ignore[type-arg]
    """Return what a duel and the event that answers it have in common."""
    return [
        sa.Column("voter", sa.Text),
        sa.Column("left", sa.Integer, quote=True),
        sa.Column("right", sa.Integer, quote=True),
        sa.Column("swapped", sa.Boolean),
        sa.Column("ticket", sa.LargeBinary),  # little-endian doubles
        sa.Column("propensity", sa.Double),
        sa.Column("context", sa.Text),
        sa.Column("generation", sa.Integer),
        sa.Column("asked_at", sa.BigInteger),
    ]


duel = sa.Table(
    "duel",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("arena", sa.ForeignKey("arena.id"), nullable=False),
    *_duel_columns(),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Index("duel_by_expiry", "expires_at"),
    sqlite_with_rowid=False,
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("arena", sa.ForeignKey("arena.id"), primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("duel", sa.Text, unique=True),
    *_duel_columns(),
    sa.Column("verdict", sa.Text),
    sa.Column("reason", sa.Text),  # why a vote does not count
    sa.Column("target", sa.BigInteger),  # the seq of the vote that is taken back
    sa.Column("body", sa.JSON(none_as_null=True)),
    sa.UniqueConstraint("arena", "target"),
    sa.Index("event_by_voter", "arena", "voter", "kind", "at"),
    sqlite_with_rowid=False,
)
shown = sa.Table(
    "shown",
    metadata,
    sa.Column("arena", sa.ForeignKey("arena.id"), primary_key=True),
    sa.Column("day", sa.Integer, primary_key=True),  # since 1970
    sa.Column("left", sa.Integer, primary_key=True, quote=True),
    sa.Column("right", sa.Integer, primary_key=True, quote=True),
    sa.Column("n", sa.BigInteger, nullable=False),
)

snapshot = sa.Table(
    "snapshot",
    metadata,
    sa.Column("arena", sa.ForeignKey("arena.id"), primary_key=True),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("bytes", sa.LargeBinary, nullable=False),
)


def prepare(connection: sa.Connection) -> str:
    """Make the tables, or those of an older version new; check their version; return the salt.

    Raises
    ------
    ValueError
        If the tables are of a newer version.
    """
    dialect: Dialect = "sqlite"
    if connection.dialect.name == "postgresql":  # two processes may begin at once
        dialect = "postgresql"
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(7305441209)"))
    if not sa.inspect(connection).has_table("meta"):
        migrate(connection.exec_driver_sql, dialect, 0)
        connection.execute(sa.insert(meta).values(key="salt", value=secrets.token_hex(32)))
    found = {row.key: row.value for row in connection.execute(sa.select(meta))}
    try:
        version = checked(found["schema"])
    except ValueError as error:
        raise ValueError(f"the database {error}") from None
    if version < SCHEMA:
        migrate(connection.exec_driver_sql, dialect, version)
    return found["salt"]
