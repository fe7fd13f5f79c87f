#!/bin/sh
# Language models: scores of the next token, ids from text, windows, several lengths, and padding that does not count.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${MAKE_FILES:?the program that makes files}"

# Four tokens, a b c and the line end. Logits are 2 for the token itself, 0 for others. A token that follows itself
# costs ln(1 + 3 / e^2) = 0.34075 nats, another 2.34075.
weights='<float[4,4] e = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}, float[4,4] w = {2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,2}>'
header='<ir_version: 8, opset_import: ["" : 13]>'
body="$weights { h = Gather (e, ids)  logits = MatMul (h, w) }"
echo "$header g (int64[n,4] ids) => (float[n,4,4] logits) $body" | "$WRITE_MODEL" in/four.onnx
echo "$header g (int64[n,s] ids) => (float[n,s,4] logits) $body" | "$WRITE_MODEL" in/open.onnx
echo "$header g (int64[n,3] ids) => (float[n,4,3] turned) $weights
  { h = Gather (e, ids)  logits = MatMul (h, w)  turned = Transpose <perm = [0,2,1]> (logits) }" | "$WRITE_MODEL" in/turned.onnx
printf '"abc\\n"' >in/vocab.txt
printf 'a\nb\nc\n\\n\n' >in/lines.txt
all="--policy small-layers=quantize --quiet"

# number KEY FILE: the first value of "KEY": in a JSON file.
number() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),\{0,1\}$/\1/p" "$2" | head -n 1; }
# near SENTENCE FOUND WANTED: within 1e-5, what is printed with 6 digits.
near() {
  awk "BEGIN { d = $2 - $3; exit !(d < 1e-5 && d > -1e-5) }" || fail "$1: $2, expected $3"
}

# Nine tokens: two windows of four, aaaa and aaab, and a token behind them: eight pairs.
printf 'aaaaaaabb' >in/t.txt
data="--data text:in/t.txt,vocab=in/vocab.txt --eval text:in/t.txt,vocab=in/vocab.txt"
for vocabulary in vocab lines; do
  accepts "compare, $vocabulary" compare in/four.onnx $all --calibrators max --next-token \
    --data "text:in/t.txt,vocab=in/$vocabulary.txt" --eval "text:in/t.txt,vocab=in/$vocabulary.txt" \
    --json out/c.json --html out/c.html --overwrite
  # Pairs of aaaaaaabb: aa six times, ab once, bb once.
  near "nats" "$(number nats out/c.json)" 0.590754
  near "accuracy" "$(number next_token out/c.json)" 0.875
  near "perplexity" "$(number perplexity out/c.json)" 1.805347
