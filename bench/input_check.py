"""Does `detent inspect --data` tell right preprocessing from wrong?

    bench/input_check.py [--held-out FOLDER] [NETWORK...]

Networks of the shared folder are looked at with their own preprocessing and with three wrong ones: colours exchanged,
pixels on another scale, and both. Prints a row each and the sums. --held-out takes other networks, on which no limit was
chosen; FOLDER is the one of scripts/showcase, whose downloads are used (in the environment of
bench/showcase/requirements-judge.txt). DETENT and DETENT_SHARED as in the tests."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from input_check_networks import CHOSEN_ON, HELD_OUT

ROOT = pathlib.Path(__file__).resolve().parents[1]
DETENT = os.environ.get("DETENT", str(ROOT / "build/release/detent"))
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED", ROOT.parent / "shared"))
DRAWN = {"page": ((224, 224), 12, 4), "turned": ((48, 192), 1, 2), "line": ((48, 320), 1, 1)}  # size, lines, turns


def look(model, data, *pairs):
    """Returns the input_check of a preprocessing."""
    spec = ",".join(pair for pair in pairs if pair)
    command = [DETENT, "inspect", str(model), "--data", str(data), "--preprocess", spec, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return {"verdict": "refused", "reasons": [done.stderr.strip()]}
    return json.loads(done.stdout)["input_check"]


def draw_pictures(kind, folder, count=64):
    """Writes pictures of text, some turned."""
    import numpy
    from PIL import Image
    import samples
    import texts
    (size, lines, turns), draw = DRAWN[kind], random.Random(5)
    sentences = [sentence for _, sentence in texts.sentences()]
    for number in range(count):
        shown = [draw.choice(sentences) for _ in range(lines)]
        if lines == 1:
            shown = [" ".join(shown[0].split()[:3])]
        grey = samples.drawn(shown, size, draw)
        if turns > 1:
            grey = numpy.rot90(grey, number % turns * (4 // turns))
        Image.fromarray(numpy.repeat(grey[..., None], 3, 2).astype(numpy.uint8)).save(folder / f"{number:03}.png")


def held_out(showcase, temporary):
    """Returns {name: (model, data, what stays, preprocessings)}."""
    sys.path.insert(0, str(ROOT / "bench/showcase"))
    import networks
    import sources
    known, found = {network.name: network.where for network in networks.NETWORKS}, {}
    for name, (where, data, kept, cases) in HELD_OUT.items():
        try:
            model = sources.fetch(known[where] if isinstance(where, str) else where, showcase / "downloads",
                                  lambda _: sys.executable)
        except sources.Missing as missing:
            print(f"| {name} | | not there: {missing} | |")
            continue
        folder = SHARED / data
        if data.startswith("drawn:"):
            folder = temporary / name
            folder.mkdir()
            draw_pictures(data.partition(":")[2], folder)
        found[name] = (model, folder, kept, cases)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--held-out", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    right = wrong = found = alarms = 0
    with tempfile.TemporaryDirectory(prefix="detent-input-check-") as temporary:
        networks = {name: (SHARED / model, SHARED / data, kept, cases) for name, (model, data, kept, cases) in CHOSEN_ON.items()}
        if options.held_out:
            networks = held_out(options.held_out, pathlib.Path(temporary))
        for name, (model, data, kept, cases) in networks.items():
            if options.networks and name not in options.networks:
                continue
            for case, numbers in cases.items():
                check = look(model, data, kept, numbers)
                print(f"| {name} | {case} | {check['verdict']} | {check['reasons'][0]} |", flush=True)
                flagged = check["verdict"] not in ("good", "refused")
                if case == "right":
                    right, alarms = right + 1, alarms + flagged
                else:
                    wrong, found = wrong + 1, found + flagged
    print(f"found {found} of {wrong} wrong ones; {alarms} false alarms on {right} right ones")


if __name__ == "__main__":
    main()
