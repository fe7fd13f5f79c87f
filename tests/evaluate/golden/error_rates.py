"""Error rates of pairs of texts by jiwer, for tests/evaluate/text_errors_test.cpp.

    python3 error_rates.py           writes error_rates.txt beside this file
    python3 error_rates.py --check   compares it with what jiwer computes now; exit 1 where they differ, 77 without jiwer

Each line holds: words, wrong words, characters, wrong characters, reference, text, with tabs between.
"""
import pathlib
import random
import sys

try:
    import jiwer
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

WORDS = "the a cat sat on mat caf\u00e9 na\u00efve \u65e5\u672c \u8a9e It's it's I, THE sat. one1 \U0001F600 x".split()
PAIRS = [("a b c", "a b c"), ("a b c", ""), ("a", "a a a"), ("a  b", "a b"), (" a b ", "a b"), ("A b", "a b"),
         ("kitten", "sitting"), ("don't stop", "dont stop"), ("caf\u00e9", "cafe"), ("a b", "ab")]


def pairs():
    drawn = random.Random(7)
    result = list(PAIRS)
    for _ in range(60):
        reference = [drawn.choice(WORDS) for _ in range(drawn.randint(1, 25))]
        text = []
        for word in reference:
            kind = drawn.random()
            if kind < 0.1:
                continue
            text.append(drawn.choice(WORDS) if kind < 0.25 else word)
            if kind > 0.9:
                text.append(drawn.choice(WORDS))
        result.append((" ".join(reference), " ".join(text)))
    return result


def main():
    lines = []
    for reference, text in pairs():
        words, characters = jiwer.process_words(reference, text), jiwer.process_characters(reference, text)
        counts = []
        for one in (words, characters):
            counts += [one.hits + one.substitutions + one.deletions, one.substitutions + one.deletions + one.insertions]
        lines.append("\t".join([*map(str, counts), reference, text]))
    path = pathlib.Path(__file__).with_suffix(".txt")
    if sys.argv[1:] != ["--check"]:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    same = path.read_text(encoding="utf-8").splitlines() == lines
    print("the same" if same else "jiwer counts otherwise")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
