"""synthesizer.py FOLDER [CLIPS [ENGINE...]]: the vocoder of make/vocoder.py as float, as INT8 of Detent in several ways, and of
onnxruntime.quantization, in ONNX Runtime and OpenVINO. FOLDER is the one of scripts/showcase. Run it in the environment of
requirements-judge.txt, for times of one thread behind `taskset -c 0`; DETENT as in tests/engines. It trained on other clips
than it is calibrated with, and is judged on a third set, of CLIPS clips (200).

dB       of the waves against the float file's in ONNX Runtime
LSD      log-spectral distance in dB to the real waves, and to the float file's: the mean over frames of the root of the mean
         over frequencies of (20 log10 |X| / |Y|)^2 (Gray and Markel 1976, IEEE Trans. ASSP 24(5)); frames as the recognizer
         hears them, magnitudes below SILENT count as SILENT
WER      of the recognizer of make/ctc.py, which is float, on the waves; its difference to float's in the same engine, paired
ms       CPU time for one clip of median length, as timing.py tells it"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy

import recognizer
import samples
import scores
import sources
import speech
import streams

HOP, WINDOW, FFT, SILENT = 160, 400, 512, 1e-3
CALIBRATION = 32  # clips
WHOLE = 100  # lengths are multiples of it, since OpenVINO takes seconds to compile for a new one
BOUND = "--min-sqnr=30"
ROWS = {  # engine: [(file, its maker, words)]
    "onnxruntime": [("float", None, []), ("Detent", "detent", []),
                    ("Detent, `--activation dynamic`", "detent", ["--activation=dynamic"]),
                    (f"Detent, `{BOUND.replace('=', ' ')}`", "detent", [BOUND]),
                    ("onnxruntime static", "onnxruntime_static.py", []), ("onnxruntime dynamic", "onnxruntime_dynamic.py", [])],
    "openvino": [("float", None, []), ("Detent", "detent", []), (f"Detent, `{BOUND.replace('=', ' ')}`", "detent", [BOUND]),
                 ("onnxruntime static", "onnxruntime_static.py", [])]}


def spectrum(wave):
    """Returns magnitudes [frames, frequencies]."""
    frames = numpy.lib.stride_tricks.sliding_window_view(wave.astype(numpy.float64), WINDOW)[::HOP]
    return numpy.abs(numpy.fft.rfft(frames * numpy.hanning(WINDOW), FFT)).clip(SILENT)


def distance(ours, truth):
    """Returns the log-spectral distance of two lists of waves."""
    per_frame = [numpy.sqrt(((20 * numpy.log10(spectrum(one) / spectrum(other))) ** 2).mean(1)) for one, other in zip(ours, truth)]
    return numpy.concatenate(per_frame).mean()


def decibels(ours, floats):
    noise = sum(((one - other).astype(numpy.float64) ** 2).sum() for one, other in zip(ours, floats))
    return 10 * numpy.log10(sum((other.astype(numpy.float64) ** 2).sum() for other in floats) / noise) if noise else numpy.inf


class Judge:
    def __init__(self, top, folder, count):
        self.folder = folder
        self.model = sources.fetch(("made", "vocoder.py", "vocoder.onnx"), top / "downloads", lambda _: sys.executable)
        self.heard = sources.fetch(("made", "ctc.py", "ctc.onnx"), top / "downloads", lambda _: sys.executable)
        beside = self.heard.parent
        rows = samples.evenly(list(csv.DictReader(open(beside / "test.csv", newline=""))), count)
        self.spoken = [row["text"] for row in rows]
        files = [beside / "test" / row["file"] for row in rows]
        self.bands = self.features(files)
        self.waves = [self.real(file, bands.shape[1]) for file, bands in zip(files, self.bands)]
        self.data = beside / "calib"
        for part, arrays in (("calib", self.features(sorted(self.data.glob("*.wav"))[:CALIBRATION])),
                             ("test", [sorted(self.bands, key=lambda bands: bands.shape[1])[count // 2]])):
            (folder / part).mkdir()
            for number, array in enumerate(arrays):
                numpy.savez(folder / part / f"{number:04}.npz", x=array)
        self.recognizer = streams.Engine("onnxruntime", self.heard)

    @staticmethod
    def features(files):
        value = samples.onnx.helper.make_tensor_value_info("x", samples.onnx.TensorProto.FLOAT, ["n", "t", 80])
        return samples.preprocessed(types.SimpleNamespace(inputs=[value]), files, [f"--preprocess={samples.FBANK}"])

    @staticmethod
    def real(file, frames):
        """The samples in the middle of the frames, which the vocoder writes."""
        with speech.wave.open(str(file)) as opened:
            whole = numpy.frombuffer(opened.readframes(opened.getnframes()), "<i2") / 32768
        start = (WINDOW - HOP) // 2
        return whole[start:start + HOP * frames]

    def told(self, runner):
        """Returns the waves of a model. Clips are made longer with their last frame, and the waves are cut."""
        longer = [numpy.pad(bands, ((0, 0), (0, -bands.shape[1] % WHOLE), (0, 0)), "edge") for bands in self.bands]
        return [runner.call({"x": bands})[0][0][:len(wave)] for bands, wave in zip(longer, self.waves)]

    def errors(self, waves):
        """Returns what the recognizer hears."""
        with tempfile.TemporaryDirectory(prefix="detent-synthesizer-") as temporary:
            files = [pathlib.Path(temporary, f"{number:04}.wav") for number in range(len(waves))]
            for file, wave in zip(files, waves):
                speech.write(file, wave.clip(-1, 1))
            heard = [self.recognizer.call({"x": bands})[0][0] for bands in self.features(files)]
        return recognizer.Errors([scores.greedy(logits, recognizer.Ctc.TOKENS) for logits in heard], self.spoken)

    def make(self, engine, maker, words, out):
        """Returns a cell: how many layers are INT8."""
        if maker == "detent":
            (self.folder / "out.json").unlink(missing_ok=True)
            report = recognizer.detent(["quantize", self.model, f"--data={self.data}", f"--limit={CALIBRATION}", "--preprocess=fbank",
                                        f"--target={engine}"], words, out, self.folder)["coverage"]
            return f"{report['int8_layers']} of {report['layers']}"
        job = self.folder / "job.json"
        job.write_text(json.dumps({"model": str(self.model), "out": str(out), "calib": str(self.folder / "calib")}))
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name("tools") / maker, job], check=True, capture_output=True)
        return ""

    def times(self, engine, files):
        job = self.folder / "times.json"
        job.write_text(json.dumps({"engine": engine, "files": files, "samples": str(self.folder), "threads": 1, "clock": "cpu",
                                   "seconds": 3 * len(files), "numbers": False}))
        done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("timing.py"), job], check=True, capture_output=True)
        return json.loads(done.stdout)


def main():
    top, count = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory(prefix="detent-synthesizer-") as temporary:
        folder = pathlib.Path(temporary)
        judge = Judge(top, folder, count)
        truth, reference = judge.errors(judge.waves), streams.Engine("onnxruntime", judge.model)
        floats = judge.told(reference)
        print(f"{count} clips, {sum(len(text.split()) for text in judge.spoken)} words; the real waves have {truth.rate:.2f} ± "
              f"{truth.deviation():.2f} errors\n\n"
              "| engine | file | MB | ms | dB | LSD to real | LSD to float | WER % | above float | layers |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
        for engine in sys.argv[3:] or ROWS:
            lines, files, base = [], {}, None
            for number, (title, maker, words) in enumerate(ROWS[engine]):
                out, layers = folder / f"{engine}{number}.onnx", ""
                try:
                    if maker:
                        layers = judge.make(engine, maker, words, out)
                    path = out if maker else judge.model
                    waves = judge.told(streams.Engine(engine, path))
                except Exception as error:  # noqa: BLE001: each engine and tool has its own errors
                    said = getattr(error, "stderr", None) or str(error)
                    lines.append((title, None, " ".join(said.decode() if isinstance(said, bytes) else said.split())[-200:]))
                    continue
                files[title] = str(path)
                found = judge.errors(waves)
                base = base or found
                lines.append((title, path.stat().st_size / 1e6,
                              [f"{decibels(waves, floats):.1f}",
                               f"{distance(waves, judge.waves):.2f}", f"{distance(waves, floats):.2f}",
                               f"{found.rate:.2f} ± {found.deviation():.2f}",
                               f"{found.rate - base.rate:+.2f} ± {found.deviation(base):.2f}" if maker else "", layers]))
            taken = judge.times(engine, files)
            for title, size, cells in lines:
                if size is None:
                    print(f"| {engine} | {title} | failed: {cells} |", flush=True)
                else:
                    cells = [f"{size:.2f}", f"{taken[title]['ms']:.2f}", *cells]
                    print(f"| {engine} | {title} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