done
grep -q 'best by nats' stdout || fail "nats do not decide"
grep -q '^  FP32  *0.5908  *1.805  *87.50 %' stdout || fail "the table lacks the scores of FP32"
grep -q 'cross entropy' out/c.html || fail "the page lacks the cross entropy"
grep -q 'perplexity' out/c.html || fail "the page lacks the perplexity"
accepts "logits [N,V,S]" compare in/turned.onnx $all --calibrators max --next-token $data --json out/c.json --overwrite
near "nats of logits [N,V,S]" "$(number nats out/c.json)" 0.590754
rm out/*

# The negative twin: without the last token the last window has three pairs.
printf 'aaaaaaab' >in/eight.txt
accepts "the model's own length" compare in/four.onnx $all --calibrators max --next-token --data text:in/t.txt,vocab=in/vocab.txt \
  --eval text:in/eight.txt,vocab=in/vocab.txt --json out/c.json
near "nats without the token behind" "$(number nats out/c.json)" 0.626467
rm out/*

# Records: each is a sample of any length, or all are one stream if the model fixes the length.
printf '{"text": "aaa"}\n{"text": "bb"}\n\n"c"\n[0, 0]\n' >in/t.jsonl
accepts "several lengths" run in/open.onnx --quiet --data text:in/t.jsonl,vocab=in/vocab.txt -o out/run
[ "$(ls out/run/logits | wc -l)" -eq 4 ] || fail "not one sample a record"
rm -r out/run
accepts "several lengths are scored" compare in/open.onnx $all --calibrators max,auto --next-token \
  --data text:in/t.jsonl,vocab=in/vocab.txt --eval text:in/t.jsonl,vocab=in/vocab.txt --json out/c.json
near "nats of several lengths" "$(number nats out/c.json)" 0.340753
rm out/*
accepts "records in one stream" run in/four.onnx --quiet --data text:in/t.jsonl,vocab=in/vocab.txt -o out/run
[ "$(wc -c <out/run/logits.npy)" -eq $((128 + 2 * 4 * 4 * 4)) ] || fail "aaa bb c 00 are not two windows of four, with line ends"
rm -r out/run
printf '{"ids": [0, 1, 2, 3, 0]}\n' >in/ids.jsonl
accepts "ids without a vocabulary" run in/four.onnx --quiet --data text:in/ids.jsonl,field=ids -o out/run
rm -r out/run

# Layers by what they cost in nats; a bound on them.
accepts "sensitivity" sensitivity in/four.onnx $all --calibrator max --next-token $data --json out/s.json --html out/s.html
near "FP32 nats of sensitivity" "$(number nats out/s.json | head -n 1)" "$(number nats out/s.json)"
grep -q '"nats_alone": 0.5[0-9]*' out/s.json || fail "--json lacks the nats of a layer"
grep -q 'nats alone' stdout || fail "the text lacks the nats of layers"
grep -q 'nats alone' out/s.html || fail "the page lacks the nats of layers"
accepts "sensitivity without tokens" sensitivity in/four.onnx $all --calibrator max $data --json out/p.json
if grep -q nats out/p.json stdout; then fail "nats that were not asked for"; fi
rm out/*
accepts "a bound" quantize in/four.onnx $all --calibrator max $data --next-token --max-drop 0.1 -o out/m.onnx --json out/r.json
grep -q -e '--max-drop 0.1: 0.5[0-9]* nats a token, perplexity .* (FP32 0.5908 nats' stdout || fail "the bound is not reported in nats"
grep -q '"metric": "nats"' out/r.json || fail "--json does not name nats"
rm out/*
accepts "--fail-below in nats" compare in/four.onnx $all --calibrators max --next-token $data --fail-below 1
refuses "--fail-below in nats that are too many" 1 "worse than --fail-below 0.1" compare in/four.onnx $all --calibrators max \
  --next-token $data --fail-below 0.1

# Errors.
accepts "tokens without a bound" quantize in/four.onnx $all --calibrator max $data --next-token -o out/score.onnx
grep -q '^score: 0.5[0-9]* nats a token, perplexity .* (FP32 0.5908 nats.*), rise .* nats a token, 95 % interval' stdout || fail "no score"
rm out/score.onnx
refuses "text without a vocabulary" 2 "needs a vocabulary" run in/four.onnx --data text:in/t.txt -o out/run
refuses "an open length" 13 "length=N" run in/open.onnx --data text:in/t.txt,vocab=in/vocab.txt -o out/run
refuses "a length that is not the model's" 13 "has 4 tokens" run in/four.onnx --data text:in/t.txt,vocab=in/vocab.txt,length=5 -o out/run
printf 'abx' >in/x.txt
refuses "a character beyond the vocabulary" 12 "begins 'x'" run in/open.onnx --data text:in/x.txt,vocab=in/vocab.txt,length=2 -o out/run
# Hints say how a text is given.
echo "$header g (int64[n,s] ids, int64[n,s] attention_mask) => (float[n,s,4] logits, int64[n,s] m) $weights
  { h = Gather (e, ids)  logits = MatMul (h, w)  m = Identity (attention_mask) }" | "$WRITE_MODEL" in/two_inputs.onnx
refuses "a text without its form" 2 "a text is given as --data text:in/t.txt,vocab=FILE" run in/two_inputs.onnx --data in/t.txt -o out/run
refuses "records without their form" 12 "a text is given as --data text:in/t.jsonl,vocab=FILE" run in/open.onnx --data in/t.jsonl -o out/run
mkdir in/empty
refuses "an empty folder" 12 "in/empty: the folder is empty" run in/two_inputs.onnx --data in/empty -o out/run
printf '[0, 4]\n' >in/beyond.jsonl
refuses "an id beyond the table" 12 "of another vocabulary than the model's" run in/open.onnx --data text:in/beyond.jsonl,vocab=in/vocab.txt -o out/run
printf 'file\nno.npy\n' >in/list.csv
refuses "a list for two inputs" 2 "write --data INPUT=SRC for each input" run in/two_inputs.onnx --data in/list.csv -o out/run
if grep -q 'a text is given' stderr; then fail "a list is taken for a text"; fi
printf 'ab' >in/short.txt
refuses "less than a window" 12 "fewer than the 4" run in/four.onnx --data text:in/short.txt,vocab=in/vocab.txt -o out/run
printf '[UNK]\nplay\n##ing\n' >in/pieces.txt
refuses "pieces of words" 12 "the model's tokenizer" run in/four.onnx --data text:in/t.txt,vocab=in/pieces.txt -o out/run
printf '{"other": "a"}\n' >in/other.jsonl
refuses "no such field" 12 "line 1: there is no field 'text'" run in/open.onnx --data text:in/other.jsonl,vocab=bytes -o out/run
refuses "ids beyond the table" 12 "" run in/four.onnx --data text:in/t.txt,vocab=bytes -o in/run
"$MAKE_FILES" npy in/x.npy 4,4 1
echo "$header g (float[1,4] x) => (float[1,4] y) <float[4,4] w = {1,2,0,0, 0,1,0,5, 0,3,1,0, 0,0,0,1}> { y = MatMul (x, w) }" |
  "$WRITE_MODEL" in/float.onnx
refuses "no ids" 13 "no input holds token ids" compare in/float.onnx $all --next-token --data in/x.npy --eval in/x.npy --calibrators max
refuses "text for a float input" 12 "integers [batch, S]" run in/float.onnx --data text:in/t.txt,vocab=bytes -o out/run

# Padding: with a mask the rest of a row counts nowhere. 'c' is padding here; without the mask it would cost 2.34 nats.
masked="$weights { h = Gather (e, ids)  f = Cast <to = 1> (mask)  u = Unsqueeze (f, axes)  k = Mul (h, u)  d = Add (h, k)
  logits = MatMul (h, w)  z = MatMul (d, w) }"
echo "$header g (int64[n,s] ids, int64[n,s] mask) => (float[n,s,4] logits, float[n,s,4] z) <int64[1] axes = {2},
  ${masked#<}" | "$WRITE_MODEL" in/masked.onnx
printf '[0,0,0,2,2]\n[1,1,2,2,2]\n' >in/padded.jsonl
printf '[1,1,1,0,0]\n[1,1,0,0,0]\n' >in/mask.jsonl
pair="--data ids=text:in/padded.jsonl --data mask=text:in/mask.jsonl --eval ids=text:in/padded.jsonl --eval mask=text:in/mask.jsonl"
accepts "a mask" compare in/masked.onnx $all --calibrators max --next-token --mask mask $pair --json out/c.json
near "nats of content" "$(number nats out/c.json)" 0.340753
accepts "no mask" compare in/masked.onnx $all --calibrators max --next-token $pair --json out/c.json --overwrite
near "nats of everything" "$(number nats out/c.json)" 0.840753
rm out/*
# Three and two of five tokens are content: 20 of 40 elements of h.
for mask in "--mask mask" ""; do
  accepts "calibrate $mask" calibrate in/masked.onnx --quiet --data ids=text:in/padded.jsonl --data mask=text:in/mask.jsonl $mask \
    -o out/t.dct --overwrite
  accepts "inspect, $mask" inspect out/t.dct --json
  tr -d '\n ' <stdout | sed 's/.*"name":"h","count":\([0-9]*\),.*/\1/' >>in/counts
  echo >>in/counts
