#!/bin/sh
# Speech recognizers: audio files as data, features, error rates of the text that CTC reads, bounds on them.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

# clip NAME RATE HZ:MS...: in/NAME.wav of tones one after the other, 16 bits; 0 Hz is silence.
clip() {
  python3 -c 'import math, struct, sys
rate, data = int(sys.argv[2]), b""
for tone in sys.argv[3:]:
    hz, ms = map(int, tone.split(":"))
    numbers = (int(8000 * math.sin(2 * math.pi * hz * i / rate)) for i in range(rate * ms // 1000))
    data += b"".join(struct.pack("<h", number) for number in numbers)
form = struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16)
with open(f"in/{sys.argv[1]}.wav", "wb") as file:
    file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + form + b"data" + struct.pack("<I", len(data)) + data)
' "$@"
}

# number KEY FILE: the first value of "KEY": in a JSON file. near SENTENCE FOUND WANTED: within 1e-5.
number() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),\{0,1\}$/\1/p" "$2" | head -n 1; }
near() {
  awk "BEGIN { d = $2 - $3; exit !(d < 1e-5 && d > -1e-5) }" || fail "$1: $2, expected $3"
}

# Four classes: nothing, a at 500 Hz, b at 2500 Hz and the blank between words at 6000 Hz. Each has the two mel bands
# around its tone; nothing has 10, which ln of the power of tones exceeds and that of silence does not.
weights=$(awk 'BEGIN { for (row = 0; row < 80; ++row) for (class = 0; class < 4; ++class) {
  first = class == 1 ? 15 : class == 2 ? 47 : class == 3 ? 71 : 99
  printf "%s%d", (row + class > 0 ? "," : ""), (row == first || row == first + 1) } }')
network tones "(float[n, t, 80] x) => (float[n, t, 4] logits)" "w = Constant <value = float[80, 4] {$weights}> ()
  b = Constant <value = float[4] {10, 0, 0, 0}> () y = MatMul (x, w) z = Add (y, b)
  e = Constant <value = float[4, 4] {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}> () logits = MatMul (z, e)"
printf '<blank>\na\nb\n|\n' >in/tokens.txt
mkdir in/clips in/other
clip clips/one 16000 0:50 500:100 2500:100 6000:100 500:100 0:50 # "ab a"
clip clips/two 16000 2500:200 0:100                                # "b"
clip other/one 44100 0:50 500:100 2500:100 6000:100 500:100 0:50
clip other/two 48000 2500:200 0:100
printf 'file,text\none.wav,ab a\ntwo.wav,b a\n' >in/text.csv # the last word is missing in the clip
all="--quiet --policy small-layers=quantize --preprocess fbank"
data="--data in/clips --eval in/clips"
judged="--transcripts in/text.csv --vocab in/tokens.txt"

for folder in clips other; do
  accepts "compare, $folder" compare in/tones.onnx $all --data in/clips --eval in/$folder $judged --calibrators max \
    --json out/c.json --html out/c.html --overwrite
  # One of four words, and two of seven characters.
  near "wer of $folder" "$(number wer out/c.json)" 0.25
  near "cer of $folder" "$(number cer out/c.json)" 0.285714
