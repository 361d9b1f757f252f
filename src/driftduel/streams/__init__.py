"""The world: streams of preference matrices, synthetic ones and ones from real votes."""

from driftduel.streams.stream import Stream

__all__ = ["Stream"]
