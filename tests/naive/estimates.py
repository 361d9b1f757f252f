"""Scores from logged votes by the definitions: one round after the other, one arm at a time."""

from __future__ import annotations

import math

from tests.naive.sequences import wealth


def rounds(log, propensity=None):
    """Return time, left, right, outcome and propensity, each row as often as it counts."""
    found = []
    for row in range(len(log)):
        chance = log.propensity[row] if propensity is None else propensity
        one = (log.time[row], log.left[row], log.right[row], log.outcome[row], chance)
        found += [one] * int(log.count[row])
    return found


def share(arm, weight, left, right, propensity):
    if left == right or arm not in (left, right):
        return 0.0
    other = right if arm == left else left
    return weight[other] / (2 * propensity)


def value(arm, weight, one, sign):
    """Y+ of an arm if the sign is +, Y- otherwise."""
    _, left, right, outcome, propensity = one
    mine = outcome if arm == left else 1 - outcome
    good = mine if sign == "+" else 1 - mine
    return weight[arm] / 2 + share(arm, weight, left, right, propensity) * good


def guesses(log, arm, weight, sign):
    """Y of every round and the guess of it."""
    wanted = {0, 1} | {2**j for j in range(1, 30)} | {3 * 2**j for j in range(30)}
    found = []
    total = 0.0
    guess, due = 0.5, False
    row_of = [row for row in range(len(log)) for _ in range(int(log.count[row]))]
    for n, one in enumerate(rounds(log)):
        row = row_of[n]
        is_first = n == 0 or row_of[n - 1] != row
        if is_first:
            due = due or row in wanted
            if due and (row == 0 or log.time[row] != log.time[row - 1]):
                guess, due = min((total + 0.5) / (n + 1), 1.0), False
        y = value(arm, weight, one, sign)
        found.append((y, guess))
        total += y
    return found


def root(variance, bar):
    low, high = 0.0, 1.0
    while wealth(high, variance) < bar:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if wealth(middle, variance) >= bar else (middle, high)
    return high


def score(log, weight, arm):
    won = sum(value(arm, weight, one, "+") for one in rounds(log))
    lost = sum(value(arm, weight, one, "-") for one in rounds(log))
    return won / (won + lost) if won + lost > 0 else math.nan


def bounds(log, weight, arm, alpha):
    """The interval of one arm; all arms together are at the level alpha."""
    ends = []
    for sign in "+-":
        pairs = guesses(log, arm, weight, sign)
        variance = sum((y - guess) ** 2 for y, guess in pairs)
        m = root(variance, 2 * len(weight) / alpha)
        ends.append((sum(y for y, _ in pairs) - m) / len(pairs))
    return min(max(ends[0], 0), 1), 1 - min(max(ends[1], 0), 1)


def lead(log, weight, first, second, alpha):
    """The least by which one arm is ahead of another."""
    every = rounds(log)
    z = [value(first, weight, one, "+") + value(second, weight, one, "-") - 1 for one in every]
    m = root(sum(x * x for x in z), len(weight) * (len(weight) - 1) / alpha)
    return min(max((sum(z) - m) / len(z), -1), 1)


def doubted(log, weight, arm, alpha):
    """Whether an arm was shown more often than its propensities allow, and less often."""
    every = rounds(log)
    rest = 1 - weight[arm]
    away = [share(arm, weight, *one[1:3], one[4]) - rest for one in every]
    scale = max(1.0, max(weight) / (2 * min(one[4] for one in every)))
    bar = 2 * len(weight) / alpha
    squares = sum(x * x for x in away)
    often = wealth(sum(away), squares) >= bar
    seldom = wealth(-sum(away) / scale, squares / scale**2) >= bar
    return often, seldom


class Pairwise:
    """Means of pairs; the bounds are those of the moment with 1.25^j votes."""

    def __init__(self, log, weight):
        self.weight = weight
        self.every = [one for one in rounds(log, 1.0) if one[1] != one[2]]
        self.look = 0
        while 1.25 ** (self.look + 1) <= len(self.every) * (1 + 1e-12):
            self.look += 1

    def outcomes(self, a, c):
        return [
            one[3] if one[1] == a else 1 - one[3] for one in self.every if set(one[1:3]) == {a, c}
        ]

    def early(self, a, c):
        votes = 1.25**self.look
        met = 0.0
        for time in sorted({one[0] for one in self.every}):
            group = [one for one in self.every if one[0] == time]
            taken = min(max(votes, 0), len(group)) / len(group)
            met += math.floor(taken * sum(set(one[1:3]) == {a, c} for one in group) + 1e-9)
            votes -= len(group)
        return met

    def score(self, a):
        total = self.weight[a] / 2
        for c, w in enumerate(self.weight):
            if c != a and w > 0:
                mine = self.outcomes(a, c)
                if not mine:
                    return math.nan
                total += w * sum(mine) / len(mine)
        return total

    def least(self, coefficients, alpha, parts):
        """The least of a sum of c times the chance of a over b over entries (a, b): c."""
        total = variance = 0.0
        for (a, b), c in coefficients.items():
            if c > 0 and self.early(a, b) > 0:
                mine = self.outcomes(a, b)
                total += c * sum(mine) / len(mine)
                variance += c * c / self.early(a, b)
        level = alpha / parts / ((self.look + 1) * (self.look + 2))
        return total - math.sqrt(math.log(1 / level) / 2 * variance)

    def bounds(self, a, alpha):
        others = [c for c in range(len(self.weight)) if c != a]
        parts = 2 * len(self.weight)
        won = self.least({(a, c): self.weight[c] for c in others}, alpha, parts)
        lost = self.least({(c, a): self.weight[c] for c in others}, alpha, parts)
        half = self.weight[a] / 2
        return min(max(half + won, 0), 1), min(max(1 - half - lost, 0), 1)

    def lead(self, first, second, alpha):
        coefficients = {}
        for d in range(len(self.weight)):
            if d not in (first, second):
                coefficients[first, d] = self.weight[d]
                coefficients[d, second] = self.weight[d]
        coefficients[first, second] = self.weight[first] + self.weight[second]
        parts = len(self.weight) * (len(self.weight) - 1)
        base = (self.weight[first] + self.weight[second]) / 2 - 1
        return min(max(base + self.least(coefficients, alpha, parts), -1), 1)


