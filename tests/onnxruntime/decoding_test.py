"""Texts that `detent run` decodes with the "decode" of a pipeline's file, token for token those of a plain loop over ONNX Runtime:
CTC, attention, a transducer and a TDT, 200 clips each."""

import csv
import json

import numpy
import onnx
from engine import run_once, session_of
from graph_parts import parsed, random
from program import Failed, detent, fresh_file, fresh_folder
from specification import Specification, each, main

CLIPS, FRAMES, WIDTH, LETTERS = 200, 12, 16, 9
BLANK, FIRST, END, MOST, MOST_PER_FRAME = 0, 1, 2, 15, 3
DURATIONS = [0, 1, 2, 4]
LOUD = 2.5  # weights that make another choice for nearly every clip

ENCODER = """(float[n,t,8] audio) => (float[n,t,16] memory) {
    h = MatMul(audio, w1)
    a = Tanh(h)
    memory = MatMul(a, w2) }"""
# As NeMo lays it out: [batch, width, time], and a length beside it.
TURNED = """(float[n,t,8] audio) => (float[n,16,t] memory, int64[1] lengths) {
    h = MatMul(audio, w1)
    a = Tanh(h)
    m = MatMul(a, w2)
    memory = Transpose<perm=[0,2,1]>(m)
    s = Shape(audio)
    all = Slice(s, one, two)
    lengths = Sub(all, one) }"""
CTC = "(float[n,t,16] memory) => (float[n,t,9] logits) { logits = MatMul(memory, head) }"
DECODER = """(int64[n,1] ids, float[n,t,16] memory, float[n,p,16] past) => (float[n,1,9] logits, float[n,q,16] keys) {
    x = Gather(table, ids)
    k = MatMul(x, wk)
    keys = Concat<axis=1>(past, k)
    turned = Transpose<perm=[0,2,1]>(keys)
    s = MatMul(x, turned)
    p = Softmax<axis=-1>(s)
    own = MatMul(p, keys)
    m = Transpose<perm=[0,2,1]>(memory)
    r = MatMul(x, m)
    o = Softmax<axis=-1>(r)
    heard = MatMul(o, memory)
    both = Add(own, heard)
    sum = Add(x, both)
    logits = MatMul(sum, head) }"""
# Stateless, over the last two letters, as in icefall's models; the joiner reads [batch, width].
CONTEXT = """(int64[n,2] y) => (float[n,16] told) {
    x = Gather(table, y)
    flat = Flatten<axis=1>(x)
    told = MatMul(flat, wo) }"""
JOINER = """(float[n,16] frame, float[n,16] told) => (float[n,9] logit) {
    a = Add(frame, told)
    t = Tanh(a)
    logit = MatMul(t, head) }"""
# With a state and int32 letters, predictor and joiner in one file, as NeMo exports them.
STATEFUL = """(float[n,16,1] frame, int32[n,1] targets, int32[1] length, float[1,n,16] h)
    => (float[n,1,13] scores, int32[1] lengths, float[1,n,16] h_next) {
    lengths = Identity(length)
    x = Gather(table, targets)
    z = Transpose<perm=[1,0,2]>(h)
    r = MatMul(z, wh)
    a = Add(x, r)
    g = Tanh(a)
    h_next = Transpose<perm=[1,0,2]>(g)
    f = Transpose<perm=[0,2,1]>(frame)
    j = Add(f, g)
    k = Tanh(j)
    scores = MatMul(k, head) }"""


def weights(seed, **shapes):
    found = {name: random(size, LOUD / size[0] ** .5 if name != "table" else 1, seed + i)
             for i, (name, size) in enumerate(shapes.items())}
    return found


FLOATS = fresh_folder()
AUDIO = random([CLIPS, FRAMES, 8], 1.5, 2)
SQUARE = [WIDTH, WIDTH]
numpy.save(FLOATS / "clips.npy", AUDIO)
(FLOATS / "letters.txt").write_text("<blank>\n" + "".join(f"▁w{letter}\n" for letter in range(1, LETTERS)))
ONES = {"one": numpy.array([1], numpy.int64), "two": numpy.array([2], numpy.int64)}
GRAPHS = {
    "encoder": (ENCODER, weights(3, w1=[8, WIDTH], w2=SQUARE)),
    "turned": (TURNED, {**weights(3, w1=[8, WIDTH], w2=SQUARE), **ONES}),
    "ctc": (CTC, weights(5, head=[WIDTH, LETTERS])),
    "decoder": (DECODER, weights(7, table=[LETTERS, WIDTH], wk=SQUARE, head=[WIDTH, LETTERS])),
    "context": (CONTEXT, weights(11, table=[LETTERS, WIDTH], wo=[2 * WIDTH, WIDTH])),
    "joiner": (JOINER, weights(13, head=[WIDTH, LETTERS])),
    "stateful": (STATEFUL, weights(17, table=[LETTERS, WIDTH], wh=SQUARE, head=[WIDTH, LETTERS + len(DURATIONS)])),
}
for name, (graph, constants) in GRAPHS.items():
    onnx.save(parsed(graph, constants, 13), FLOATS / f"{name}.onnx")

