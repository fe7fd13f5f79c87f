"""Reads 8-bit gray PNG files without interlacing, independently of Detent's decoders."""

import struct
import zlib

import numpy


def _paeth(left, up, corner):
    distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
    return (left, up, corner)[distances.index(min(distances))]


GUESSES = [lambda left, up, corner: 0, lambda left, up, corner: left, lambda left, up, corner: up,
           lambda left, up, corner: (left + up) >> 1, _paeth]


def read_png(path):
    """Returns the pixels [height, width]."""
    file, at, parts = path.read_bytes(), 8, []
    width, height, *form = struct.unpack(">IIBBBBB", file[16:29])
    if file[1:4] != b"PNG" or form != [8, 0, 0, 0, 0]:
        raise ValueError(f"{path}: only 8-bit gray PNG without interlacing")
    while at < len(file):
        length, kind = struct.unpack(">I4s", file[at:at + 8])
        if kind == b"IDAT":
            parts.append(file[at + 8:at + 8 + length])
        at += 12 + length
    packed = zlib.decompress(b"".join(parts))
    rows = [bytearray(width + 1)]  # a column and a row of zeros in front
    for y in range(height):
        line = packed[y * (width + 1):(y + 1) * (width + 1)]
        above, row, guess = rows[-1], bytearray(width + 1), GUESSES[line[0]]
        for x in range(1, width + 1):
            row[x] = (line[x] + guess(row[x - 1], above[x], above[x - 1])) & 255
        rows.append(row)
    return numpy.array([list(row[1:]) for row in rows[1:]], numpy.uint8)
