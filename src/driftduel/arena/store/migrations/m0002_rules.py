"""The row of an arena names its learner and the version of its rules.

The indices of events were others at first, under the same version: they are made again.
"""

STATEMENTS = (
    "ALTER TABLE arena ADD COLUMN learner TEXT NOT NULL DEFAULT 'DriftPoll'",
    "ALTER TABLE arena ADD COLUMN rules INTEGER NOT NULL DEFAULT 1",
    "DROP INDEX IF EXISTS event_rare",
    "DROP INDEX IF EXISTS event_by_voter",
    "CREATE INDEX event_by_voter ON event (arena, voter, kind, at)",
)
