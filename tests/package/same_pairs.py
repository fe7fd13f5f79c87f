"""Compares two quantized files of one model from different machines. usage: same_pairs.py EXPECTED FOUND

The nodes are the same, scales differ by one bin of the histogram at most, and integers by one step. Prints how much.
"""

import struct
import sys

# A histogram has at least 2049 bins (calibrators/README.md), and rounding moves a range by one. The smallest range of
# the four images, at percentile 99.99, is 0.55 of its largest value: that bin is 1/1130 of the range.
SCALE = 1 / 1000


def fields(data):
    """Yields the number and value of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            length = varint() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
            yield key >> 3, data[at : at + length]
            at += length


def all_of(data, number):
    return [value for found, value in fields(data) if found == number]


def read(path):
    """Returns the nodes, and each initializer by name: its type, and its numbers."""
    with open(path, "rb") as file:
        (graph,) = all_of(file.read(), 7)
    nodes = [[bytes(word) for number in (4, 1, 2, 5) for word in all_of(node, number)] for node in all_of(graph, 1)]
    tensors = {}
    for tensor in all_of(graph, 5):
        (kind,), (name,), (raw,) = all_of(tensor, 2), all_of(tensor, 8), all_of(tensor, 9)
        letter = {1: "f", 2: "B", 3: "b", 6: "i", 7: "q"}[kind]
        tensors[name] = letter, struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw)
    return nodes, tensors


expected_nodes, expected = read(sys.argv[1])
found_nodes, found = read(sys.argv[2])
pairs = [node for node in expected_nodes if node[0] in (b"QuantizeLinear", b"DequantizeLinear")]
scales = {node[2] for node in pairs}
if found_nodes != expected_nodes or found.keys() != expected.keys() or not scales:
    sys.exit("same_pairs: other nodes")
largest, codes = 0.0, 0
for name, (letter, numbers) in expected.items():
    others = found[name][1]
    if found[name][0] != letter or len(others) != len(numbers):
        sys.exit(f"same_pairs: {name.decode()} has another type or size")
    for number, other in zip(numbers, others):
        if name in scales:
            largest = max(largest, abs(other / number - 1))
        elif letter in "Bb":
            codes += other != number
            if abs(other - number) > 1:
                sys.exit(f"same_pairs: {name.decode()} has {other} instead of {number}")
        elif abs(other - number) > 1e-5 * max(map(abs, numbers)):  # folded factors
            sys.exit(f"same_pairs: {name.decode()} has {other} instead of {number}")
if largest > SCALE:
    sys.exit(f"same_pairs: a scale differs by {largest:.2g}")
print(f"{len(pairs)} nodes of pairs, {len(scales)} scales that differ by {largest:.2g} at most, {codes} other codes")
