CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE arena (
    id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    question TEXT NOT NULL,
    settings JSON NOT NULL,
    seed BIGINT NOT NULL,
    status TEXT NOT NULL,
    head BIGINT NOT NULL,
    generation INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (slug)
);

CREATE TABLE access (
    hash TEXT NOT NULL,
    arena INTEGER NOT NULL,
    role TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (hash),
    FOREIGN KEY (arena) REFERENCES arena (id)
);

CREATE INDEX access_by_arena ON access (arena);

CREATE TABLE arm (
    arena INTEGER NOT NULL,
    id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    offered BOOLEAN NOT NULL,
    PRIMARY KEY (arena, id),
    UNIQUE (arena, slug),
    UNIQUE (arena, name),
    FOREIGN KEY (arena) REFERENCES arena (id)
);

CREATE TABLE blob (
    sha256 TEXT NOT NULL,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (sha256)
);

CREATE TABLE card (
    arena INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    context TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    blob TEXT,
    PRIMARY KEY (arena, arm, context),
    FOREIGN KEY (arena) REFERENCES arena (id),
    FOREIGN KEY (blob) REFERENCES blob (sha256)
);

CREATE TABLE duel (
    id TEXT NOT NULL,
    arena INTEGER NOT NULL,
    voter TEXT,
    "left" INTEGER,
    "right" INTEGER,
    swapped BOOLEAN,
    ticket BLOB,
    propensity DOUBLE,
    context TEXT,
    generation INTEGER,
    asked_at BIGINT,
    version BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY (arena) REFERENCES arena (id)
) WITHOUT ROWID;

CREATE INDEX duel_by_expiry ON duel (expires_at);

CREATE TABLE event (
    arena INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    duel TEXT,
    voter TEXT,
    "left" INTEGER,
    "right" INTEGER,
    swapped BOOLEAN,
    ticket BLOB,
    propensity DOUBLE,
    context TEXT,
    generation INTEGER,
    asked_at BIGINT,
    verdict TEXT,
    reason TEXT,
    target BIGINT,
    body JSON,
    PRIMARY KEY (arena, seq),
    UNIQUE (arena, target),
    UNIQUE (duel),
    FOREIGN KEY (arena) REFERENCES arena (id)
) WITHOUT ROWID;

CREATE TABLE shown (
    arena INTEGER NOT NULL,
    day INTEGER NOT NULL,
    "left" INTEGER NOT NULL,
    "right" INTEGER NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (arena, day, "left", "right"),
    FOREIGN KEY (arena) REFERENCES arena (id)
);

CREATE TABLE snapshot (
    arena INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    code TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (arena),
    FOREIGN KEY (arena) REFERENCES arena (id)
);

ALTER TABLE arena ADD COLUMN learner TEXT NOT NULL DEFAULT 'DriftPoll';

ALTER TABLE arena ADD COLUMN rules INTEGER NOT NULL DEFAULT 1;

DROP INDEX IF EXISTS event_rare;

DROP INDEX IF EXISTS event_by_voter;

CREATE INDEX event_by_voter ON event (arena, voter, kind, at);

ALTER TABLE arena ADD COLUMN chain TEXT NOT NULL DEFAULT '';

ALTER TABLE card ADD COLUMN html TEXT;

CREATE TABLE suggestion (
    arena INTEGER NOT NULL,
    name TEXT NOT NULL,
    voter TEXT NOT NULL,
    at BIGINT NOT NULL,
    declined BOOLEAN NOT NULL,
    PRIMARY KEY (arena, name),
    FOREIGN KEY (arena) REFERENCES arena (id)
);
