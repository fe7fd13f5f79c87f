"""recognizer.py FOLDER [whisper|ctc|transducer|tdt[:swapped][=REGEX]...]: word errors and CPU seconds of speech recognizers as float,
as INT8 in several ways, and with a bound, in ONNX Runtime and OpenVINO. FOLDER is the one of scripts/showcase. Run it in the
environment of requirements-judge.txt, for times of one thread behind `taskset -c 0`; DETENT as in tests/engines. Clips to
calibrate with, to bound with and to judge on are three sets; with :swapped the last two change places. Only rows whose engine
and words match REGEX are made, and the floats.

whisper   OpenAI's Whisper tiny.en on recorded prompts of a telephone exchange: an encoder, and a decoder with its cache that
          reads its own words. Detent quantizes both as one pipeline; the engines decode greedily here.
ctc       the recognizer of make/ctc.py on clips of espeak-ng, CTC without a language model. Detent reads the texts, too
          (--transcripts, --vocab), for its bound.
transducer, tdt
          the same for the two of make/transducer.py: an encoder, an LSTM over the letters so far and a joiner, which Detent
          quantizes as one pipeline and decodes for its bound; the engines decode greedily here. A TDT also tells durations.

Errors are counted here. A row has the rate, its difference to float in the same engine with the standard error of that
difference over clips, CPU seconds of the engine and of decoding for all clips when it has seen their lengths before, layers,
and seconds of Detent."""

import csv
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

import samples
import scores
import sources
import speech
import streams

BOUND = .005  # a rise of the word error rate, as a fraction
DIGITS = dict(zip("0123456789", "zero one two three four five six seven eight nine".split()))


def plain(text):
    """Returns words of letters: capitals and marks do not count, and a digit is its word."""
    spelled = re.sub(r"\d", lambda digit: f" {DIGITS[digit[0]]} ", text.lower().replace("'", ""))
    return " ".join(re.findall(r"[a-z]+", spelled))


class Errors:
    """Errors of words and letters, clip by clip."""

    def __init__(self, told, spoken):
        pairs = [(ours.split(), truth.split()) for ours, truth in zip(told, spoken)]
        self.wrong = numpy.array([scores.edits(*pair) for pair in pairs], float)
        self.words = numpy.array([len(truth) for _, truth in pairs], float)
        self.rate, self.letters = 100 * self.wrong.sum() / self.words.sum(), scores.rate(list(zip(told, spoken)))

    def deviation(self, other=None):
        """Returns the standard error of the rate, or of its difference to another one on the same clips."""
        wrong = self.wrong - (other.wrong if other else 0)
        rest = wrong - self.words * wrong.sum() / self.words.sum()
        return 100 * math.sqrt((rest ** 2).sum()) / self.words.sum()


