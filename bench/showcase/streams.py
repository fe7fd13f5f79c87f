"""streams.py FOLDER [STREAM...]: streaming models that Detent calibrates over steps (--steps, --state), run in the real
engines with their own states over whole clips or words, beside the float model. FOLDER is the one of scripts/showcase,
whose downloads are used. Run it in the environment of requirements-judge.txt; DETENT as in tests/engines.

silero_vad, fsmn_vad   share of frames that are rightly called speech or pause; the clips' pauses are known
g2p_decoder            phonemes that differ from the float model's, of words that were not calibrated with"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy
import onnxruntime
import openvino

import networks
import samples
import scores
import sources
import speech
import texts

DETENT = samples.DETENT
CALIBRATION, TEST, PAUSE = 24, 40, 12000  # clips, clips, samples of silence on each side


class Engine:
    """A model in one engine: call(feed) -> [outputs]."""

    def __init__(self, name, path):
        self.threads = len(os.sched_getaffinity(0))
        if name == "onnxruntime":
            settings = onnxruntime.SessionOptions()
            settings.intra_op_num_threads, settings.log_severity_level = self.threads, 3
            session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
            self.call = lambda feed: session.run(None, feed)
        else:
            compiled = openvino.Core().compile_model(str(path), "CPU", {"INFERENCE_NUM_THREADS": self.threads,
                                                                        "INFERENCE_PRECISION_HINT": "f32"})
            request = compiled.create_infer_request()
            self.call = lambda feed: [numpy.array(array) for array in request.infer(feed).values()]


class Vad:
    """input, caches, the frames of a step, and the probability of speech of each frame of an output."""

    def __init__(self, name, model):
        self.network = next(network for network in networks.NETWORKS if network.name == name)
        self.form, self.caches = self.network.samples[1]["form"], self.network.samples[1]["caches"]
        self.model, self.steps = model, 40 if self.form == "silero" else 12
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self.input, *_ = [value.name for value in session.get_inputs()]
        self.start = {value.name: numpy.zeros(value.shape, numpy.float32) for value in session.get_inputs()
                      if value.name in self.caches}
        self.state = dict(zip([value.name for value in session.get_outputs()][1:], self.caches))
        self.axis = {"axis": 1} if self.form == "silero" else {"axis": 1, "length": 20}

    def clips(self, first, count):
        """Returns [(steps, whether each sample of the clip is speech)]: silence, a phrase, silence; noise over all."""
        found = []
        for seed, text in enumerate(texts.phrases()[-first - count:][:count], first):
            spoken, draw = speech.speak(text, 70000 + seed), numpy.random.default_rng(seed)
            whole = numpy.concatenate([numpy.zeros(PAUSE), spoken, numpy.zeros(PAUSE)]).astype(numpy.float32)
            truth = numpy.zeros(len(whole), bool)
            truth[PAUSE:-PAUSE] = True
            whole += draw.normal(0, .002, len(whole)).astype(numpy.float32)
            job = types.SimpleNamespace(model=self.model)
            found.append((samples.frames_of(self.form, whole, job), truth))
        return found

    def calibration(self, folder):
        """Writes whole clips, cut to `steps` steps, and returns the words of `detent quantize`."""
        for number, (steps, _) in enumerate(self.clips(0, CALIBRATION)):
            numpy.savez(folder / f"{number:02}.npz", **{self.input: numpy.concatenate(steps[:self.steps], 1)})
        state = {"feeds": self.state, "cut": {self.input: self.axis}}
        return [f"--data={folder}"], state

    def score(self, engine):
        right = total = 0
        for steps, truth in self.clips(CALIBRATION, TEST):
            state, probabilities = dict(self.start), []
            for step in steps:
                output, *rest = engine.call({self.input: step, **state})
                state = dict(zip(self.caches, rest))
                probabilities += [output.reshape(-1)] if self.form == "silero" else [1 - output[0, :, 0]]
            told = numpy.concatenate(probabilities) > .5
            hop = 512 if self.form == "silero" else 160
            spoken = truth[[min(len(truth) - 1, hop * i + hop // 2) for i in range(len(told))]]
            right, total = right + (told == spoken).sum(), total + len(told)
        return f"{100 * right / total:.2f} % of {total} frames right"


class Decoder:
    """The decoder of g2p-en, which begins with the state of its encoder and reads its own phonemes."""

    def __init__(self, _, model):
        self.model, self.steps = model, 8
        self.letters = json.loads((model.parent / "letters.json").read_text())
        self.encoder = Engine("onnxruntime", model.parent / "encoder.onnx")
        self.truth = None

    def words(self, first, count):
        spelled = sorted({word.lower() for _, sentence in texts.sentences() for word in sentence.split() if word.isalpha()
                          and len(word) > 5})
        return spelled[first::max(1, len(spelled) // count)][:count]

    def phonemes(self, engine, word, steps=20):
        """Returns (phonemes, the first state)."""
        ids = [self.letters.index(letter) for letter in word] + [self.letters.index("</s>")]
        (state,), previous, told = self.encoder.call({"letters": numpy.array([ids])}), 2, []
        first = state
        for _ in range(steps):
            logits, state = engine.call({"previous": numpy.array([[previous]]), "state": state})
            previous = int(logits.argmax())
            if previous == 3:
                break
            told.append(previous)
        return told, first

    def calibration(self, folder):
        floats = Engine("onnxruntime", self.model)
        for number, word in enumerate(self.words(0, 60)):
            told, state = self.phonemes(floats, word)
            read = ([2, *told] + [3] * self.steps)[:self.steps]
            numpy.savez(folder / f"{number:02}.npz", previous=numpy.array([read]), state=state)
        return [f"--data={folder}"], {"feeds": {"next_state": "state"}, "cut": {"previous": 1}, "start": {"state": "data"}}

    def score(self, engine):
        chosen = self.words(1, 200)
        told = [self.phonemes(engine, word)[0] for word in chosen]
        self.truth = self.truth or told  # the float model is judged first
        wrong = sum(scores.edits(ours, truth) for ours, truth in zip(told, self.truth))
        return (f"{100 * wrong / sum(map(len, self.truth)):.2f} % of {sum(map(len, self.truth))} phonemes of {len(chosen)} "
                "words differ")


STREAMS = {"silero_vad": Vad, "fsmn_vad": Vad, "g2p_decoder": Decoder}


def main():
    top = pathlib.Path(sys.argv[1])
    print("| stream | engine | float | INT8 | layers | dB over steps | verdict |\n| --- | --- | --- | --- | --- | ---: | --- |")
    for name in sys.argv[2:] or STREAMS:
        network = next(network for network in networks.NETWORKS if network.name == name)
        stream = STREAMS[name](name, sources.fetch(network.where, top / "downloads", lambda _: sys.executable))
        for engine in ("onnxruntime", "openvino"):
            with tempfile.TemporaryDirectory(prefix="detent-streams-") as temporary:
                folder = pathlib.Path(temporary)
                (folder / "data").mkdir()
                words, state = stream.calibration(folder / "data")
                (folder / "state.json").write_text(json.dumps(state))
                done = subprocess.run([DETENT, "quantize", stream.model, *words, f"--steps={stream.steps}",
                                       f"--state={folder / 'state.json'}", f"--target={engine}",
                                       "--accept-broken", "--quiet", "-o", folder / "out.onnx", "--json",
                                       folder / "out.json"], capture_output=True, text=True, check=False)
                if done.returncode not in (0, 1):
                    print(f"| {name} | {engine} | | {done.stderr.strip()} | | | |", flush=True)
                    continue
                report = json.loads((folder / "out.json").read_text())
                before, after = (stream.score(Engine(engine, path)) for path in (stream.model, folder / "out.onnx"))
                coverage, error = report["coverage"], report["error"]["sqnr_db"]
                print(f"| {name} | {engine} | {before} | {after} | {coverage['int8_layers']} of {coverage['layers']} | "
                      f"{'exact' if error is None else f'{error:.1f}'} | {report['verdict']} |", flush=True)


if __name__ == "__main__":
    main()
