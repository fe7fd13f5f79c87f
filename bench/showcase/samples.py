"""samples.py JOB.json: writes the samples of a network as every tool gets them: calib/0000.npz ... and test/0000.npz ...,
one array for each input, and truths.json. The functions are named in networks.py; each returns (calibration samples,
test samples, truths), where a sample is {input: array} and a truth is what a function of scores.py takes."""

import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

import speech
import texts

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED") or ROOT.parent / "shared")
DETENT = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
FBANK = "fbank"


class Job:
    """The model, and how many samples are wanted."""

    def __init__(self, model, calibration, test, work):
        self.model, self.calibration, self.test, self.work = pathlib.Path(model), calibration, test, pathlib.Path(work)
        self.loaded = onnx.load(model, load_external_data=False)
        constants = {tensor.name for tensor in self.loaded.graph.initializer}
        self.inputs = [value for value in self.loaded.graph.input if value.name not in constants]

    def input(self):
        return self.inputs[0].name

    def session(self):
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads, settings.log_severity_level = len(os.sched_getaffinity(0)), 3
        return onnxruntime.InferenceSession(str(self.model), settings, providers=["CPUExecutionProvider"])


def evenly(items, count):
    return [items[i * len(items) // count] for i in range(count)] if count < len(items) else list(items)


def halves(items, same):
    """Returns the items for calibration and for the test; one folder for both is dealt out in turn."""
    return (items[0::2], items[1::2]) if same else (items, items)


# --- Images ---

def preprocessed(job, files, words):
    """Returns the arrays of files as `detent run` makes them with --preprocess."""
    value = job.inputs[0]
    with tempfile.TemporaryDirectory(prefix="detent-showcase-") as temporary:
        folder = pathlib.Path(temporary)
        output = onnx.ValueInfoProto(name="copy", type=value.type)
        graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", [value.name], ["copy"])], "copy", [value], [output])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8),
                  folder / "copy.onnx")
        (folder / "list.txt").write_text("".join(f"{file}\n" for file in files))
        subprocess.run([DETENT, "run", folder / "copy.onnx", "-o", folder / "out", f"--data={folder / 'list.txt'}", *words,
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        if (folder / "out/copy.npy").exists():
            stack = numpy.load(folder / "out/copy.npy")
            return [stack[i:i + 1] for i in range(len(stack))]
        return [numpy.load(path) for path in sorted((folder / "out/copy").glob("*.npy"))]


def images(job, calib, test, preprocess, labels=None, masks=None, listed=None):
    base = SHARED / "images"

    def files_of(folder):
        return sorted(path for path in (base / folder).iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    first, second = halves(files_of(calib), False) if calib == test else (files_of(calib), files_of(test))
    if calib == test:
        first, second = files_of(calib)[0::2], files_of(calib)[1::2]
    truths = [None] * len(second)
    if labels:
        rows = list(csv.DictReader(open(base / labels, newline="")))
        second, truths = [base / test / row["file"] for row in rows], [int(row["label"]) for row in rows]
    if masks:
        truths = [str(base / masks / f"{path.stem}.png") for path in second]
    if listed:
        entries = json.loads((base / listed).read_text())["images"]
        second, truths = [base / test / entry["file"] for entry in entries], list(range(len(entries)))
    order = evenly(list(range(len(second))), job.test)
    words = [f"--preprocess={preprocess}"]
    made = [[{job.input(): array} for array in preprocessed(job, files, words)]
            for files in (evenly(first, job.calibration), [second[i] for i in order])]
    return made[0], made[1], [truths[i] for i in order]


def drawn(lines, size, draw):
    """Returns a picture of lines of text: random size, place, grey values and noise."""
    from PIL import Image, ImageDraw, ImageFont
    height, width = size
    paper, ink = draw.randint(150, 255), draw.randint(0, 90)
    picture = Image.new("L", (width, height), paper)
    pen, step = ImageDraw.Draw(picture), height / len(lines)
    font = ImageFont.load_default(step * draw.uniform(.55, .75))
    for number, line in enumerate(lines):
        pen.text((draw.randint(2, 8), number * step + draw.uniform(0, .15) * step), line, font=font, fill=ink)
    grain = numpy.random.default_rng(draw.randint(0, 1 << 30)).normal(0, draw.uniform(0, 12), (height, width))
    return (numpy.asarray(picture) + grain).clip(0, 255)


def colour(grey):
    """Returns [1, 3, H, W] from -1 to 1, as PP-OCR's readers of lines take it."""
    return numpy.repeat(grey[None, None] / 127.5 - 1, 3, 1).astype(numpy.float32)


def turned_text(job, size, turns, lines, deviation):
    """Text by a known number of turns of 360 / turns degrees: the truth."""
    pool, draw = [sentence for _, sentence in texts.sentences()], random.Random(1)
    made, truths = [], []
    for number in range(job.calibration + job.test):
        grey = drawn([draw.choice(pool) for _ in range(lines)], size, draw)
        turn = number % turns
        grey = numpy.rot90(grey, turn * (4 // turns))
        array = colour(grey)
        if deviation:
            mean, scale = (numpy.array(values, numpy.float32).reshape(1, 3, 1, 1)
                           for values in ((.485, .456, .406), (.229, .224, .225)))
            array = ((array + 1) / 2 - mean) / scale
        made.append({job.input(): array})
        truths.append({4: [0, 3, 2, 1], 2: [0, 1]}[turns][turn])
    return made[:job.calibration], made[job.calibration:], truths[job.calibration:]


def text_lines(job, size):
    draw = random.Random(2)
    made, truths = [], []
    for text in texts.phrases()[:job.calibration + job.test]:
        text = " ".join(text.split()[:3])
        made.append({job.input(): colour(drawn([text], size, draw))})
        truths.append(text)
    return made[:job.calibration], made[job.calibration:], truths[job.calibration:]


# --- Text and bytes ---

def token_ids(job, tokenizer, length=48, each=4):
    """Sentences of test topics; the truth is the topic. Calibration takes other topics."""
    import tokenizers
    path = next(job.model.parent.glob(f"*{tokenizer}"))
    reader = tokenizers.Tokenizer.from_file(str(path))
    reader.enable_truncation(length)
    reader.enable_padding(length=length)
    groups = texts.topics(10000, each, 3)
    test, calibration = groups[:job.test // each], groups[job.test // each:]
    used = {topic for topic, _ in test}
    pool = [sentence for topic, sentence in texts.sentences() if topic not in used]
    random.Random(4).shuffle(pool)
    if not calibration:
        pool = pool or [sentence for _, members in test for sentence in members]

    def arrays(sentence):
        coded = reader.encode(sentence)
        columns = {"input_ids": coded.ids, "attention_mask": coded.attention_mask, "token_type_ids": coded.type_ids}
        return {value.name: numpy.array([columns[value.name]], numpy.int64) for value in job.inputs}
    return ([arrays(sentence) for sentence in pool[:job.calibration]],
            [arrays(sentence) for _, members in test for sentence in members],
            [topic for topic, members in test for _ in members])


def file_bytes(job, config):
    """Files of this machine whose extension tells their type, each tool's 1024 first and last bytes."""
    settings = json.loads((job.model.parent / config).read_text())
    space = settings["target_labels_space"]
    kinds = {".py": "python", ".c": "c", ".h": "c", ".html": "html", ".css": "css", ".js": "javascript", ".json": "json",
             ".sh": "shell", ".xml": "xml", ".png": "png", ".svg": "svg", ".jar": "jar", ".gz": "gzip", ".zip": "zip",
             ".pl": "perl", ".pm": "perl", ".md": "markdown", ".rst": "rst", ".java": "java", ".so": "elf", ".pem": "pem",
             ".gif": "gif", ".ttf": "ttf", ".rb": "ruby", ".go": "go", ".toml": "toml", ".ini": "ini", ".bat": "batch"}
    groups = {}
    for top in ("/usr/lib", "/usr/share"):
        for folder, below, names in os.walk(top):
            below.sort()
            for name in sorted(names):
                path = pathlib.Path(folder, name)
                kind = kinds.get(path.suffix)
                if kind in space and not path.is_symlink() and len(groups.setdefault(kind, [])) < 60 and \
                        path.stat().st_size > 64:
                    groups[kind].append(path)
    draw, chosen = random.Random(5), []
    for kind, paths in sorted(groups.items()):
        draw.shuffle(paths)
    deepest = max(map(len, groups.values()))
    for rank in range(deepest):
        chosen += [(kind, paths[rank]) for kind, paths in sorted(groups.items()) if rank < len(paths)]
    made = []
    for _, path in chosen[:job.calibration + job.test]:
        content, size, block = path.read_bytes(), settings["beg_size"], settings["block_size"]
        first, last = content[:block].lstrip()[:size], content[-block:].rstrip()[-settings["end_size"]:]
        pad = settings["padding_token"]
        row = [*first, *[pad] * (size - len(first)), *[pad] * (settings["end_size"] - len(last)), *last]
        made.append({job.input(): numpy.array([row], numpy.int32)})
    truths = [space.index(kind) for kind, _ in chosen[:len(made)]]
    return made[:job.calibration], made[job.calibration:], truths[job.calibration:]


def next_letters(job):
    folder = job.model.parent
    calibration, test = numpy.load(folder / "calib_ids.npy"), numpy.load(folder / "eval_ids.npy")
    test = evenly(list(test), job.test)
    return ([{job.input(): row[None].astype(numpy.int64)} for row in evenly(list(calibration), job.calibration)],
            [{job.input(): row[None, :-1].astype(numpy.int64)} for row in test], [row[1:].tolist() for row in test])


def words(job, part):
    """Words letter by letter for the encoder; states and phonemes of the float model's run for the decoder. The truth
    is not used: a score compares with the float model."""
    spelled = sorted({word.lower() for _, sentence in texts.sentences() for word in sentence.split() if word.isalpha()})
    random.Random(6).shuffle(spelled)
    vocabulary = json.loads((job.model.parent / "letters.json").read_text())
    encoder = onnxruntime.InferenceSession(str(job.model.parent / "encoder.onnx"), providers=["CPUExecutionProvider"])
    decoder = onnxruntime.InferenceSession(str(job.model.parent / "decoder.onnx"), providers=["CPUExecutionProvider"])
    made = []
    for word in spelled:
        if len(made) >= job.calibration + job.test:
            break
        ids = numpy.array([[vocabulary.index(letter) for letter in word] + [vocabulary.index("</s>")]], numpy.int64)
        if part == "encoder":
            made.append({"letters": ids})
            continue
        (state,), previous = encoder.run(None, {"letters": ids}), numpy.array([[2]], numpy.int64)
        for _ in range(20):
            made.append({"previous": previous, "state": state})
            logits, state = decoder.run(None, {"previous": previous, "state": state})
            previous = logits.argmax(-1)[None]
            if previous[0, 0] == 3:
                break
    made = made[:job.calibration + job.test]
    return made[:job.calibration], made[job.calibration:], [None] * (len(made) - job.calibration)


# --- Arrays beside a model ---

def stacks(job):
    """calib__INPUT.npy and eval__INPUT.npy: axis 0 counts samples, and is the batch axis where inputs.json says so."""
    folder = job.model.parent
    axes = json.loads((folder / "inputs.json").read_text())["fixed_or_batch"]

    def samples_of(part, count):
        arrays = {name: numpy.load(folder / f"{part}__{name}.npy") for name in axes}
        order = evenly(list(range(len(next(iter(arrays.values()))))), count)
        return [{name: array[i:i + 1] if axes[name] == "batch" else array[i] for name, array in arrays.items()}
                for i in order]
    test = samples_of("eval", job.test)
    return samples_of("calib", job.calibration), test, [None] * len(test)


def random_numbers(job):
    """For networks whose weights are random, too: normal floats, whole numbers below 60; open axes are 1, then 16."""
    generator = numpy.random.default_rng(1)

    def array(value):
        tensor = value.type.tensor_type
        shape = [size.dim_value or (16 if axis else 1) for axis, size in enumerate(tensor.shape.dim)]
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        if kind == bool:
            return numpy.ones(shape, bool)
        numbers = generator.standard_normal(shape) if kind.kind == "f" else generator.integers(0, 60, shape)
        return numbers.astype(kind)
    made = [{value.name: array(value) for value in job.inputs} for _ in range(job.calibration + job.test)]
    return made[:job.calibration], made[job.calibration:], [None] * job.test


def latents(job):
    folder = job.model.parent
    test = numpy.load(folder / "eval/latents.npy")
    order = evenly(list(range(len(test))), job.test)

    def batch(array):
        return array if array.ndim == 5 else array[None]
    calibration = evenly(sorted((folder / "calib").glob("*.npy")), job.calibration)
    return ([{job.input(): batch(numpy.load(path))} for path in calibration],
            [{job.input(): test[i:i + 1]} for i in order], [[str(folder / "eval/occupancy_bits.npy"), i] for i in order])


# --- Sound ---

def spoken(job, seed=50000):
    """Returns (text, samples) for each wanted clip."""
    wanted = job.calibration + job.test
    return [(text, speech.speak(text, seed + i)) for i, text in enumerate(texts.phrases()[-wanted:])]


def spoken_features(job):
    """The clips that make/ctc.py kept aside, as `--preprocess fbank` makes them; the truth is the text."""
    folder = job.model.parent
    rows = {part: evenly(list(csv.DictReader(open(folder / f"{part}.csv", newline=""))), count)
            for part, count in (("calib", job.calibration), ("test", job.test))}
    made = {part: [{job.input(): array} for array in
                   preprocessed(job, [folder / part / row["file"] for row in chosen], [f"--preprocess={FBANK}"])]
            for part, chosen in rows.items()}
    return made["calib"], made["test"], [row["text"] for row in rows["test"]]


def recorded(job):
    """Every second recorded prompt is for calibration, as Whisper's features; there is no truth of an encoder."""
    clips = [clip for clip, *_ in speech.prompts(job.model.parent.parent)]
    first, second = halves(clips, True)
    made = [[{job.input(): array} for array in preprocessed(job, evenly(files, count), ["--preprocess=log-mel"])]
            for files, count in ((first, job.calibration), (second, job.test))]
    return made[0], made[1], [None] * len(made[1])


def spoken_samples(job, length):
    made = [{job.input(): numpy.resize(samples, length)[None]} for _, samples in spoken(job)]
    return made[:job.calibration], made[job.calibration:], [None] * job.test


def melodies(job, length, rate):
    """Chords of decaying harmonics, as no recording of music is at hand."""
    made = []
    for seed in range(job.calibration + job.test):
        draw, time = numpy.random.default_rng(seed), numpy.arange(length) / rate
        sound = draw.normal(0, .003, length)
        for _ in range(draw.integers(4, 14)):
            pitch, start = 440 * 2 ** ((draw.integers(36, 84) - 69) / 12), draw.uniform(0, 1.8)
            since = numpy.maximum(time - start, 0)
            for harmonic in range(1, 7):
                sound += (time >= start) * numpy.exp(-since * draw.uniform(1, 5)) * .1 / harmonic * \
                    numpy.sin(2 * numpy.pi * pitch * harmonic * since)
        made.append({job.input(): sound.clip(-1, 1).astype(numpy.float32)[None, :, None]})
    return made[:job.calibration], made[job.calibration:], [None] * job.test


def spoken_steps(job, form, caches):
    """Steps of a streaming model over clips with pauses. The float model's states feed each step, so every tool sees the
    same samples. The truth is not used: a score compares with the float model."""
    session, declared = job.session(), {value.name: value for value in job.session().get_inputs()}
    returned = [value.name for value in session.get_outputs()]
    feeds = dict(zip(caches, returned[1:]))
    made, clips = [], spoken(Job(job.model, 0, 60, job.work))
    wanted, each = job.calibration + job.test, 12
    draw = numpy.random.default_rng(7)
    for _, samples in clips:
        quiet = draw.normal(0, .002, 8000).astype(numpy.float32)
        cut = frames_of(form, numpy.concatenate([quiet, samples, quiet]), job)
        state = {name: numpy.zeros([size if isinstance(size, int) else 1 for size in declared[name].shape], numpy.float32)
                 for name in caches}
        kept = []
        for frame in cut:
            sample = {job.input(): frame, **state}
            outputs = dict(zip(returned, session.run(None, sample)))
            state = {name: outputs[output] for name, output in feeds.items()}
            kept.append(sample)
        made += evenly(kept, each)
        if len(made) >= wanted:
            break
    made = made[:wanted]
    return made[:job.calibration], made[job.calibration:], [None] * (len(made) - job.calibration)


def frames_of(form, samples, job):
    if form == "silero":  # 512 samples behind the last 64 of the frame before
        padded = numpy.concatenate([numpy.zeros(64, numpy.float32), samples])
        return [padded[i:i + 576][None] for i in range(0, len(padded) - 576, 512)]
    with tempfile.TemporaryDirectory(prefix="detent-showcase-") as temporary:  # fsmn: 5 frames of 80 bands side by side
        clip = pathlib.Path(temporary) / "clip.wav"
        speech.write(clip, samples)
        value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", "t", 80])
        features = preprocessed(type("Bands", (), {"inputs": [value]}), [clip], [f"--preprocess={FBANK}"])[0][0]
    shift, scale = mvn(job.model.parent / "am.mvn")
    wide = numpy.stack([features[numpy.arange(i - 2, i + 3).clip(0, len(features) - 1)].reshape(-1)
                        for i in range(len(features))])
    wide = ((wide + shift) * scale).astype(numpy.float32)
    return [wide[None, i:i + 20] for i in range(0, len(wide) - 20, 20)]


def mvn(path):
    """Returns what am.mvn of Kaldi's text form adds to features and multiplies them with."""
    rows = [line.split("[")[1].split("]")[0].split() for line in path.read_text().splitlines() if line.count("[") == 1
            and len(line.split()) > 100]
    return [numpy.array(row, numpy.float32) for row in rows]


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    out = pathlib.Path(job["out"])
    made = globals()[job["samples"][0]](Job(job["model"], job["calibration"], job["test"], out), **job["samples"][1])
    calibration, test, truths = made
    if not calibration or not test:
        sys.exit("no samples")
    for part, rows in (("calib", calibration), ("test", test)):
        (out / part).mkdir(parents=True)
        for number, row in enumerate(rows):
            numpy.savez(out / part / f"{number:04}.npz", **row)
    (out / "truths.json").write_text(json.dumps(truths))


if __name__ == "__main__":
    main()
