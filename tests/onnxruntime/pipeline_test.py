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
    """Returns the logits of all samples at all steps, and the tokens; `told` are tokens to take instead of the own
    ones."""
    encoder, decoder = (session_of(folder / file, level) for file in ("encoder.onnx", "decoder.onnx"))
    all_steps, tokens = [], numpy.zeros([SAMPLES, STEPS], int)
    for sample in range(SAMPLES):
        memory = run_once(encoder, {"audio": AUDIO[sample:sample + 1]})["memory"]
        past, token = numpy.zeros([1, 0, WIDTH], numpy.float32), FIRST
        for step in range(STEPS):
            out = run_once(decoder, {"ids": ints(token).reshape(1, 1), "memory": memory, "past": past})
            past, logits = out["keys"], out["logits"]
            token = tokens[sample, step] = logits.argmax() if told is None else told[sample, step]
            all_steps.append(logits)
    return numpy.concatenate(all_steps), tokens


def text_of(folder, level, sample, end, most):
    """Returns the words that a pair writes for a sample, up to the end token."""
    encoder, decoder = (session_of(folder / file, level) for file in ("encoder.onnx", "decoder.onnx"))
    memory = run_once(encoder, {"audio": AUDIO[sample:sample + 1]})["memory"]
    past, token, words = numpy.zeros([1, 0, WIDTH], numpy.float32), FIRST, []
    while len(words) < most:
        out = run_once(decoder, {"ids": ints(token).reshape(1, 1), "memory": memory, "past": past})
        past, token = out["keys"], int(out["logits"].argmax())
        if token == end:
            break
        words.append(f"w{token}")
    return words


def wrong_words(told, spoken):
    """Returns the edit distance of two lists of words."""
    row = list(range(len(spoken) + 1))
    for i, one in enumerate(told, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(spoken, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


class Pipeline(Specification):
    def test_words_of_a_decoder_are_those_of_a_loop_over_the_engine(self):
        """Transcripts are what the float pair writes, with every fourth word replaced: float has a known error rate."""
        end, most = int(write(FLOATS, "disabled")[1][0, 3]), 9
        pair = json.loads((FLOATS / "pair.json").read_text())
        pair["decode"] = {"kind": "attention", "end": end, "most": most}
        (FLOATS / "words.json").write_text(json.dumps(pair))
        (FLOATS / "vocab.txt").write_text("".join(f"\u2581w{token}\n" for token in range(WORDS)))
        heard = [text_of(FLOATS, "disabled", sample, end, most) for sample in range(SAMPLES)]
        spoken = [[word if i % 4 else "else" for i, word in enumerate(words)] + ["more"] for words in heard]
        rows = [f"audio.npy[{i}],{' '.join(words)}" for i, words in enumerate(spoken)]
        (FLOATS / "spoken.csv").write_text("\n".join(["file,text", *rows]) + "\n")
        output = fresh_file("words")
        detent("quantize", FLOATS / "encoder.onnx", FLOATS / "decoder.onnx", "--pipeline", FLOATS / "words.json", "-o", output,
               "--quiet", "--target", "onnxruntime", "--policy", "small-layers=quantize", "--accept-broken",
               "--eval", f"enc:audio={FLOATS / 'audio.npy'}", "--transcripts", FLOATS / "spoken.csv",
               "--vocab", FLOATS / "vocab.txt")
        score = json.loads((output / "report.json").read_text())["score"]
        words = sum(len(words) for words in spoken)

        def rate(texts):
            return sum(wrong_words(told, truth) for told, truth in zip(texts, spoken)) / words
        self.assertEqual((score["metric"], score["samples"]), ("wer", SAMPLES))
        self.assertAlmostEqual(score["float"], rate(heard), places=9)
        own = [text_of(output, LEVEL_OF["onnxruntime"], sample, end, most) for sample in range(SAMPLES)]
        self.tell(f"word errors: float {rate(heard):.1%}, quantized {rate(own):.1%} in the engine, "
                  f"{score['quantized']:.1%} by detent")
        # A code on the edge may choose another word, and all that follow: two texts of the twelve.
        self.assertLess(abs(score["quantized"] - rate(own)), 2 * most / words)

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
