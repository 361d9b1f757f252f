"""CALIBRATED METABOSSE by the letter: every duel is kept, and all is counted anew from the list.

Where rounding could decide otherwise than in the learner, which adds up in another order, the
oracles raise `tests.naive.protocol.TooCloseError`.
"""
