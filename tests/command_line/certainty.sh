#!/bin/sh
# The certainty of a comparison: the error of each score, the candidates as good as the best, and layers measured on
# that very model.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
samples="--quiet --data $sample/calib --preprocess $preprocess"
data="$samples --limit 12"
few="$samples --limit 4"
eval="--eval $sample/eval/images"
masks="--masks $sample/eval/masks"

accepts "scores of masks" compare "$model" $data $eval $masks --calibrators max,mse,auto --json out/c.json --html out/c.html
grep -q '^[* ] max  *[0-9.]* % ±[0-9.]* ' stdout || fail "a score has no error"
grep -Eq '^  (better than every other one beyond|.* scores? the same within) the noise of 24 samples$' stdout ||
  fail "no line names the certainty of the best"
[ "$(grep -c '"score_error": [0-9]' out/c.json)" -eq 3 ] || fail "--json lacks the error of a score"
grep -q '"ties": \[' out/c.json || fail "--json lacks the ties"
grep -q 'the noise of 24 samples' out/c.html || fail "the page does not say how sure it is"
grep -q ' % ±[0-9]' out/c.html || fail "the page shows no error"
grep -e score_error -e ties -A 2 out/c.json | grep -v seconds >in/all
rm out/*
accepts "on one thread" compare "$model" $data $eval $masks --calibrators max,mse,auto --threads 1 --json out/c.json
grep -e score_error -e ties -A 2 out/c.json | grep -v seconds | cmp -s - in/all || fail "threads change how sure it is"
rm out/*

# A candidate that ruins half of the network differs from others on any samples; two names of one model are no tie.
accepts "a difference that is one" compare "$model" $data $eval $masks --calibrators mse,percentile:50 --json out/c.json
grep -q '^  better than every other one beyond' stdout || fail "a broken model is called a tie"
grep -q '"ties": \[\]' out/c.json || fail "--json: a broken model is a tie"
rm out/*
accepts "one candidate" compare "$model" $few $eval --eval-limit 2 --calibrators max
if grep -q 'noise' stdout; then fail "one candidate is compared with nothing"; fi
accepts "one sample" compare "$model" $few $eval --eval-limit 1 --calibrators max,mse
grep -q '^no standard error: one sample has none$' stdout || fail "one sample has an error"
if grep -q '±' stdout; then fail "one sample has an error"; fi
printf 'echo 1\n' >in/metric.sh
accepts "a command" compare "$model" $few $eval --eval-limit 2 --calibrators max,mse --metric-command "sh in/metric.sh" \
  --json out/c.json
grep -q 'returns one number for all samples' stdout || fail "a command has an error"
grep -q '"score_error": null' out/c.json || fail "--json: a command has an error"
rm out/*

# No sample tells a model from itself.
accepts "nothing in INT8" compare "$model" $few $eval --eval-limit 4 --calibrators max,mse --exclude .
grep -q 'mse scores the same within the noise of 4 samples' stdout || fail "two equal models are not tied"

# Layers are measured on the best model as it would be written: all of them in INT8 are the model of the table.
for added in "" "--equalize auto" "--equalize relu,linear" "--policy outliers=keep" "--target onnxruntime --equalize auto"; do
  accepts "layers, $added" compare "$model" $few $eval --eval-limit 2 --calibrators max,mse --layers 2 $added
  table=$(sed -n 's/^\* m[a-z]*  *\([0-9.]* dB\) .*/\1/p' stdout)
  layers=$(sed -n 's/.*SQNR at the output with all of them: //p' stdout)
  [ -n "$table" ] && [ "$table" = "$layers" ] || fail "layers $added: $layers are not those of the model with $table"
done
# One sample of twelve is a hundred times the others: kept, it sets the ranges, of the layers' models too.
# array FILE BYTES: the four floats of BYTES again and again, as (1, 4, 6, 6).
array() {
  { printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4, 6, 6), }"
    for i in 1 2 3 4 5 6; do for k in 1 2 3 4 5 6; do printf "$2"; done; done; } >"$1"
}
mkdir in/arrays
for i in 10 11 12 13 14 15 16 17 18 19 20; do
  array in/arrays/$i.npy '\000\000\200\077\000\000\000\277\000\'$i'\060\100\000\000\200\076'
done
array in/arrays/99.npy '\000\000\310\102\000\000\110\302\000\000\110\103\000\000\310\101'
weights="{0.5,-0.25,0.125,0.75, -0.5,0.375,0.25,-0.125, 0.625,0.5,-0.75,0.25, -0.25,0.125,0.5,0.375}"
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,4,6,6] x) => (float[N,4,6,6] y) <float[4,4,1,1] w = %s>
 { a = Conv (x, w)  b = Relu (a)  c = Conv (b, w)  d = Relu (c)  y = Conv (d, w) }' "$weights" | "$WRITE_MODEL" in/three.onnx
for policy in keep clip; do
  accepts "layers, outliers=$policy" compare in/three.onnx --data in/arrays --eval in/arrays --eval-limit 8 --quiet \
    --policy small-layers=quantize --calibrators max --layers 8 --policy outliers=$policy
  grep -q '99.npy alone sets the range of 3 of 3 values' stdout || fail "the test's outlier is none"
  table=$(sed -n 's/^\* max  *\([0-9.]* dB\) .*/\1/p' stdout)
  layers=$(sed -n 's/.*SQNR at the output with all of them: //p' stdout)
  [ -n "$table" ] && [ "$table" = "$layers" ] || fail "layers, outliers=$policy: $layers, the model has $table"
  echo "$table" >>in/tables
done
[ "$(sort -u in/tables | wc -l)" -eq 2 ] || fail "outliers= changes nothing in the test"

accepts "layers with corrected biases" compare "$model" $few $eval --eval-limit 2 --calibrators max,mse --layers 2 \
  --policy bias-correction=on
if grep -q '^biases of' stdout; then
  grep -q 'corrected, in the float network too' stdout || fail "nothing tells what layers are measured with"
fi
finish
