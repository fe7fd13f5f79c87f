"""occupancy_iou.py TRUTH.npy FP32_FOLDER CANDIDATE_FOLDER, with one output in each folder

A metric command for `detent compare`: intersection over union of "output > 0" and the truth, larger is better. The
truth holds packed bits, first element in the highest bit. detent adds the folders; that of the float model is not
read."""

import pathlib
import sys

import numpy
from measures import occupancy_iou


def main():
    files = sorted(pathlib.Path(sys.argv[3]).iterdir()) if len(sys.argv) == 4 else []
    if len(files) != 1:
        sys.exit(__doc__)
    bits, output = numpy.load(sys.argv[1]), numpy.load(files[0])
    if bits.size * 8 != output.size:
        sys.exit(f"{sys.argv[1]} holds {bits.size * 8} bits, {files[0]} {output.size} elements")
    print(occupancy_iou(output, bits))


if __name__ == "__main__":
    main()