done
grep -q 'best by WER' stdout || fail "the word error rate does not decide"
grep -q '^  FP32  *25.00 %  *28.57 %' stdout || fail "the table lacks the rates of FP32"
grep -q 'word error rate' out/c.html || fail "the page lacks the word error rate"
rm out/*

# A range that clips every tone: nothing is read. Without a bound the file is written; with one the layer stays float.
echo '{"x": {"amax": 0.01}}' >in/narrow.json
ruined="$all $data $judged --calibrator max --override in/narrow.json --accept-broken"
accepts "a score" quantize in/tones.onnx $ruined -o out/m.onnx --json out/r.json
grep -q '^score: WER 100 % (FP32 WER 25.00 %), rise 75.00 points of WER, 95 % interval' stdout || fail "no score"
grep -q '"metric": "wer"' out/r.json || fail "--json does not name wer"
rm out/*
accepts "a bound on the rise" quantize in/tones.onnx $ruined --max-drop 0.1 -o out/m.onnx --json out/r.json
near "the bounded rate" "$(number reached out/r.json)" 0.25
rm out/*
accepts "--fail-below" compare in/tones.onnx $all $data $judged --calibrators max --fail-below 0.3
refuses "--fail-below that is less than the rate" 1 "worse than --fail-below" compare in/tones.onnx $all $data $judged \
  --calibrators max --fail-below 0.2

# sensitivity lists the rate of each layer: alone each ruins all words, and without the other one, too.
accepts "sensitivity" sensitivity in/tones.onnx $all $data $judged --calibrator max --override in/narrow.json --json out/s.json
grep -q '^word error rate 100 % with all of them; FP32 25.00 %' stdout || fail "sensitivity lacks the rates of the whole"
grep -q 'WER alone' stdout || fail "sensitivity lacks the rates of layers"
near "the rate of a layer" "$(number wer_alone out/s.json)" 1
rm out/*
refuses "sensitivity: transcripts without a vocabulary" 2 "need each other" sensitivity in/tones.onnx $all $data --transcripts in/text.csv

# Every command that reads samples reads clips.
accepts "run" run in/tones.onnx --quiet --data in/clips --preprocess fbank -o out/run
[ "$(ls out/run/logits | wc -l)" -eq 2 ] || fail "not one sample a clip"
rm -r out/run
accepts "calibrate with one length" calibrate in/tones.onnx --quiet --data in/clips --preprocess fbank,seconds=1 -o out/t.dct
rm out/*

# Missing options and data.
refuses "audio without a preprocessing" 2 "log-mel" run in/tones.onnx --data in/clips -o out/run
refuses "a preprocessing of images" 2 "not for audio" run in/tones.onnx --data in/clips --preprocess imagenet -o out/run
refuses "an unknown key" 2 "'bins'" run in/tones.onnx --data in/clips --preprocess fbank,bin=40 -o out/run
refuses "features that do not fit" 12 "40 bands" run in/tones.onnx --data in/clips --preprocess fbank,bins=40 -o out/run
refuses "transcripts without a vocabulary" 2 "need each other" compare in/tones.onnx $all $data --transcripts in/text.csv --calibrators max
refuses "a vocabulary without transcripts" 2 "need each other" compare in/tones.onnx $all $data --vocab in/tokens.txt --calibrators max
refuses "transcripts without --eval" 2 "need --eval" quantize in/tones.onnx $all --data in/clips $judged -o out/m.onnx
printf 'file,text\none.wav,ab a\n' >in/half.csv
refuses "a sample without a transcript" 12 "1 of 2 samples have no transcript in in/half.csv: two.wav" compare in/tones.onnx $all $data \
  --transcripts in/half.csv --vocab in/tokens.txt --calibrators max
printf 'a\nb\n' >in/short.txt
refuses "a vocabulary of another model" 13 "3 classes of in/short.txt" compare in/tones.onnx $all $data --transcripts in/text.csv \
  --vocab in/short.txt --calibrators max

# Files that are broken.
mkdir in/broken
cp in/clips/one.wav in/broken/a.wav
head -c 3000 in/clips/two.wav >in/broken/b.wav
refuses "a truncated clip" 12 "b.wav" run in/tones.onnx --data in/broken --preprocess fbank -o out/run
accepts "a truncated clip that is skipped" run in/tones.onnx --quiet --skip-bad-data --data in/broken --preprocess fbank -o out/run
rm -r out/run
clip broken/b 16000
refuses "a clip without samples" 12 "holds no samples" run in/tones.onnx --data in/broken --preprocess fbank -o out/run
clip broken/b 16000 500:20
refuses "a clip shorter than a window" 12 "too short" run in/tones.onnx --data in/broken --preprocess fbank -o out/run
echo '{"<blank>": 0, "a": 1, "b": 2, "|": 3}' >in/tokens.json
refuses "a report in place of the vocabulary" 15 "tokens.json" compare in/tones.onnx $all $data --transcripts in/text.csv \
  --vocab in/tokens.json --calibrators max --json in/tokens.json --overwrite

finish
