"""recognizer.py FOLDER: word and letter errors of the recognizer of make/ctc.py, as float, as INT8 by default, and with a
bound, on all test clips. Detent reads the clips, the texts and the vocabulary (--transcripts, --vocab); the engines run
what it wrote, and the errors are counted here. FOLDER is the one of scripts/showcase. Run it in the environment of
requirements-judge.txt; DETENT as in tests/engines."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import samples
import scores
import sources
import streams

BOUND = .002  # a rise of the word error rate, as a fraction


def errors(engine, path, clips, spoken):
    """Returns (WER, CER) in percent."""
    model, tokens = streams.Engine(engine, path), ["", " ", *"abcdefghijklmnopqrstuvwxyz"]
    told = [scores.greedy(model.call({"x": clip["x"]})[0][0], tokens) for clip in clips]
    return (scores.rate([(ours.split(), truth.split()) for ours, truth in zip(told, spoken)]),
            scores.rate(list(zip(told, spoken))))


def main():
    top = pathlib.Path(sys.argv[1])
    model = sources.fetch(("made", "ctc.py", "ctc.onnx"), top / "downloads", lambda _: sys.executable)
    folder = model.parent
    spoken = [row["text"] for row in csv.DictReader(open(folder / "test.csv", newline=""))]
    _, clips, _ = samples.spoken_features(samples.Job(model, 1, len(spoken), top))
    print("| engine | file | WER % | CER % | Detent's WER | layers INT8 | dB | verdict |")
    print("| --- | --- | ---: | ---: | ---: | --- | ---: | --- |")
    for engine in ("onnxruntime", "openvino"):
        print("| {} | float | {:.2f} | {:.2f} | | | | |".format(engine, *errors(engine, model, clips, spoken)), flush=True)
        for name, words in (("INT8", []), (f"--max-drop {BOUND}", [f"--max-drop={BOUND}"])):
            with tempfile.TemporaryDirectory(prefix="detent-recognizer-") as temporary:
                out = pathlib.Path(temporary) / "out.onnx"
                done = subprocess.run(
                    [samples.DETENT, "quantize", model, f"--data={folder / 'calib'}", "--preprocess=fbank",
                     f"--eval={folder / 'test'}", f"--transcripts={folder / 'test.csv'}", f"--vocab={folder / 'tokens.txt'}",
                     f"--target={engine}", "--accept-broken", "--quiet", *words, "-o", out, "--json",
                     out.with_suffix(".json")], capture_output=True, text=True, check=False)
                if done.returncode not in (0, 1):
                    sys.exit(done.stderr)
                report = json.loads(out.with_suffix(".json").read_text())
                coverage, score = report["coverage"], report["score"]
                print("| {} | {} | {:.2f} | {:.2f} | {:.4f} | {} of {} | {:.1f} | {} |".format(
                    engine, name, *errors(engine, out, clips, spoken), score["quantized"], coverage["int8_layers"],
                    coverage["layers"], report["error"]["sqnr_db"], report["verdict"]), flush=True)


if __name__ == "__main__":
    main()
