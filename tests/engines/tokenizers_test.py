"""Token ids, masks and types of `text:FILE,vocab=tokenizer.json` against the package tokenizers: 1000 sentences in four
vocabularies that are trained here, and in those that DETENT_TOKENIZERS (files, separated by ':') names.

The sentences mix twelve scripts, odd blanks, marks, signs and tokens of tokenizers. Characters that are drawn at random
are of Unicode 3.2: the package's tables are of several later versions, and differ from each other beyond the oldest.
"""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import unicodedata
import unittest

import numpy as np
import onnx
import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

DETENT = os.environ.get("DETENT", "build/release/detent")
TEXT = """The quick brown fox jumps over the lazy dog's back, isn't it? We'll see: they've said I'd go. Numbers 1234567 and 3.14e-10!
Les élèves français étaient à l'école; ça va très bien, œuvre naïve. Über größere Straßen fährt der Bäcker. İstanbul'da IĞDIR güzel.
Привет, как дела? Это предложение на русском языке. Ελληνικά γράμματα και ΣΊΣΥΦΟΣ. שלום עולם, مرحبا بالعالم ١٢٣ ۴۵۶.
今天天气很好,我们去公园。東京タワーは高いです。カタカナ ｶﾀｶﾅ ＡＢＣ１２３ 한국어 문장입니다. ไทยภาษาไม่มีช่องว่าง हिन्दी में वाक्य है।
Emoji 😀👩‍👩‍👧‍👦🏳️‍🌈 🇩🇪 👍🏽 ❤️ and symbols ™ © ½ ² Ⅷ ﬁ ﬂ ㎏ ℃ ∑ √ ≠ → “quotes” ‘single’ – dash — em … ellipsis
tabs\tand\r  double  spaces   \u00a0nbsp \u2003em\u200bzero\u200d\ufeffbom \u00adsoft \x00nul \x1besc \ufffd repl \u3000ideo
e\u0301 a\u030a\u0323 n\u0303 \u1e9b\u0323 \uac00\u11a8 \u0958 x\u0300\u0301\u0302 snake_case camelCase foo.bar(baz)[0] = {'a': 1}; // comment
[MASK] [CLS] [SEP] <s> </s> <pad> <unk> <mask> [UNK] <|endoftext|> x<mask>y  <mask>  ##ing ▁ Ġ ▁word <0x41> <html>&amp;</html> #tag"""


def sentences():
    draw = random.Random(1)
    lines = TEXT.split("\n")
    words = [word for line in lines for word in line.split(" ")]
    old = [chr(c) for c in range(0x20, 0x10000) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co")]
    kinds = [
        lambda: " ".join(draw.choices(words, k=draw.randint(1, 25))),
        lambda: "".join(draw.choices(old, k=draw.randint(1, 30))),
        lambda: "".join(draw.choice(draw.choice(words) or " ") + draw.choice(["", "", " ", "  ", ",", "\n"]) for _ in range(40)),
        lambda: draw.choice(lines)[draw.randint(0, 30) :][: draw.randint(1, 80)] + draw.choice(words).upper(),
        lambda: draw.choice([" ", "", "\t"]) + " ".join(draw.choice(words).capitalize() for _ in range(8)) + draw.choice(["", " ", "."]),
    ]
    made = lines + [kinds[i % len(kinds)]() for i in range(1000 - len(lines))]
    return [text or "a" for text in made]


def framed(tokenizer, begin, end):
    """Gives texts a begin and an end, two texts an end each, the second of type 1."""
    ids = [(token, tokenizer.token_to_id(token)) for token in (begin, end)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", pair=f"{begin} $A {end} $B:1 {end}:1", special_tokens=ids)
    return tokenizer


def word_pieces():
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(sentences(), trainers.WordPieceTrainer(vocab_size=2000, special_tokens=special, show_progress=False))
    return framed(tokenizer, "[CLS]", "[SEP]")


def byte_pairs():
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(sentences(), trainers.BpeTrainer(
        vocab_size=1500, special_tokens=["<s>", "</s>", "<pad>"], show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True), "<|endoftext|>"])
    return framed(tokenizer, "<s>", "</s>")


def characters_and_bytes():
    """Pairs of characters, with tokens of bytes for those that training did not see, and numbers of three digits."""
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"(?i:'s|'t|'ll)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\w]+[\r\n]*|\s+(?!\S)|\s+"), "isolated"),
        pre_tokenizers.Metaspace(prepend_scheme="first", split=False)])
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer.train_from_iterator(sentences()[::3], trainers.BpeTrainer(
        vocab_size=1200, limit_alphabet=200, special_tokens=tokens, show_progress=False))
    return framed(tokenizer, "<s>", "</s>")


