#!/bin/sh
# Every step that was tried and not kept gives its reason in a separate line.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
data="--quiet --data $six --preprocess $preprocess --limit 4"

# no_bare_word: "dropped" never stands without a reason.
no_bare_word() {
  if grep -q 'dropped$' stdout || grep -q 'dropped (' stdout; then fail "$1: something was dropped without a reason"; fi
  if grep -Eq '(^| )0 layers' stdout; then fail "$1: a line is about 0 layers"; fi
}

for target in tensorrt onnxruntime; do
  accepts "equalization for $target" quantize "$model" $data --target $target --calibrator mse --equalize auto \
    --policy bias-correction=on -o in/$target.onnx --json in/$target.json
  no_bare_word "$target"
  [ "$(grep -c 'dropped: ' stdout)" -eq "$(grep -c 'dropped' stdout)" ] || fail "$target: a reason stands elsewhere"
done
accepts "compare" compare "$model" $data --eval $sample/eval/images --eval-limit 2 --calibrators mse --equalize auto
no_bare_word compare

# Steps without work say so instead of giving empty numbers.
accepts "best on few samples" $quantize_sample --accuracy best -o in/few.onnx --json in/few.json
no_bare_word "best on few samples"
grep -q '^  ranges .*not measured, not changed: 4 samples are fewer than 16' stdout || fail "ranges: no reason"
grep -q '"reason": "4 samples are fewer than 16"' in/few.json || fail "--json has no reason"
grep -q '"sqnr_before_db": null' in/few.json || fail "--json gives a number that was not measured"
[ "$(grep -c 'biases' stdout)" -le 1 ] || fail "bias correction has two lines"

printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,2,4,4] x) => (float[N,2,4,4] y)
 <float[2,2,1,1] w = {0.5, -0.25, 1, 0.75}, float[2] b = {0.5, 0.25}> { %s }' 'y = Conv (x, w)' | "$WRITE_MODEL" in/bare.onnx
own="--data random:normal,n=32,seed=1 --calibrator max --policy small-layers=quantize --quiet --policy bias-correction=on"
accepts "no bias to correct" quantize in/bare.onnx $own -o in/bare.int8.onnx
grep -q '^corrected no bias: no INT8 layer has a constant bias that only it reads$' stdout || fail "biases of no layer"
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,2,4,4] x) => (float[N,2,4,4] y)
 <float[2,2,1,1] w = {0.5, -0.25, 1, 0.75}, float[2] b = {0.5, 0.25}> { %s }' 'y = Conv (x, w, b)' | "$WRITE_MODEL" in/biased.onnx
accepts "a bias to correct" quantize in/biased.onnx $own -o in/biased.int8.onnx
grep -Eq '^corrected the biases of 1 layer in .* on 16 held-out samples, (kept|dropped: .*)$' stdout || fail "biases of one layer"
finish
