# mypy: ignore-errors
"""The peers of `benchmarks.predictions`, run in their own environment: one log and one setting.

Reads votes from standard input as JSON and prints the chance that the left arm wins each held-out
vote, and the seconds it took. Imports nothing of driftduel.
"""

import json
import math
import sys
import time


def sigma(x):
    return 1 / (1 + math.exp(-x))


def blend(points):
    """Return a value by time from (time, value) pairs: linear between, constant outside."""
    import bisect

    times = [at for at, _ in points]

    def value(at):
        n = bisect.bisect_left(times, at)
        if n == 0:
            return points[0][1]
        if n == len(points):
            return points[-1][1]
        (a, x), (b, y) = points[n - 1], points[n]
        return x + (y - x) * (at - a) / (b - a)

    return value


def kickscore(votes, asked, variance, lscale):
    import kickscore as ks

    model = ks.BinaryModel()
    names = {v[1] for v in votes} | {v[2] for v in votes}
    for name in names:
        kernel = ks.kernel.Constant(var=0.3) + ks.kernel.Exponential(var=variance, lscale=lscale)
        model.add_item(str(name), kernel=kernel)
    model.add_item("side", kernel=ks.kernel.Constant(var=0.3))
    for at, left, right, won in votes:
        # A tie is a win and a loss; all others count twice, so that they weigh alike.
        one, other = [str(left), "side"], [str(right)]
        if won == 0.5:
            model.observe(winners=one, losers=other, t=at)
            model.observe(winners=other, losers=one, t=at)
        else:
            pair = (one, other) if won else (other, one)
            model.observe(winners=pair[0], losers=pair[1], t=at)
    model.fit(max_iter=30)
    return [
        model.probabilities([str(left), "side"], [str(right)], t=at)[0] for at, left, right in asked
    ]


def trueskillthroughtime(votes, asked, sigma0, gamma):
    import trueskillthroughtime as ttt

    games, times = [], []
    for at, left, right, won in votes:
        one, other = [str(left), "side"], [str(right)]
        for left_won in {0.0: [0], 1.0: [1], 0.5: [0, 1]}[won]:
            games.append([one, other] if left_won else [other, one])
            times.append(int(at))
    names = {str(v[1]) for v in votes} | {str(v[2]) for v in votes}
    priors = {name: ttt.Player(ttt.Gaussian(0.0, sigma0), 1.0, gamma) for name in names}
    priors["side"] = ttt.Player(ttt.Gaussian(0.0, 1.0), 1.0, 0.0)
    history = ttt.History(games, times=times, priors=priors)
    history.convergence(epsilon=0.01, iterations=10, verbose=False)
    curves = history.learning_curves()
    mean = {name: blend([(t, g.mu) for t, g in curve]) for name, curve in curves.items()}
    var = {name: blend([(t, g.sigma**2) for t, g in curve]) for name, curve in curves.items()}
    found = []
    for at, left, right in asked:
        a, b = str(left), str(right)
        if a not in mean or b not in mean:
            found.append(0.5)
            continue
        gap = mean[a](at) + mean["side"](at) - mean[b](at)
        wide = math.sqrt(2 + var[a](at) + var[b](at))
        found.append(0.5 * math.erfc(-gap / wide / math.sqrt(2)))
    return found


def whr(votes, asked, w2):
    from whr import whole_history_rating

    base = whole_history_rating.Base(config={"w2": w2})
    for at, left, right, won in votes:
        for winner in {0.0: "W", 1.0: "B", 0.5: "BW"}[won]:
            base.create_game(str(left), str(right), winner, int(at), 0)
    base.iterate(20)
    side = side_of(votes)
    curves = {}
    for name in {str(v[1]) for v in votes} | {str(v[2]) for v in votes}:
        curves[name] = blend([(day, elo) for day, elo, _ in base.ratings_for_player(name)])
    return [
        sigma((curves[str(a)](at) - curves[str(b)](at)) * math.log(10) / 400 + side)
        if str(a) in curves and str(b) in curves
        else 0.5
        for at, a, b in asked
    ]