class Robust:
    """What votes say beside what was expected of them: Y = m + s (X - p), round by round.

    ``kinds`` are functions from a row to a table of chances.
    """

    def __init__(self, log, weight, rarest, kinds):
        self.log, self.weight, self.rarest = log, weight, rarest
        self.every = rounds(log)
        self.row_of = [row for row in range(len(log)) for _ in range(int(log.count[row]))]
        self.tables = [kinds[self.choice(row, kinds)](row) for row in range(len(log))]

    def choice(self, row, kinds):
        """The kind that did best before the block of a row."""
        begin = 0
        for start in starts(self.log.time):
            begin = start if start <= row else begin
        losses = []
        for kind in kinds:
            loss = 0.0
            for earlier in range(begin):
                left, right = self.log.left[earlier], self.log.right[earlier]
                if left != right:
                    off = self.log.outcome[earlier] - kind(earlier)[left][right]
                    for other in (left, right):
                        s = self.weight[other] / (2 * self.log.propensity[earlier])
                        loss += self.log.count[earlier] * (s * off) ** 2
            losses.append(loss)
        return losses.index(min(losses))

    def parts(self, arm, n):
        """M and s (X - p) of a round."""
        _, left, right, outcome, propensity = self.every[n]
        table = self.tables[self.row_of[n]]
        expected = self.weight[arm] / 2
        for other in range(len(self.weight)):
            if other != arm:
                expected += self.weight[other] * table[arm][other]
        s = share(arm, self.weight, left, right, propensity)
        if s == 0:
            return expected, 0.0
        mine, other = (outcome, right) if arm == left else (1 - outcome, left)
        return expected, s * (mine - table[arm][other])

    def score(self, arm):
        expected = off = asked = 0.0
        for n, one in enumerate(self.every):
            m, moved = self.parts(arm, n)
            expected, off = expected + m, off + moved
            asked += share(arm, self.weight, *one[1:3], one[4])
        if asked == 0:
            return math.nan
        return expected / len(self.every) + (1 - self.weight[arm]) * off / asked

    def bounds(self, arm, alpha):
        n, scale = len(self.every), max(self.weight) / (2 * self.rarest)
        ends = []
        for sign, turn in (("+", 1), ("-", -1)):
            total = squares = 0.0
            for at in range(n):
                m, moved = self.parts(arm, at)
                total += (m if turn > 0 else 1 - m) + turn * moved
                squares += moved**2
            plain = guesses(self.log, arm, self.weight, sign)
            other = sum(y for y, _ in plain), sum((y - guess) ** 2 for y, guess in plain)
            bar = 2 * len(self.weight) / alpha
            ends.append(least([(total, squares, scale), (*other, 1.0)], bar, n) / n)
        return min(max(ends[0], 0), 1), 1 - min(max(ends[1], 0), 1)

    def lead(self, first, second, alpha):
        n, weight = len(self.every), self.weight
        scale = max(weight[first] + weight[second], *weight) / (2 * self.rarest)
        total = squares = plain = plain_squares = 0.0
        for at, one in enumerate(self.every):
            (m, moved), (other_m, other_moved) = self.parts(first, at), self.parts(second, at)
            total += m - other_m + moved - other_moved
            squares += (moved - other_moved) ** 2
            z = value(first, weight, one, "+") + value(second, weight, one, "-") - 1
            plain, plain_squares = plain + z, plain_squares + z * z
        bar = len(weight) * (len(weight) - 1) / alpha
        return least([(total, squares, scale), (plain, plain_squares, 1.0)], bar, n) / n


def starts(time):
    """The rows that begin blocks: eight rows, later a 32nd of those before, never inside a time."""
    found, due, wanted = [], False, 0
    for row in range(len(time)):
        if row == wanted:
            due = True
            wanted += max(8, wanted // 32)
        if due and (row == 0 or time[row] != time[row - 1]):
            found.append(row)
            due = False
    return found


def least(stakes, bar, n):
    """The least sum that is not refuted by three quarters of a fortune on the first stake."""
    low, high = -float(n), float(n)
    for _ in range(60):
        middle = (low + high) / 2
        fortune = 0.0
        for part, (total, squares, scale) in zip((0.75, 0.25), stakes, strict=True):
            fortune += part * wealth((total - middle) / scale, squares / scale**2)
        low, high = (middle, high) if fortune >= bar else (low, middle)
    return low