DATA = {"data": {"enc:audio": "clips.npy"}}
ATTENTION = {
    "models": {"enc": "encoder.onnx", "dec": "decoder.onnx"}, "feeds": {"enc:memory": "dec:memory"}, **DATA,
    "loop": {"model": "dec", "steps": 8, "state": {"feeds": {"keys": "past", "argmax(logits)": "ids"}, "start": {"ids": FIRST}}},
    "decode": {"kind": "attention", "end": END, "suppress": [BLANK, [7, 8]], "most": MOST, "vocab": "letters.txt"}}
TRANSDUCER = {
    "models": {"enc": "encoder.onnx", "pred": "context.onnx", "join": "joiner.onnx"},
    "feeds": {"enc:memory": "join:frame", "pred:told": "join:told"}, **DATA,
    "loop": {"model": "pred", "steps": 8, "state": {"feeds": {"append(argmax(join:logit))": "y"}, "start": {"y": [BLANK, BLANK]}}},
    "decode": {"kind": "transducer", "blank": BLANK, "frames": "enc:memory", "most-per-frame": MOST_PER_FRAME}}
TDT = {
    "models": {"enc": "turned.onnx", "dec": "stateful.onnx"}, "feeds": {"enc:memory": "dec:frame"}, **DATA,
    "loop": {"model": "dec", "steps": 8, "state": {
        "feeds": {"h_next": "h", "lengths": "length", "argmax(scores)": "targets"}, "start": {"targets": BLANK, "length": 1}}},
    "decode": {"kind": "tdt", "blank": BLANK, "frames": "enc:memory", "axis": 2, "lengths": "enc:lengths",
               "durations": DURATIONS, "most-per-frame": MOST_PER_FRAME}}
KINDS = {
    "ctc": {"models": {"enc": "encoder.onnx", "head": "ctc.onnx"}, "feeds": {"enc:memory": "head:memory"}, **DATA,
            "decode": {"kind": "ctc", "vocab": "letters.txt"}},
    "attention": ATTENTION, "transducer": TRANSDUCER, "tdt": TDT}


def sessions(folder, *names):
    return [session_of(folder / f"{name}.onnx", "disabled") for name in names]


def ctc_loop(folder):
    encoder, head = sessions(folder, "encoder", "ctc")
    for clip in AUDIO:
        logits = run_once(head, run_once(encoder, {"audio": clip[None]}))["logits"][0]
        letters = logits.argmax(-1)
        yield [int(letter) for i, letter in enumerate(letters) if letter != BLANK and (i == 0 or letter != letters[i - 1])]


def attention_loop(folder):
    encoder, decoder = sessions(folder, "encoder", "decoder")
    for clip in AUDIO:
        memory, told = run_once(encoder, {"audio": clip[None]})["memory"], []
        past, letter = numpy.zeros([1, 0, WIDTH], numpy.float32), FIRST
        while len(told) < MOST:
            out = run_once(decoder, {"ids": numpy.array([[letter]]), "memory": memory, "past": past})
            scores, past = out["logits"][0, 0], out["keys"]
            scores[[BLANK, 7, 8]] = -numpy.inf
            letter = int(scores.argmax())
            if letter == END:
                break
            told.append(letter)
        yield told


def transducer_loop(folder):
    encoder, predictor, joiner = sessions(folder, "encoder", "context", "joiner")
    for clip in AUDIO:
        told = []
        for frame in run_once(encoder, {"audio": clip[None]})["memory"][0]:
            for _ in range(MOST_PER_FRAME):
                y = numpy.array([([BLANK, BLANK] + told)[-2:]])
                scores = run_once(joiner, {"frame": frame[None], **run_once(predictor, {"y": y})})["logit"][0]
                if scores.argmax() == BLANK:
                    break
                told.append(int(scores.argmax()))
        yield told


