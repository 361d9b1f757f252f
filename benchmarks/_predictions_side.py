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


def main():
    request = json.load(sys.stdin)
    peer = globals()[request["peer"]]
    began = time.process_time()
    told = peer(request["votes"], request["asked"], **request["settings"])
    print(json.dumps({"told": list(map(float, told)), "seconds": time.process_time() - began}))


if __name__ == "__main__":
    main()