def unigram():
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip(left=False)])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Metaspace()])
    tokenizer.train_from_iterator(sentences()[::2], trainers.UnigramTrainer(
        vocab_size=2500, special_tokens=["<s>", "</s>", "<unk>", "<pad>"], unk_token="<unk>", show_progress=False))
    return framed(tokenizer, "<s>", "</s>")


def mirror(file):
    """Writes a model that gives back what it is fed."""
    names = ["input_ids", "attention_mask", "token_type_ids"]
    shaped = [[onnx.helper.make_tensor_value_info(kind + name, onnx.TensorProto.INT64, ["batch", "length"]) for name in names]
              for kind in ("", "same_")]
    nodes = [onnx.helper.make_node("Identity", [name], ["same_" + name]) for name in names]
    graph = onnx.helper.make_graph(nodes, "mirror", *shaped)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), file)


class Tokenizers(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="detent-tokenizers-")
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        mirror(self.folder / "mirror.onnx")

    def rows(self, tokenizer_file, records, keys=""):
        """Returns what the program feeds for each record: ids, mask and types."""
        lines = self.folder / "texts.jsonl"
        lines.write_text("".join(json.dumps(record) + "\n" for record in records))
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        subprocess.run([DETENT, "run", self.folder / "mirror.onnx", "--data", f"text:{lines},vocab={tokenizer_file}{keys}", "-o", out,
                        "--quiet", "--overwrite"], check=True)
        folders = [out / f"same_{name}" for name in ("input_ids", "attention_mask", "token_type_ids")]
        files = sorted(folders[0].iterdir(), key=lambda file: int("".join(filter(str.isdigit, file.name))))
        self.assertEqual(len(files), len(records))
        return [[np.load(folder / file.name).ravel().tolist() for folder in folders] for file in files]

    def compare(self, tokenizer, name):
        tokenizer.no_padding()
        tokenizer.no_truncation()
        file = self.folder / "tokenizer.json"
        tokenizer.save(str(file))
        texts = sentences()
        pairs = [{"question": a, "context": b} for a, b in zip(texts[:100], texts[100:200])]
        for records, keys, encoded in [
            (texts, "", [tokenizer.encode(text) for text in texts]),
            (pairs, ",field=question+context", [tokenizer.encode(pair["question"], pair["context"]) for pair in pairs]),
        ]:
            for record, found, wanted in zip(records, self.rows(file, records, keys), encoded):
                self.assertEqual(found, [wanted.ids, wanted.attention_mask, wanted.type_ids], f"{name}: {record!r}")

    def test_families(self):
        for make in (word_pieces, byte_pairs, characters_and_bytes, unigram):
            with self.subTest(make.__name__):
                self.compare(make(), make.__name__)

    def test_named_files(self):
        for file in filter(None, os.environ.get("DETENT_TOKENIZERS", "").split(":")):
            with self.subTest(file):
                self.compare(tokenizers.Tokenizer.from_file(file), file)

    def test_another_vocabulary_differs(self):
        """The negative twin: one token less."""
        tokenizer = word_pieces()
        changed = json.loads(tokenizer.to_str())
        vocabulary = changed["model"]["vocab"]
        first = tokenizer.id_to_token(tokenizer.encode(sentences()[0]).ids[1])
        vocabulary["no such word"] = vocabulary.pop(first)
        with self.assertRaises(AssertionError):
            wanted = [tokenizer.encode(text).ids for text in sentences()]
            file = self.folder / "tokenizer.json"
            file.write_text(json.dumps(changed))
            self.assertEqual([row[0] for row in self.rows(file, sentences())], wanted)


if __name__ == "__main__":
    unittest.main()