def side_of(votes):
    share = sum(v[3] for v in votes) / len(votes)
    return math.log(share / (1 - share))


def forward(votes, asked, predict, learn):
    """Go through votes and questions in the order of time; a question sees the votes before it."""
    found, n = [], 0
    for at, left, right in asked:
        while n < len(votes) and votes[n][0] < at:
            learn(*votes[n])
            n += 1
        found.append(predict(left, right))
    return found


def elote(votes, asked, k):
    from elote import EloCompetitor

    EloCompetitor.configure_class(k_factor=k)
    side = side_of(votes) * 400 / math.log(10)
    arms = {}

    def arm(name):
        return arms.setdefault(name, EloCompetitor(initial_rating=1500))

    def predict(left, right):
        return 1 / (1 + 10 ** ((arm(right).rating - arm(left).rating - side) / 400))

    def learn(at, left, right, won):
        a, b = arm(left), arm(right)
        if won == 1:
            a.beat(b)
        elif won == 0:
            b.beat(a)
        else:
            a.tied(b)

    return forward(votes, asked, predict, learn)


def glicko2(votes, asked, rd, volatility):
    from glicko2 import Player

    side = side_of(votes)
    arms = {}

    def arm(name):
        return arms.setdefault(name, Player(rating=1500, rd=rd, vol=volatility))

    def predict(left, right):
        a, b = arm(left), arm(right)
        wide = math.sqrt(a.rd**2 + b.rd**2) * math.log(10) / 400
        shrunk = 1 / math.sqrt(1 + 3 * wide**2 / math.pi**2)
        return sigma(shrunk * (a.rating - b.rating) * math.log(10) / 400 + side)

    def learn(at, left, right, won):
        a, b = arm(left), arm(right)
        old = (a.rating, a.rd, b.rating, b.rd)
        a.update_player([old[2]], [old[3]], [won])
        b.update_player([old[0]], [old[1]], [1 - won])

    return forward(votes, asked, predict, learn)


def openskill(votes, asked, sigma0, tau):
    from openskill.models import BradleyTerryFull

    model = BradleyTerryFull(sigma=sigma0, tau=tau)
    arms = {}
    side = side_of(votes)

    def arm(name):
        return arms.setdefault(name, model.rating())

    def predict(left, right):
        chance = model.predict_win([[arm(left)], [arm(right)]])[0]
        chance = min(max(chance, 1e-6), 1 - 1e-6)
        return sigma(math.log(chance / (1 - chance)) + side)

    def learn(at, left, right, won):
        ranks = [1, 1] if won == 0.5 else [2 - won, 1 + won]
        (a,), (b,) = model.rate([[arm(left)], [arm(right)]], ranks=ranks)
        arms[left], arms[right] = a, b

    return forward(votes, asked, predict, learn)


def choix(votes, asked, alpha):
    import choix as library
    import numpy as np

    k = 1 + max(max(v[1], v[2]) for v in votes)
    wins = np.zeros((k, k))
    for _, left, right, won in votes:
        wins[left, right] += won
        wins[right, left] += 1 - won
    strengths = library.opt_pairwise(
        k, [(i, j) for i in range(k) for j in range(k) for _ in range(int(wins[i, j]))], alpha=alpha
    )
    side = side_of(votes)
    return [sigma(strengths[a] - strengths[b] + side) for _, a, b in asked]


_MOST_NUMBERS = 3e8