def tdt_loop(folder):
    encoder, decoder = sessions(folder, "turned", "stateful")
    for clip in AUDIO:
        out = run_once(encoder, {"audio": clip[None]})
        memory, frames = out["memory"], int(out["lengths"][0])
        told, state, moment, of_frame = [], numpy.zeros([1, 1, WIDTH], numpy.float32), 0, 0
        while moment < frames:
            feeds = {"frame": memory[:, :, moment:moment + 1], "targets": numpy.array([[told[-1] if told else BLANK]], numpy.int32),
                     "length": numpy.array([1], numpy.int32), "h": state}
            out = run_once(decoder, feeds)
            scores = out["scores"][0, 0]
            letter, skip = int(scores[:LETTERS].argmax()), DURATIONS[scores[LETTERS:].argmax()]
            if letter != BLANK:
                told.append(letter)
                state, of_frame = out["h_next"], of_frame + 1
            if skip == 0 and (letter == BLANK or of_frame == MOST_PER_FRAME):
                skip = 1
            if skip:
                of_frame = 0
            moment += skip
        yield told


LOOPS = {"ctc": ctc_loop, "attention": attention_loop, "transducer": transducer_loop, "tdt": tdt_loop}


def decoded(file):
    """Returns the rows of texts.csv: [(text or None, [token])]."""
    out = fresh_file("texts")
    detent("run", file, "-o", out, "--quiet")
    with open(out / "texts.csv", newline="", encoding="utf-8") as table:
        return [(row.get("text"), [int(token) for token in row["tokens"].split()]) for row in csv.DictReader(table)]


def write(folder, kind, **change):
    document = json.loads(json.dumps(KINDS[kind]))
    document["decode"].update(change)
    (folder / f"{kind}.json").write_text(json.dumps(document))
    return folder / f"{kind}.json"


class Decoding(Specification):
    @each(LOOPS)
    def test_writes_what_a_loop_over_the_engine_writes(self, kind):
        found = [tokens for _, tokens in decoded(write(FLOATS, kind))]
        expected = list(LOOPS[kind](FLOATS))
        self.assertEqual(found, expected)
        lengths = {len(tokens) for tokens in expected}
        self.tell(f"{sum(map(len, expected))} tokens in {CLIPS} clips, {min(lengths)} to {max(lengths)} each")
        self.assertGreater(len({tuple(tokens) for tokens in expected}), CLIPS // 8, "the clips decide")

    def test_texts_are_those_of_the_vocabulary(self):
        for kind in ("ctc", "attention"):
            text, tokens = decoded(write(FLOATS, kind))[0]
            self.assertEqual(text, " ".join(f"w{token}" for token in tokens))
        self.assertIsNone(decoded(write(FLOATS, "tdt"))[0][0], "without a vocabulary there are tokens alone")

    def test_other_rules_write_other_texts(self):
        for kind, change in (("attention", {"end": 3}), ("transducer", {"most-per-frame": 1}), ("tdt", {"durations": [1, 1, 2, 4]}),
                             ("transducer", {"most": 4})):
            self.assertNotEqual([tokens for _, tokens in decoded(write(FLOATS, kind, **change))], list(LOOPS[kind](FLOATS)))

    @each(["transducer", "tdt"])
    def test_quantized_files_write_what_a_loop_over_them_writes(self, kind):
        output = fresh_file("quantized")
        detent("quantize", write(FLOATS, kind), "-o", output, "--quiet", "--target", "onnxruntime", "--policy", "small-layers=quantize",
               "--accept-broken", "--activation", "uint8")
        report = json.loads((output / "report.json").read_text())
        self.assertGreater(report["coverage"]["int8_layers"], 2)
        (output / "clips.npy").write_bytes((FLOATS / "clips.npy").read_bytes())
        found = [tokens for _, tokens in decoded(write(output, kind))]
        expected = list(LOOPS[kind](output))
        same = sum(one == other for one, other in zip(found, expected))
        floats = sum(one == other for one, other in zip(expected, LOOPS[kind](FLOATS)))
        self.tell(f"{same} of {CLIPS} texts are the engine's, {floats} are those of the float files")
        self.assertGreater(same, .97 * CLIPS)  # a code on the edge may choose another token
        self.assertLess(floats, CLIPS)

    def test_refuses_scores_that_lack_the_durations(self):
        with self.assertRaises(Failed) as refused:
            decoded(write(FLOATS, "tdt", blank=12))
        self.assertIn("the blank 12 and 4 durations need 17 or more", str(refused.exception))


if __name__ == "__main__":
    main()
