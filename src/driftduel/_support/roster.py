"""Every learner and where it lives: the one place where a new learner is listed.

Nothing imports this at run time. `driftduel._support.registry` reads the names in it, type
checkers and editors follow them.
"""

# ruff: noqa: PLC0414, the form in which names are handed on

from driftduel.learners.driftduel.learner import DriftDuel as DriftDuel
from driftduel.learners.driftpoll.learner import DriftPoll as DriftPoll
from driftduel.learners.paper.anaconda import Anaconda as Anaconda
from driftduel.learners.paper.anaconda import MetaSwift as MetaSwift
from driftduel.learners.paper.bosse import Bosse as Bosse
from driftduel.learners.paper.bosse import MetaBosse as MetaBosse
from driftduel.learners.rivals.active_ranking import ActiveRanking as ActiveRanking
from driftduel.learners.rivals.adaptive_gates import ADSWITCH as ADSWITCH
from driftduel.learners.rivals.adaptive_gates import MASTER as MASTER
from driftduel.learners.rivals.baselines import FixedPair as FixedPair
from driftduel.learners.rivals.baselines import Uniform as Uniform
from driftduel.learners.rivals.beat_the_mean import BeatTheMean as BeatTheMean
from driftduel.learners.rivals.borda import BCB as BCB
from driftduel.learners.rivals.borda import BordaETC as BordaETC
from driftduel.learners.rivals.borda_elimination import BordaElimination as BordaElimination
from driftduel.learners.rivals.borda_elimination import (
    SparseBordaElimination as SparseBordaElimination,
)
from driftduel.learners.rivals.borda_maxing import BordaMaxing as BordaMaxing
from driftduel.learners.rivals.borda_maxing import BordaRanking as BordaRanking
from driftduel.learners.rivals.ccb import CCB as CCB
from driftduel.learners.rivals.detection import DETECT as DETECT
from driftduel.learners.rivals.detection import MDB as MDB
from driftduel.learners.rivals.dex3 import DEX3P as DEX3P
from driftduel.learners.rivals.dex3 import DEX3S as DEX3S
from driftduel.learners.rivals.dex3 import BordaDEX3S as BordaDEX3S
from driftduel.learners.rivals.ecw import ECWRMED as ECWRMED
from driftduel.learners.rivals.elimination import RRDB as RRDB
from driftduel.learners.rivals.elimination import SAVAGE as SAVAGE
from driftduel.learners.rivals.exponential import DEXP3 as DEXP3
from driftduel.learners.rivals.exponential import DEXP3HP as DEXP3HP
from driftduel.learners.rivals.exponential import DEXP3S as DEXP3S
from driftduel.learners.rivals.exponential_variants import AnytimeDEXP3 as AnytimeDEXP3
from driftduel.learners.rivals.exponential_variants import Rexp3Borda as Rexp3Borda
from driftduel.learners.rivals.features import BETCGLM as BETCGLM
from driftduel.learners.rivals.features import BEXP3 as BEXP3
from driftduel.learners.rivals.forgetting import DiscountedBordaGreedy as DiscountedBordaGreedy
from driftduel.learners.rivals.forgetting import DiscountedBordaUCB as DiscountedBordaUCB
from driftduel.learners.rivals.forgetting import SlidingBordaGreedy as SlidingBordaGreedy
from driftduel.learners.rivals.forgetting import SlidingBordaUCB as SlidingBordaUCB
from driftduel.learners.rivals.forgetting_condorcet import (
    DiscountedCondorcetGreedy as DiscountedCondorcetGreedy,
)
from driftduel.learners.rivals.forgetting_condorcet import DiscountedRUCB as DiscountedRUCB
from driftduel.learners.rivals.forgetting_condorcet import SlidingRUCB as SlidingRUCB
from driftduel.learners.rivals.forgetting_thompson import DiscountedDTS as DiscountedDTS
from driftduel.learners.rivals.forgetting_thompson import SlidingDTS as SlidingDTS
from driftduel.learners.rivals.gates import Gate as Gate
from driftduel.learners.rivals.gates import UniformOpponent as UniformOpponent
from driftduel.learners.rivals.hamming import HammingLUCB as HammingLUCB
from driftduel.learners.rivals.interleaved_filter import InterleavedFilter as InterleavedFilter
from driftduel.learners.rivals.matches import Knockout as Knockout
from driftduel.learners.rivals.matches import SeqEliminate as SeqEliminate
from driftduel.learners.rivals.oracle import Oracle as Oracle
from driftduel.learners.rivals.reductions import Doubler as Doubler
from driftduel.learners.rivals.reductions import MultiSBM as MultiSBM
from driftduel.learners.rivals.restarts import PeriodicRestart as PeriodicRestart
from driftduel.learners.rivals.restarts import SlidingWindow as SlidingWindow
from driftduel.learners.rivals.rex3 import REX3 as REX3
from driftduel.learners.rivals.rmed import RMED1 as RMED1
from driftduel.learners.rivals.rmed import RMED2FH as RMED2FH
from driftduel.learners.rivals.rucb import RUCB as RUCB
from driftduel.learners.rivals.rucb import MergeRUCB as MergeRUCB
from driftduel.learners.rivals.savage import BordaSAVAGE as BordaSAVAGE
from driftduel.learners.rivals.savage import CopelandSAVAGE as CopelandSAVAGE
from driftduel.learners.rivals.scb import SCB as SCB
from driftduel.learners.rivals.sparring import SelfSparring as SelfSparring
from driftduel.learners.rivals.sparring import SparringEXP3 as SparringEXP3
from driftduel.learners.rivals.sparring import SparringThompson as SparringThompson
from driftduel.learners.rivals.sparring import SparringUCB as SparringUCB
from driftduel.learners.rivals.thompson import DTS as DTS
from driftduel.learners.rivals.thompson import DTSPlus as DTSPlus
from driftduel.learners.rivals.ucbts import UCBTS as UCBTS
from driftduel.learners.rivals.versatile import VersatileDB as VersatileDB
from driftduel.learners.rivals.von_neumann import ExperimentalVonNeumann as ExperimentalVonNeumann
from driftduel.learners.rivals.winner_stays import BeatTheWinnerReset as BeatTheWinnerReset
from driftduel.learners.rivals.winner_stays import (
    BeatTheWinnerResetStrong as BeatTheWinnerResetStrong,
)
from driftduel.learners.rivals.winner_stays import WinnerStays as WinnerStays
from driftduel.learners.rivals.winner_stays import WinnerStaysStrong as WinnerStaysStrong