def weeks(votes, drift, single=False):
    """Return a linear Gaussian model of votes, as libraries for state spaces take it.

    The states are strengths and the side. Of each pair a week has 4 (share - 1/2) of the wins of
    the left one, with the variance 4 / n: as if a log-odds could be seen.
    """
    import numpy as np

    k = 1 + max(max(v[1], v[2]) for v in votes)
    pairs = {pair: n for n, pair in enumerate(sorted({(v[1], v[2]) for v in votes}))}
    begin = votes[0][0]
    n_weeks = int((votes[-1][0] - begin) // 7) + 1
    if n_weeks * len(pairs) ** 2 > _MOST_NUMBERS and not single:
        raise ValueError(f"{n_weeks} weeks of {len(pairs)} pairs: too many for a matrix a week")
    won, met = np.zeros((n_weeks, len(pairs))), np.zeros((n_weeks, len(pairs)))
    for at, left, right, outcome in votes:
        won[int((at - begin) // 7), pairs[left, right]] += outcome
        met[int((at - begin) // 7), pairs[left, right]] += 1
    seen = np.where(met > 0, 4 * (won / np.maximum(met, 1) - 0.5), np.nan)
    design = np.zeros((len(pairs), k + 1))
    for (left, right), n in pairs.items():
        design[n, [left, right, k]] = 1, -1, 1
    moves = np.diag([drift] * k + [0.0])
    return begin, seen, 4 / np.maximum(met, 1), design, moves, 0.3 * np.eye(k + 1)


def _asked_of(means, begin, asked):
    """Return 1/2 + x / 4, the model's chance, from smoothed means by week."""
    found = []
    for at, left, right in asked:
        state = means[min(max(int((at - begin) // 7), 0), len(means) - 1)]
        chance = 0.5 + (state[left] - state[right] + state[-1]) / 4
        found.append(min(max(chance, 0.01), 0.99))
    return found


def statsmodels(votes, asked, drift):
    import numpy as np
    from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

    begin, seen, variances, design, moves, first = weeks(votes, drift)
    size = len(moves)
    model = KalmanSmoother(k_endog=seen.shape[1], k_states=size, k_posdef=size)
    model.bind(np.ascontiguousarray(seen))
    model["design"], model["transition"], model["selection"] = design, np.eye(size), np.eye(size)
    model["state_cov"] = moves
    model["obs_cov"] = np.stack([np.diag(row) for row in variances], axis=2)
    model.initialize_known(np.zeros(size), first)
    return _asked_of(model.smooth().smoothed_state.T, begin, asked)


def filterpy(votes, asked, drift):
    import numpy as np
    from filterpy.kalman import KalmanFilter

    begin, seen, variances, design, moves, first = weeks(votes, drift, single=True)
    model = KalmanFilter(dim_x=len(moves), dim_z=1)
    model.P, model.F, model.Q = first, np.eye(len(moves)), moves
    means, spreads = [], []
    for row, variance in zip(seen, variances, strict=True):
        model.predict()
        for n in np.flatnonzero(~np.isnan(row)):  # weeks have different pairs: one by one
            model.update(row[n], R=variance[n], H=design[n : n + 1])
        means.append(model.x.ravel().copy())
        spreads.append(model.P.copy())
    smoothed, *_ = model.rts_smoother(np.array(means), np.array(spreads))
    return _asked_of(smoothed, begin, asked)


def pykalman(votes, asked, drift):
    import numpy as np
    from pykalman import KalmanFilter

    begin, seen, variances, design, moves, first = weeks(votes, drift)
    missing = np.isnan(seen)  # its masks are of whole weeks: what is missing tells nothing
    model = KalmanFilter(
        transition_matrices=np.eye(len(moves)),
        observation_matrices=np.where(missing[:, :, None], 0.0, design),
        transition_covariance=moves,
        observation_covariance=np.stack([np.diag(row) for row in variances]),
        initial_state_mean=np.zeros(len(moves)),
        initial_state_covariance=first,
    )
    return _asked_of(model.smooth(np.nan_to_num(seen))[0], begin, asked)


def main():
    request = json.load(sys.stdin)
    peer = globals()[request["peer"]]
    began = time.process_time()
    told = peer(request["votes"], request["asked"], **request["settings"])
    print(json.dumps({"told": list(map(float, told)), "seconds": time.process_time() - began}))


if __name__ == "__main__":
    main()
