# SPDX-License-Identifier: MIT
"""How near predicted times are to measured ones."""
import math


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def harmonic_mean(values):
    return len(values) / sum(1 / value for value in values)


def ranks(values):
    """Places in ascending order from 1 on; equal values share the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def rank_correlation(some, others):
    """Spearman's: the correlation of the ranks."""
    pairs = list(zip(ranks(some), ranks(others), strict=True))
    middle = (len(pairs) + 1) / 2
    products = [sum((pair[a] - middle) * (pair[b] - middle) for pair in pairs) for a, b in ((0, 1), (0, 0), (1, 1))]
    return products[0] / math.sqrt(products[1] * products[2])


def mean_error(ratios):
    """Of predicted / measured, in per cent of what was measured."""
    return 100 * sum(abs(ratio - 1) for ratio in ratios) / len(ratios)


class Accuracy:
    """Of pairs (measured, predicted)."""

    def __init__(self, pairs):
        measured, predicted = zip(*pairs)
        ratios = [its / other for its, other in zip(predicted, measured)]
        self.count = len(ratios)
        self.ratio = geometric_mean(ratios)
        self.rank_correlation = rank_correlation(measured, predicted)
        self.error = mean_error(ratios)
        self.scaled_error = mean_error([ratio / self.ratio for ratio in ratios])
