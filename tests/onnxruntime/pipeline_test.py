"""Two files that were quantized as one model, in the engine: an encoder, and a decoder with a cache that writes its own
text. The error that detent measures at the last step is that of the two files in the engine, one after the other."""

import json

import numpy
import onnx
from engine import run_once, session_of
from graph_parts import ints, parsed, random
from measures import sqnr
from models import LEVEL_OF
from program import detent, fresh_file, fresh_folder
from specification import Specification, each, main

SAMPLES, FRAMES, WIDTH, WORDS, STEPS, FIRST = 12, 6, 32, 24, 7, 1


def attention(query, keys, values, out):
    return f"""{out}_t = Transpose<perm=[0,2,1]>({keys}) {out}_s = MatMul({query}, {out}_t)
               {out}_p = Softmax<axis=-1>({out}_s) {out} = MatMul({out}_p, {values})"""


ENCODER = f"""(float[1,{FRAMES},16] audio) => (float[1,{FRAMES},{WIDTH}] memory) {{
    h = MatMul(audio, w1)
    r = Relu(h)
    memory = MatMul(r, w2) }}"""
DECODER = f"""(int64[1,1] ids, float[1,{FRAMES},{WIDTH}] memory, float[1,before,{WIDTH}] past)
    => (float[1,1,{WORDS}] logits, float[1,all,{WIDTH}] keys) {{
    x = Gather(table, ids)
    k = MatMul(x, wk)
    q = MatMul(x, wq)
    keys = Concat<axis=1>(past, k)
    {attention("q", "keys", "keys", "own")}
    c = MatMul(memory, wc)
    {attention("q", "c", "memory", "heard")}
    both = Add(own, heard)
    sum = Add(x, both)
    logits = MatMul(sum, head) }}"""


def weights(**dims):
    return {name: random(size, 2 if name == "table" else 0.6, index + 3) for index, (name, size) in enumerate(dims.items())}


FLOATS = fresh_folder()
AUDIO = random([SAMPLES, FRAMES, 16], 1, 2)
SQUARE = [WIDTH, WIDTH]
onnx.save(parsed(ENCODER, weights(w1=[16, WIDTH], w2=SQUARE)), FLOATS / "encoder.onnx")
onnx.save(parsed(DECODER, weights(table=[WORDS, WIDTH], wk=SQUARE, wq=SQUARE, wc=SQUARE, head=[WIDTH, WORDS]), 13),
          FLOATS / "decoder.onnx")
numpy.save(FLOATS / "audio.npy", AUDIO)
(FLOATS / "pair.json").write_text(json.dumps({
    "models": {"enc": "encoder.onnx", "dec": "decoder.onnx"}, "feeds": {"enc:memory": "dec:memory"},
    "data": {"enc:audio": "audio.npy"},
    "loop": {"model": "dec", "steps": STEPS, "state": {"feeds": {"keys": "past", "argmax(logits)": "ids"},
                                                       "start": {"ids": FIRST}}}}))


def write(folder, level, told=None):
    """Returns the logits of all samples at the last step, and the tokens; `told` are tokens to take instead of the own
    ones."""
    encoder, decoder = (session_of(folder / file, level) for file in ("encoder.onnx", "decoder.onnx"))
    last, tokens = [], numpy.zeros([SAMPLES, STEPS], int)
    for sample in range(SAMPLES):
        memory = run_once(encoder, {"audio": AUDIO[sample:sample + 1]})["memory"]
        past, token = numpy.zeros([1, 0, WIDTH], numpy.float32), FIRST
        for step in range(STEPS):
            out = run_once(decoder, {"ids": ints(token).reshape(1, 1), "memory": memory, "past": past})
            past, logits = out["keys"], out["logits"]
            token = tokens[sample, step] = logits.argmax() if told is None else told[sample, step]
        last.append(logits)
    return numpy.concatenate(last), tokens


class Pipeline(Specification):
    @each(LEVEL_OF)
    def test_an_encoder_and_a_decoder(self, target):
        output = fresh_file("quantized")
        detent("quantize", FLOATS / "encoder.onnx", FLOATS / "decoder.onnx", "--pipeline", FLOATS / "pair.json", "-o", output,
               "--quiet", "--target", target, "--policy", "small-layers=quantize", "--accept-broken")
        report = json.loads((output / "report.json").read_text())
        self.assertEqual([file["name"] for file in report["files"]], ["enc", "dec"], "in running order")
        self.assertTrue(all(file["int8_layers"] > 0 for file in report["files"]))
        self.assertGreater(report["coverage"]["int8_layers"], 2)
        expected, tokens = write(FLOATS, "disabled")
        found, _ = write(output, LEVEL_OF[target], tokens)
        _, own = write(output, LEVEL_OF[target])
        (ours,) = (one["sqnr_db"] for one in report["error"]["outputs"] if one["name"] == "dec:logits")
        db = sqnr(expected, found)
        self.tell(f"{db:.1f} dB in the engine, {ours:.1f} dB by detent; {(own == tokens).mean():.1%} of the own tokens are "
                  "those of the float pair")
        # Both programs measure the same error, except for codes on the edge.
        self.assertLess(abs(db - ours), 1)


if __name__ == "__main__":
    main()
