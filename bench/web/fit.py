"""fit.py [kernels.csv]: fits what src/place/engines/web/kernel_times.cpp states, and prints the rows that it misses by
more than a quarter. Needs numpy and scipy."""

import csv
import pathlib
import sys

import numpy as np
from scipy.optimize import nnls

MILLION = 1e-6  # so that the rates are nanoseconds
PATH = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("kernels.csv")
ROWS = [(row["operator"], [int(size) for size in row["sizes"].split()], float(row["float_ms"]), float(row["int8_ms"]))
        for row in csv.DictReader(open(PATH, encoding="utf-8"))]


def up(number, step):
    return (number + step - 1) // step * step


def both_ways(features):
    """A chain of Convs goes from few channels to many and back."""
    return lambda i, o, *more: [(a + b) / 2 for a, b in zip(features(i, o, *more), features(o, i, *more))]


def float_conv(i, o, k, hw, _stride, _group):
    pixels = up(hw * hw, 16)  # what the kernel takes at once
    return [1, pixels * i * o * k * k * MILLION, (i * k * k * pixels * MILLION if k > 1 else 0)]


def codes_conv(i, o, k, hw, _stride, _group):
    pixels = hw * hw
    return [1, pixels * up(o, 8) * up(i * k * k, 4) * MILLION, (i * k * k * pixels * MILLION if k > 1 else 0),
            (pixels * k * k * MILLION if k > 1 else 0), o * pixels * MILLION, i * o * k * k * MILLION]


def depthwise(i, _o, k, hw, _stride, _group):
    return [i * 1e-3, i * hw * hw * k * k * MILLION, i * hw * 1e-3]


def product(m, k, n):
    return [1, m * k * n * MILLION, (m * k + m * n) / 2 * MILLION, k * n * MILLION]


def element(c, hw):
    return [1, c * hw * hw * MILLION]


def fit(name, chosen, features, words):
    """chosen: [(sizes, ms)]; errors count in relation to the time."""
    a = np.array([features(*sizes) for sizes, _ in chosen], float)
    y = np.array([ms for _, ms in chosen])
    weight = 1 / (np.maximum(y, 0) + .02)
    rates, _ = nnls(a * weight[:, None], y * weight)
    print(name, {word: float(f"{rate:.3g}") for word, rate in zip(words, rates)})
    for (sizes, ms), guess in zip(chosen, a @ rates):
        if abs(guess - ms) > .25 * (ms + .005):
            print(f"    {sizes} measured {ms}, predicted {guess:.4f}")


def main():
    def rows(operator, column, wanted=lambda sizes: True):
        return [(row[1], row[column]) for row in ROWS if row[0] == operator and wanted(row[1])]

    plain = lambda sizes: sizes[5] == 1  # noqa: E731
    fit("Conv float", rows("Conv", 2, plain), both_ways(float_conv), ["start", "product", "column"])
    fit("Conv codes", rows("Conv", 3, plain), both_ways(codes_conv),
        ["start", "product", "column", "tap", "output", "weight"])
    for name, small in (("3x3", True), ("larger", False)):
        by = lambda sizes, small=small: sizes[5] == sizes[0] > 1 and (sizes[2] == 3) == small  # noqa: E731
        for kind, column in (("float", 2), ("codes", 3)):
            fit(f"depthwise {name} {kind}", rows("Conv", column, by), depthwise, ["channel", "product", "row"])
    words = ["start", "product", "element", "weight"]
    fit("MatMul float", rows("MatMul", 2), product, words)
    fit("MatMul codes", rows("MatMul", 3), product, words)
    fit("MatMul dynamic", rows("MatMulDynamic", 3), product, words)
    for operator in sorted({row[0] for row in ROWS} - {"Conv", "MatMul", "MatMulDynamic", "MatMul2"}):
        for kind, column in (("float", 2), ("codes", 3)):
            fit(f"{operator} {kind}", rows(operator, column), element, ["start", "element"])


main()
