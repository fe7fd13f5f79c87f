"""Float, default and chosen file of `quantize --latency-command`: milliseconds, dB, score.

    $(tests/engines/install.sh --path openvino)/bin/python bench/latency_table.py FOLDER [NETWORK...]

One run of the program for each network and engine, so all milliseconds of a row are of one search. Networks with labels
have scores. DETENT and DETENT_SHARED as in tests/engines. Results in FOLDER are kept: an interrupted run goes on."""

import pathlib
import statistics
import tempfile

import latency_networks as networks


def row_of(network, engine, command, options):
    with tempfile.TemporaryDirectory(prefix="detent-latency-") as temporary:
        _, words = networks.search_words(network, engine, command, options)
        report, seconds = networks.quantize(pathlib.Path(temporary) / "chosen.onnx", [*words, *network.score_words])
    if not report:
        return None
    return {"latency": report["latency"], "sqnr_db": str(networks.decibels(report)), "score": report.get("score"),
            "verdict": report["verdict"], "seconds": seconds}


def decibels(word):
    words = {"None": "", "inf": "exact"}
    return words[str(word)] if str(word) in words else f"{float(word):.1f}"


def main():
    options = networks.parser_of(__doc__).parse_args()
    print("| network | engine | float ms | default ms | chosen ms | over float | chosen | default dB | dB | score "
          "| calls | search |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: | ---: |")
    ratios = []
    for row in networks.results(options, lambda *given: row_of(*given, options)):
        latency, score = row["latency"], row["score"]
        default = next((call.get("sqnr_db") for call in latency["calls"] if call["what"] == "default"), None)
        scores = f"{score['float']:.4f} -> {score['quantized']:.4f} {score['metric']}" if score else ""
        ratio = latency["chosen_ms"] / latency["float_ms"] if latency["chosen_ms"] and latency["float_ms"] else None
        ratios += [ratio] if ratio else []
        print(f"| {row['network']} | {row['engine']} | {networks.shown(latency['float_ms'])} "
              f"| {networks.shown(latency['default_ms'])} | {networks.shown(latency['chosen_ms'])} "
              f"| {f'{ratio:.2f}' if ratio else ''} | {latency['chosen_what']} | {decibels(default)} "
              f"| {decibels(row['sqnr_db'])} | {scores} | {len(latency['calls'])} | {row['seconds']:.0f} s |",
              flush=True)
    if ratios:
        print(f"\nmedian of chosen over float: {statistics.median(ratios):.2f}")


main()