def detent(command, words, out, folder):
    """Returns Detent's report."""
    done = subprocess.run([samples.DETENT, *command, *words, "--accept-broken", "--quiet", "-o", out, "--json",
                           folder / "out.json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip())
    return json.loads((folder / "out.json").read_text())


class Ctc:
    TOKENS, CLIPS = ["", " ", *"abcdefghijklmnopqrstuvwxyz"], 200
    BOUND, INT4 = f"--max-drop={BOUND}", ["--type=int4", "--block=channel"]
    ROWS = [("onnxruntime", "float", None, []),
            ("onnxruntime", "INT8", "quantize", []),
            ("onnxruntime", "with a bound", "quantize", [BOUND]),
            ("onnxruntime", "`--activation dynamic`", "quantize", ["--activation=dynamic"]),
            ("onnxruntime", "`--calibrator percentile:96`", "quantize", ["--calibrator=percentile:96"]),
            ("onnxruntime", "with a bound", "quantize", ["--calibrator=percentile:96", BOUND]),
            ("onnxruntime", "`quantize-weights --type int4 --block channel`", "quantize-weights", INT4),
            ("onnxruntime", "with a bound", "quantize-weights", [*INT4, BOUND]),
            ("openvino", "float", None, []),
            ("openvino", "INT8", "quantize", []),
            ("openvino", "with a bound", "quantize", [BOUND]),
            ("openvino", "`--calibrator percentile:96`", "quantize", ["--calibrator=percentile:96"]),
            ("openvino", "with a bound", "quantize", ["--calibrator=percentile:96", BOUND])]

    def __init__(self, top, temporary, swapped=False):
        self.model = sources.fetch(("made", "ctc.py", "ctc.onnx"), top / "downloads", lambda _: sys.executable)
        self.folder, rows = self.model.parent, list(csv.DictReader(open(self.model.with_name("test.csv"), newline="")))
        self.bounded = temporary / "bounded"
        self.bounded.mkdir()
        # One half of the test clips is Detent's, the other one is judged.
        ours, judged = (slice(start, start + self.CLIPS) for start in ((len(rows) // 2, 0) if swapped else (0, len(rows) // 2)))
        for row in rows[ours]:
            shutil.copy(self.folder / "test" / row["file"], self.bounded)
        with open(temporary / "bounded.csv", "w", newline="") as file:
            table = csv.DictWriter(file, ["file", "text"])
            table.writeheader()
            table.writerows(rows[ours])
        _, clips, _ = samples.spoken_features(samples.Job(self.model, 1, len(rows), top))
        self.clips, self.spoken = clips[judged], [row["text"] for row in rows[judged]]
        self.truth = [f"--eval={self.bounded}", f"--transcripts={temporary / 'bounded.csv'}",
                      f"--vocab={self.folder / 'tokens.txt'}", "--preprocess=fbank"]

    def make(self, engine, command, words, folder):
        data = [f"--data={self.folder / 'calib'}", "--limit=60", f"--target={engine}"] if command == "quantize" else []
        out = folder / "out.onnx"
        report = detent([command, self.model, *data], [*self.truth, *words], out, folder)
        return out, report

    def load(self, engine, path):
        return [streams.Engine(engine, path)]

    def told(self, model):
        return [scores.greedy(model.call({"x": clip["x"]})[0][0], self.TOKENS) for clip in self.clips]


class Whisper:
    START, END, PACE = [50257, 50362], 50256, 6  # tokens a second at most: a decoder that repeats itself is cut short
    ROWS = [("onnxruntime", "float", None, []),
            ("onnxruntime", "INT8", "quantize", []),
            ("onnxruntime", "`--activation dynamic`", "quantize", ["--activation=dynamic"]),
            ("onnxruntime", "`--exclude ^dec:`: the decoder stays float", "quantize", ["--exclude=^dec:"]),
            ("openvino", "float", None, []),
            ("openvino", "INT8", "quantize", [])]

    def __init__(self, top, temporary):
        self.top, folder = top, sources.fetch(("made", "whisper.py", "encoder.onnx"), top / "downloads", lambda _: sys.executable).parent
        self.model, self.tokens = folder, json.loads((folder / "tokens.json").read_text())
        self.letters = self.bytes_of_letters()
        self.data, judged = temporary / "calib", temporary / "test"
        self.data.mkdir()
        judged.mkdir()
        self.spoken, self.seconds = [], []
        for number, (clip, text, seconds) in enumerate(speech.prompts(top / "downloads")):
            shutil.copy(clip, (judged if number % 6 else self.data) / f"{number:04}.wav")
            if number % 6:
                self.spoken.append(plain(text))
                self.seconds.append(seconds)
        value = samples.onnx.helper.make_tensor_value_info("mel", samples.onnx.TensorProto.FLOAT, ["n", 80, 1000])
        job = type("Bands", (), {"inputs": [value]})
        self.clips = samples.preprocessed(job, sorted(judged.iterdir()), ["--preprocess=log-mel"])
        parts = [f"{part}_{layer}" for part in ("key", "value") for layer in range(4)]
        (temporary / "pair.json").write_text(json.dumps({
            "models": {"enc": str(folder / "encoder.onnx"), "dec": str(folder / "decoder.onnx")},
            "feeds": {f"enc:cross_{part}": f"dec:cross_{part}" for part in parts},
            "loop": {"model": "dec", "steps": 12, "state": {
                "feeds": {**{part: f"past_{part}" for part in parts}, "argmax(logits)": "ids"},
                "start": {"ids": self.START}}}}))
        self.pipeline = temporary / "pair.json"

    @staticmethod
    def bytes_of_letters():
        """GPT-2 writes bytes that print as their letter, others as letters from 256 on."""
        printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [byte for byte in range(256) if byte not in printed]
        return {chr(byte): byte for byte in printed} | {chr(256 + i): byte for i, byte in enumerate(others)}

    def make(self, engine, command, words, folder):
        out = folder / "out"
        report = detent(["quantize", "--pipeline", self.pipeline, self.model / "encoder.onnx", self.model / "decoder.onnx",
                         f"--data=enc:mel={self.data}", "--preprocess=log-mel", f"--target={engine}"], words, out, folder)
        return out, report

    def load(self, engine, path):
        return [streams.Engine(engine, path / name) for name in ("encoder.onnx", "decoder.onnx")]

    def told(self, encoder, decoder):
        return [plain(self.decoded(encoder, decoder, clip, round(self.PACE * seconds)))
                for clip, seconds in zip(self.clips, self.seconds)]

    def decoded(self, encoder, decoder, clip, steps):
        parts = [f"{part}_{layer}" for layer in range(4) for part in ("key", "value")]
        memory = {f"cross_{part}": array for part, array in zip(parts, encoder.call({"mel": clip}))}
        state, ids, told = {f"past_{part}": numpy.zeros((1, 0, 384), numpy.float32) for part in parts}, self.START, []
        for _ in range(steps):
            logits, *rest = decoder.call({"ids": numpy.array([ids], numpy.int64), **memory, **state})
            state, ids = {f"past_{part}": array for part, array in zip(parts, rest)}, [int(logits[..., :self.START[0]].argmax())]
            if ids[0] == self.END:
                break
            told += ids
        return bytes(self.letters[letter] for token in told for letter in self.tokens[token]).decode(errors="replace")


class Transducer(Ctc):
    STATIC = ["--activation=uint8"]
    LOOSE, LOOSER = ["--accuracy=fast", "--calibrator=percentile:97"], ["--accuracy=fast", "--calibrator=percentile:90"]
    ROWS = [("onnxruntime", "float", None, []),
            ("onnxruntime", "INT8: scales at run time", "quantize", []),
            ("onnxruntime", "`--activation uint8`", "quantize", STATIC),
            ("onnxruntime", "`--activation uint8 --calibrator percentile:97`", "quantize", [*STATIC, *LOOSE]),
            ("onnxruntime", "with a bound", "quantize", [*STATIC, *LOOSE, Ctc.BOUND]),
            ("onnxruntime", "`--activation uint8 --calibrator percentile:90`", "quantize", [*STATIC, *LOOSER]),
            ("onnxruntime", "with a bound", "quantize", [*STATIC, *LOOSER, Ctc.BOUND]),
            ("openvino", "float", None, []),
            ("openvino", "INT8", "quantize", [])]
    FILES = ("encoder.onnx", "predictor.onnx", "joiner.onnx")
    MADE, DECODED = ("made", "transducer.py", "encoder.onnx"), {"kind": "transducer"}
    BLANK, STATE, MOST_PER_FRAME = 0, 128, 10

    def __init__(self, top, temporary, swapped=False):
        super().__init__(top, temporary, swapped)
        self.truth[0] = f"--eval=enc:x={self.bounded}"
        self.model = sources.fetch(self.MADE, top / "downloads", lambda _: sys.executable).parent
        self.pipeline = temporary / "transducer.json"
        self.pipeline.write_text(json.dumps({
            "models": {name: str(self.model / file) for name, file in zip(("enc", "pred", "join"), self.FILES)},
            "feeds": {"enc:memory": "join:frame", "pred:told": "join:told"},
            "loop": {"model": "pred", "steps": 100, "state": {
                "feeds": {"h_next": "h", "c_next": "c", "argmax(join:scores)": "ids"}, "start": {"ids": self.BLANK}}},
            "decode": {**self.DECODED, "blank": self.BLANK, "frames": "enc:memory"}}))

    def make(self, engine, command, words, folder):
        data = [f"--data=enc:x={self.folder / 'calib'}", "--limit=60", f"--target={engine}"]
        out = folder / "out"
        return out, detent([command, self.pipeline, *data], [*self.truth, *words], out, folder)

    def load(self, engine, path):
        return [streams.Engine(engine, path / file) for file in self.FILES]

    def told(self, encoder, predictor, joiner):
        zeros = numpy.zeros((1, 1, self.STATE), numpy.float32)

        def after(letter, h=zeros, c=zeros):
            return predictor.call({"ids": numpy.array([[letter]]), "h": h, "c": c})
        texts = []
        for clip in self.clips:
            frames, text, said, moment, here = encoder.call({"x": clip["x"]})[0][0], [], after(self.BLANK), 0, 0
            while moment < len(frames):
                letter, skip = self.choice(joiner.call({"frame": frames[None, moment:moment + 1], "told": said[0]})[0][0, 0])
                if letter != self.BLANK:
                    text.append(letter)
                    said, here = after(letter, *said[1:]), here + 1
                if not skip and (letter == self.BLANK or here == self.MOST_PER_FRAME):
                    skip = 1
                moment, here = moment + skip, 0 if skip else here
            texts.append("".join(self.TOKENS[letter] for letter in text))
        return texts

    def choice(self, found):
        """Returns a letter, and how many frames to go on with it: a blank goes on by itself."""
        return int(found.argmax()), 0


class Tdt(Transducer):
    DURATIONS = [0, 1, 2, 3, 4]  # of make/transducer.py
    MADE, DECODED = (*Transducer.MADE, "tdt"), {"kind": "tdt", "durations": DURATIONS}

    def choice(self, found):
        letters = len(self.TOKENS)
        return int(found[:letters].argmax()), self.DURATIONS[int(found[letters:].argmax())]


RECOGNIZERS = {"whisper": Whisper, "ctc": Ctc, "transducer": Transducer, "tdt": Tdt}


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or ["whisper", *[name + half for name in list(RECOGNIZERS)[1:] for half in ("", ":swapped")]]:
        with tempfile.TemporaryDirectory(prefix="detent-recognizer-") as temporary:
            name, _, chosen = name.partition("=")
            kind, _, swapped = name.partition(":")
            recognizer = RECOGNIZERS[kind](top, pathlib.Path(temporary), *([True] if swapped else []))
            print(f"\n{name}: {len(recognizer.spoken)} clips, {sum(len(text.split()) for text in recognizer.spoken)} words\n\n"
                  "| engine | file | WER % | above float | CER % | CPU s | layers | "
                  "Detent's clips: float -> quantized (-> bounded) | Detent, s |\n"
                  "| --- | --- | ---: | ---: | ---: | ---: | --- | --- | ---: |")
            floats = {}
            for number, (engine, title, command, words) in enumerate(recognizer.ROWS):
                if command and not re.search(chosen, " ".join([engine, *words])):
                    continue
                folder, row = pathlib.Path(temporary) / str(number), ["", "", ""]
                folder.mkdir()
                path, report, begun = recognizer.model, None, time.monotonic()
                if command:
                    path, report = recognizer.make(engine, command, words, folder)
                made, engines = time.monotonic() - begun, recognizer.load(engine, path)
                recognizer.told(*engines)  # OpenVINO compiles for each new length
                begun = time.process_time()
                texts, taken = recognizer.told(*engines), time.process_time() - begun
                found = Errors(texts, recognizer.spoken)
                floats.setdefault(engine, found)
                if command:
                    row[0] = f"{found.rate - floats[engine].rate:+.2f} ± {found.deviation(floats[engine]):.2f}"
                if report:
                    row[1:] = summary(report)
                print(f"| {engine} | {title} | {found.rate:.2f} ± {found.deviation():.2f} | {row[0]} | {found.letters:.2f} | "
                      f"{taken:.1f} | {row[1]} | {row[2]} | {made:.0f} |", flush=True)
                shutil.rmtree(folder)


def summary(report):
    """Returns cells: layers, and the word error rate that Detent measured on its own clips, with the bound's outcome."""
    coverage, bound, score = (report.get(name) or {} for name in ("coverage", "bound", "score"))
    weights = (report.get("weight_only") or {}).get("layers")
    quantized, whole = (sum(layer["quantized"] for layer in weights), len(weights)) if weights else \
        (coverage["int8_layers"], coverage["layers"])
    layers = f"{quantized} of {whole}"
    if bound:
        return [layers, f"{100 * bound['fp32']:.2f} -> {100 * bound['all_int8']:.2f} -> {100 * bound['reached']:.2f}, "
                        f"{bound['outcome']}"]
    return [layers, f"{100 * score['float']:.2f} -> {100 * score['quantized']:.2f}" if score else ""]


if __name__ == "__main__":
    main()
