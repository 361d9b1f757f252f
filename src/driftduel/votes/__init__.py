"""Votes: the one door for files of them, what they prove, and the world they tell of.

Names are imported on first use, so that `Log` alone stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.lazy import attach

if TYPE_CHECKING:
    from driftduel.verdict.causes import Cause as Cause
    from driftduel.verdict.causes import Release as Release
    from driftduel.votes.analyses import analyse as analyse
    from driftduel.votes.analysis import Analysis as Analysis
    from driftduel.votes.bandwidth import BandwidthChoice as BandwidthChoice
    from driftduel.votes.bandwidth import choose_bandwidth as choose_bandwidth
    from driftduel.votes.from_log import stream_from_log as stream_from_log
    from driftduel.votes.judges import Answers as Answers
    from driftduel.votes.likely.timeline import Timeline as Timeline
    from driftduel.votes.likely.timeline import timeline as timeline
    from driftduel.votes.log import Log as Log
    from driftduel.votes.matrices import read_matrix as read_matrix
    from driftduel.votes.noise import Band as Band
    from driftduel.votes.noise import LogMeasures as LogMeasures
    from driftduel.votes.noise import measure_log as measure_log
    from driftduel.votes.reading import read as read
    from driftduel.votes.reading import read_log as read_log
    from driftduel.votes.reliability import Weighed as Weighed
    from driftduel.votes.reliability import weigh_voters as weigh_voters
    from driftduel.votes.smoothing import YEAR as YEAR
    from driftduel.votes.smoothing import left_bias as left_bias
    from driftduel.votes.smoothing import smooth as smooth
    from driftduel.votes.squares import Matrix as Matrix

__getattr__, __dir__, __all__ = attach(__name__)
