"""Made-up worlds, each a function of its parameters and a seed: stationary, switching, drifting.

The seed also draws which arm plays which part, so no arm is special by its number.
"""

from driftduel.worlds.synthetic.drifts import glm_drift as glm_drift
from driftduel.worlds.synthetic.drifts import handover as handover
from driftduel.worlds.synthetic.drifts import one_entry_drift as one_entry_drift
from driftduel.worlds.synthetic.drifts import random_features as random_features
from driftduel.worlds.synthetic.drifts import random_walk as random_walk
from driftduel.worlds.synthetic.drifts import sinusoidal as sinusoidal
from driftduel.worlds.synthetic.stationary import bradley_terry_luce as bradley_terry_luce
from driftduel.worlds.synthetic.stationary import one_winner as one_winner
from driftduel.worlds.synthetic.stationary import random_member as random_member
from driftduel.worlds.synthetic.stationary import random_utilities as random_utilities
from driftduel.worlds.synthetic.switches import alternation as alternation
from driftduel.worlds.synthetic.switches import bursts as bursts
from driftduel.worlds.synthetic.switches import one_winner_moves as one_winner_moves
from driftduel.worlds.synthetic.switches import spurious_switches as spurious_switches
from driftduel.worlds.synthetic.switches import switching as switching
from driftduel.worlds.synthetic.switches import turnover as turnover
from driftduel.worlds.synthetic.switches import wobble as wobble