done
[ "$(tr '\n' ' ' <in/counts)" = "20 40 " ] || fail "elements of h with a mask and without: $(cat in/counts)"
rm out/*
# Padding changes no score: token 3 is 1000 times as large as the others. At a position that counts it changes the
# score.
wild='<float[4,4] e = {1,0,0.3,0, 0,1,0,0.2, 0,0.4,1,0, 1000,3000,2000,5000}, float[4,4] w = {2,0.1,0,0, 0,2,0.3,0, 0,0,2,0, 0,0.7,0,2}>'
body='{ h = Gather (e, ids)  logits = MatMul (h, w)  m = Identity (mask)  best = ArgMax <axis = -1, keepdims = 0> (logits) }'
echo "$header g (int64[n,s] ids, int64[n,s] attention_mask) => (float[n,s,4] logits, int64[n,s] m, int64[n,s] best) $wild
  $(echo "$body" | sed 's/(mask)/(attention_mask)/')" | "$WRITE_MODEL" in/wild.onnx
echo "$header g (int64[n,s] ids) => (float[n,s,4] logits) $wild { h = Gather (e, ids)  logits = MatMul (h, w) }" |
  "$WRITE_MODEL" in/open_wild.onnx
printf '[0,0,0,2,2]\n[1,1,2,2,2]\n' >in/pad.jsonl
printf '[0,0,0,3,3]\n[1,1,3,3,3]\n' >in/pad_wild.jsonl
printf '[0,0,3,2,2]\n[1,1,2,2,2]\n' >in/real_wild.jsonl
printf '[1,1,1,0,0]\n[1,1,0,0,0]\n' >in/content.jsonl
scores() {  # IDS: the results of compare, sensitivity and quantize with 16-bit floats, without times and names
  pair="--data ids=text:in/$1.jsonl --data attention_mask=text:in/content.jsonl"
  eval="--eval ids=text:in/$1.jsonl --eval attention_mask=text:in/content.jsonl"
  accepts "compare, $1" compare in/wild.onnx $all $pair $eval --json out/c.json
  accepts "sensitivity, $1" sensitivity in/wild.onnx $all $pair $eval --calibrator max --json out/s.json
  accepts "quantize, $1" quantize in/wild.onnx $all $pair --target tensorrt:11 -o out/m.onnx --json out/q.json
  accepts "calibrate, $1" calibrate in/wild.onnx --quiet $pair -o out/t.dct
  accepts "inspect, $1" inspect out/t.dct --json
  cat out/?.json stdout | sed '/seconds\|_mb"\|per_second\|digest\|\.jsonl\|"ms\|plain_runs\|"bytes"\|"model"/d' >"in/scores_$1"
  rm out/*
}
for ids in pad pad_wild real_wild; do scores $ids; done
diff in/scores_pad in/scores_pad_wild >in/difference || fail "values at padding change scores: $(head -n 20 in/difference)"
grep -q sqnr_db in/scores_pad || fail "nothing was compared"
if diff -q in/scores_pad in/scores_real_wild >in/difference; then fail "another token changes no score"; fi

# Reach of single tokens and channels: a first token of 5000 among others of at most 1, in channel 3. Parts merge to
# the whole.
printf '[3,0,1,2,0]\n[3,1,1,0,2]\n[3,2,0,0,1]\n' >in/sink.jsonl
printf '[0,1,3,2,0]\n' >in/late.jsonl
for part in 1/2 2/2 1/1; do
  accepts "part $part" calibrate in/open_wild.onnx --quiet --data text:in/sink.jsonl --shard $part -o "out/$(echo $part | tr / _).dct"
done
accepts "merge" merge out/2_2.dct out/1_2.dct -o out/merged.dct
cmp -s out/merged.dct out/1_1.dct || fail "the parts' tokens are not those of the whole"
accepts "inspect of tokens" inspect out/merged.dct --json
near "a first token" "$(number first_amax stdout)" 5000
near "the others" "$(number others_amax stdout)" 1
near "the largest channel" "$(number largest_channel stdout)" 3
near "wide channels" "$(number wide_channels stdout)" 2
accepts "tokens as text" inspect out/merged.dct
grep -q '^  h  *5000  .*  2 of 4  *3$' stdout || fail "the text lacks the tokens"
accepts "a late one" calibrate in/open_wild.onnx --quiet --data text:in/late.jsonl -o out/late.dct
accepts "inspect of a late one" inspect out/late.dct --json
near "an ordinary first token" "$(number first_amax stdout)" 1
near "one among the others" "$(number others_amax stdout)" 5000
rm out/*
accepts "an image network" calibrate "$model" --data "$sample/calib" --preprocess $preprocess --quiet --limit 2 -o out/image.dct
accepts "inspect of an image network" inspect out/image.dct --json
if grep -q '"tokens"' stdout; then fail "tokens of images"; fi
rm out/*

refuses "a mask that is no input" 13 "no input 'other'" run in/masked.onnx --mask other --data ids=text:in/padded.jsonl \
  --data mask=text:in/mask.jsonl -o out/run
finish
