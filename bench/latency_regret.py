"""How far is the file of `quantize --latency-command` from the fastest one?

    $(tests/engines/install.sh --path openvino)/bin/python bench/latency_regret.py FOLDER [NETWORK...]

For each network and engine: the search, then all files of its first groups (2 to the power of --groups), each timed
--rounds times in random order, and the fastest ones as often again. A file counts if its SQNR is at most 1 dB below the
default's. Regret is the time of the chosen file over that of the fastest one, less 1. Random search measures float,
default and as many random files as the search had calls left, with the command's noise, and takes the fastest; its
regret is the mean of 200 draws. DETENT and DETENT_SHARED as in tests/engines. A network takes minutes in an engine.
Results in FOLDER are kept, so an interrupted run goes on, and all that was asked for is printed."""

import hashlib
import itertools
import pathlib
import random
import statistics
import tempfile
import time

import latency_networks as networks
import onnx

DRAWS, MARGIN_DB, FINALISTS = 200, 1, 8


def content(path):
    """Returns a hash of what a file computes; metadata name the options that made it."""
    model = onnx.load(path)
    del model.metadata_props[:]
    return hashlib.sha256(model.SerializeToString(deterministic=True)).hexdigest()


def make_files(plain, groups, folder):
    """Returns [(groups, file, dB)] of every set of groups that can be written, the default first."""
    files = []
    for size in range(len(groups) + 1):
        for chosen in itertools.combinations(range(len(groups)), size):
            path = folder / f"{'-'.join(map(str, chosen)) or 'default'}.onnx"
            report, _ = networks.quantize(path, [*plain, *(word for one in chosen for word in groups[one]["options"])])
            if report:
                files.append((chosen, path, networks.decibels(report)))
    return files


def times_of(command, paths, rounds):
    """Returns (median milliseconds of each file that the engine takes, relative standard deviation of a call)."""
    by_content = {path: content(path) for path in paths}
    one_each = list({key: path for path, key in by_content.items()}.items())
    taken, refused = {key: [] for key, _ in one_each}, set()

    def round_of(keys):
        for key, path in random.sample(keys, len(keys)):
            ms = None if key in refused else networks.measure(command, path)
            if ms is None:
                refused.add(key)
            else:
                taken[key].append(ms)
    for _ in range(rounds):
        round_of(one_each)
    alive = [one for one in one_each if one[0] not in refused]
    fastest = sorted(alive, key=lambda one: statistics.median(taken[one[0]]))[:FINALISTS]
    for _ in range(rounds):
        round_of(fastest)
    spread = [statistics.stdev(values) / statistics.mean(values) for values in taken.values() if len(values) > 1]
    medians = {path: statistics.median(taken[key]) if key not in refused else None for path, key in by_content.items()}
    return medians, statistics.median(spread) if spread else 0


def random_regret(variants, certain, calls, noise, best):
    """Returns the mean regret of as many calls on random variants; certain: times of float and default, of which each
    has one call."""
    regrets = []
    for seed in range(DRAWS):
        source = random.Random(seed)
        drawn = [*certain, *source.sample(variants, min(len(variants), max(0, calls - len(certain))))]
        regrets.append(min(drawn, key=lambda ms: ms * (1 + source.gauss(0, noise))) / best - 1)
    return statistics.mean(regrets)


def regret_of(network, engine, command, options):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="detent-regret-") as temporary:
        folder = pathlib.Path(temporary)
        plain, words = networks.search_words(network, engine, command, options)
        report, seconds = networks.quantize(folder / "chosen.onnx", words)
        if not report:
            return None
        latency = report["latency"]
        groups = [group for group in latency["groups"] if group.get("options")][:options.groups]
        files = make_files(plain, groups, folder)
        if not files or files[0][0]:
            return None
        limit = files[0][2]
        admitted = [(chosen, path) for chosen, path, db in files if limit is None or db >= limit - MARGIN_DB]
        paths = [network.model, folder / "chosen.onnx", *(path for _, path, _ in files)]
        times, noise = times_of(command, paths, options.rounds)
    what = {path: " + ".join(groups[one]["name"] for one in chosen) or "default" for chosen, path in admitted}
    what[network.model] = "float"
    counted = {path: times[path] for path in what if times[path] is not None}
    counted.setdefault(folder / "chosen.onnx", times[folder / "chosen.onnx"])
    best = min(counted, key=counted.get)
    certain = [counted[path] for path in (network.model, folder / "default.onnx") if path in counted]
    variants = [counted[path] for chosen, path in admitted if chosen and path in counted]
    return {
        "float_ms": times[network.model], "default_ms": times[folder / "default.onnx"],
        "chosen_ms": counted[folder / "chosen.onnx"], "chosen": latency["chosen"],
        "chosen_what": latency["chosen_what"], "best_ms": counted[best], "best": what.get(best, "chosen"),
        "regret": counted[folder / "chosen.onnx"] / counted[best] - 1,
        "random_regret": random_regret(variants, certain, len(latency["calls"]), noise, counted[best]),
        "noise": noise, "calls": len(latency["calls"]), "search_seconds": seconds, "seconds": time.monotonic() - begun,
        "groups": [{"name": group["name"], "options": group["options"]} for group in groups],
        "files": [{"what": " + ".join(groups[one]["name"] for one in chosen) or "default", "sqnr_db": str(db),
                   "ms": times[path]} for chosen, path, db in files],
        "latency": latency,
    }


def main():
    parser = networks.parser_of(__doc__)
    parser.add_argument("--groups", type=int, default=6, help="default: 6, which are 64 files")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    options = parser.parse_args()
    print("| network | engine | float | default | chosen | fastest | regret | random | calls | search | all |")
    print("| --- | --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    rows = []
    for row in networks.results(options, lambda *given: regret_of(*given, options)):
        rows.append(row)
        aside = " (aside)" if row["network"] in networks.KEPT_ASIDE else ""
        regret, at_random = (f"{100 * row[key]:.1f} %" for key in ("regret", "random_regret"))
        print(f"| {row['network']}{aside} | {row['engine']} | {networks.shown(row['float_ms'])} "
              f"| {networks.shown(row['default_ms'])} | {row['chosen_ms']:.3f} {row['chosen_what']} "
              f"| {row['best_ms']:.3f} {row['best']} | {regret} | {at_random} | {row['calls']} "
              f"| {row['search_seconds']:.0f} s | {row['seconds']:.0f} s |", flush=True)
    for engine in networks.ENGINES:
        for name, part in (("developed on", networks.DEVELOPED_ON), ("kept aside", networks.KEPT_ASIDE)):
            chosen = [row for row in rows if row["engine"] == engine and row["network"] in part]
            if chosen:
                median = {key: statistics.median(row[key] for row in chosen)
                          for key in ("regret", "random_regret", "calls")}
                above = sum(row["regret"] > row["random_regret"] + row["noise"] for row in chosen)
                print(f"\n{engine}, {len(chosen)} networks {name}: median regret {100 * median['regret']:.1f} %, "
                      f"random {100 * median['random_regret']:.1f} %, above random by more than the noise in {above}; "
                      f"median {median['calls']:.0f} calls")


main()
