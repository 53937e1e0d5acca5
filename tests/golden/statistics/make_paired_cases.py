#!/usr/bin/env python3
"""Writes paired_cases.json: reference values by the slowest and plainest way there is.

Every sign pattern and every choice of a sample is written down and counted, with whole numbers and
fractions; nothing is shared with the C++ library. Run it in this folder after changing the cases.
"""
import itertools
import json
import math
import random
from fractions import Fraction
from statistics import NormalDist, mean, median

MASK = (1 << 64) - 1


def split_mix(seed):
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def midranks(values):
    return [Fraction(2 * sum(w < v for w in values) + sum(w == v for w in values) + 1, 2)
            for v in values]


def signed_rank(differences, pratt):
    d = [round(x, 12) for x in differences]
    if not pratt:
        d = [x for x in d if x != 0]
    ranks = midranks([abs(x) for x in d])
    used = [(r, x > 0) for r, x in zip(ranks, d) if x != 0]
    w = sum((r for r, up in used if up), Fraction(0))
    less = greater = 0
    for signs in itertools.product((0, 1), repeat=len(used)):
        total = sum((r for (r, _), s in zip(used, signs) if s), Fraction(0))
        less += total <= w
        greater += total >= w
    n = 2 ** len(used)
    return {"w_plus": float(w), "p_less": less / n, "p_greater": greater / n,
            "p_two_sided": min(1.0, 2 * min(less, greater) / n)}


def rank_of_interval(counts, level):
    """The largest k whose tail P(W <= k-1) is below half of what may be missed; at least 1."""
    total = sum(counts)
    tail = (1 - Fraction(str(level))) / 2
    k = 1
    while Fraction(sum(counts[:k + 1]), total) < tail:
        k += 1
    attained = 1 - 2 * Fraction(sum(counts[:k]), total)
    return k, float(attained), attained >= Fraction(str(level))


def one_sample(differences, level):
    n = len(differences)
    counts = [0] * (n * (n + 1) // 2 + 1)
    for signs in itertools.product((0, 1), repeat=n):
        counts[sum(i + 1 for i, s in enumerate(signs) if s)] += 1
    walsh = sorted((a + b) / 2 for i, a in enumerate(differences) for b in differences[i:])
    return located(walsh, counts, level)


def two_samples(base, challenger, level):
    m, n = len(base), len(challenger)
    counts = [0] * (m * n + 1)
    for chosen in itertools.combinations(range(m + n), m):
        counts[sum(chosen) - m * (m - 1) // 2] += 1
    return located(sorted(b - a for a in base for b in challenger), counts, level)


def located(values, counts, level):
    k, attained, reachable = rank_of_interval(counts, level)
    return {"estimate": median(values), "attained": attained,
            "lo": values[k - 1] if reachable else None, "hi": values[-k] if reachable else None}


def mann_whitney(base, challenger):
    pooled = list(base) + list(challenger)
    ranks = midranks(pooled)
    m = len(base)
    seen = sum(ranks[:m], Fraction(0))
    less = greater = total = 0
    for chosen in itertools.combinations(ranks, m):
        s = sum(chosen, Fraction(0))
        less += s <= seen
        greater += s >= seen
        total += 1
    return {"u_base": float(seen - Fraction(m * (m + 1), 2)), "p_less": less / total,
            "p_greater": greater / total, "p_two_sided": min(1.0, 2 * min(less, greater) / total)}


def type7(ordered, q):
    h = (len(ordered) - 1) * q
    i = min(int(h), len(ordered) - 2)
    return ordered[i] + (h - i) * (ordered[i + 1] - ordered[i])


def bootstrap(base, challenger, seed, replicates, of):
    random_numbers = split_mix(seed)

    def draw(values):
        return [values[int((next(random_numbers) >> 11) * 2.0 ** -53 * len(values))] for _ in values]

    seen = of(challenger) - of(base)
    drawn = []
    for _ in range(replicates):
        a = draw(base)
        b = draw(challenger)
        drawn.append(of(b) - of(a))
    drawn.sort()
    share = (sum(x < seen for x in drawn) + sum(x <= seen for x in drawn)) / 2 / replicates
    cubes = squares = 0.0
    for side in (0, 1):
        values = (base, challenger)[side]
        n = len(values)
        jack = []
        for i in range(n):
            rest = values[:i] + values[i + 1:]
            jack.append(of(challenger) - of(rest) if side == 0 else of(rest) - of(base))
        u = [(n - 1) * (mean(jack) - j) for j in jack]
        cubes += sum(x ** 3 for x in u) / n ** 3
        squares += sum(x ** 2 for x in u) / n ** 2
    normal = NormalDist()
    z0 = normal.inv_cdf(share)
    a = cubes / (6 * squares ** 1.5)

    def adjusted(p):
        z = z0 + normal.inv_cdf(p)
        return type7(drawn, normal.cdf(z0 + z / (1 - a * z)))

    return {"seed": seed, "replicates": replicates, "estimate": seen,
            "percentile": [type7(drawn, 0.025), type7(drawn, 0.975)],
            "bca": [adjusted(0.025), adjusted(0.975)]}


def case(name, base, challenger, level=0.95):
    differences = [b - a for a, b in zip(base, challenger)]
    logs = [math.log(b / a) for a, b in zip(base, challenger)]
    made = {"name": name, "base": base, "challenger": challenger, "level": level,
            "pratt": signed_rank(differences, True), "wilcoxon": signed_rank(differences, False),
            "pratt_of_logs": signed_rank(logs, True), "paired_difference": one_sample(differences, level),
            "paired_log": one_sample(logs, level)}
    if len(base) <= 8:
        made["two_samples"] = two_samples(base, challenger, level)
        made["mann_whitney"] = mann_whitney(base, challenger)
    if len(base) >= 4 and any(differences):
        made["bootstrap_mean"] = bootstrap(base, challenger, 42, 999, mean)
        made["bootstrap_median"] = bootstrap(base, challenger, 7, 999, median)
    return made


def main():
    generator = random.Random(20100808)

    def noisy(n, factor, digits):
        base = [round(100 * (1 + 0.05 * generator.gauss(0, 1)), digits) for _ in range(n)]
        return base, [round(a * factor * (1 + 0.02 * generator.gauss(0, 1)), digits) for a in base]

    cases = [
        case("five blocks", [136.2, 139.1, 134.9, 135.6, 152.5], [160.2, 161.9, 136.1, 139.2, 153.3]),
        case("six blocks at the level of three looks", *noisy(6, 1.1, 3), level=0.9779),
        case("eight blocks at the level of three looks", *noisy(8, 1.08, 3), level=0.9779),
        case("eight blocks", *noisy(8, 0.97, 3)),
        case("ties and zeros", [10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7],
             [10.0, 10.3, 10.4, 10.3, 10.3, 10.9, 10.6, 11.1]),
        case("all equal", [7.0] * 6, [7.0] * 6),
        case("equal ratios", [100.0, 200.0, 400.0, 50.0, 25.0, 75.0], [110.0, 220.0, 440.0, 55.0, 27.5, 82.5]),
        case("one against all", *noisy(7, 1.2, 2)),
        case("twelve blocks", *noisy(12, 1.03, 1)),
    ]
    cases[7]["challenger"][3] = 61.5
    cases[7] = case("one against all", cases[7]["base"], cases[7]["challenger"])
    with open("paired_cases.json", "w", encoding="ascii") as file:
        file.write('{"cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")


if __name__ == "__main__":
    main()
