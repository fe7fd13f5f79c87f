#!/bin/sh
# The verdict of quantize, and the metadata of its file.
. "$(dirname "$0")/expect.sh"
data="--data $sample/calib --preprocess $preprocess --limit 10 --quiet"

accepts "a good model" quantize "$model" $data --calibrator mse -o in/good.onnx --json in/good.json
grep -q '^verdict: good' stdout || fail "a good model is not called good"
grep -q 'measured on samples outside the calibration set' stdout || fail "the error is not measured beyond --limit"
[ -s stderr ] && fail "a good model is warned of"
grep -q '"verdict": "good"' in/good.json || fail "--json has no verdict"
if grep -q 'fewer than 8' stdout; then fail "10 samples are called few"; fi

# Half of all elements clipped: hardly any signal is left.
run quantize "$model" $data --calibrator percentile:50 -o out/broken.onnx --json in/broken.json
[ "$code" -eq 1 ] || fail "a broken model: exit $code, expected 1"
grep -q '^verdict: broken' stdout || fail "a broken model is not called broken"
grep -q "written, but broken" stderr || fail "a broken model: no error at the end"
grep -q '^  try --accuracy best' stdout || fail "the report does not end with a way out"
grep -q '^  try FP16 alone: detent cast ' stdout || fail "the verdict does not name the way to FP16 alone"
cast=$(sed -n "s/^  try FP16 alone: detent \(cast .*\) ('detent compare-types.*/\1/p" stdout)
eval "accepts 'the command for FP16 alone' $cast"
[ -s out/model_opset13.fp16.onnx ] || fail "the command for FP16 alone writes no file beside OUT: $cast"
grep -q '"sqnr_db_without"' in/broken.json || fail "--json blames nothing"
[ -s out/broken.onnx ] || fail "a broken model was not written"
echo '{"image": {"amax": 0.05}}' >in/narrow.json
accepts "one calibrator" quantize "$model" $data --override in/narrow.json --accuracy fast --accept-broken -o in/fast.onnx
grep -q 'try --calibrator auto' stdout || fail "what can be measured is not named"
grep -q 'without --calibrator' stdout && fail "something that was not given is to be left out"
accepts "--accept-broken" quantize "$model" $data --calibrator percentile:50 --accept-broken -o out/broken.onnx --overwrite
grep -q '^verdict: broken' stdout || fail "--accept-broken hides the verdict"
[ -s stderr ] && fail "--accept-broken ends with an error"

accepts "nothing to quantize" quantize "$model" $data --exclude . -o in/nothing.onnx
grep -q 'nothing was quantized' stdout || fail "nothing tells that nothing was quantized"
accepts "few samples" $quantize_sample -o in/few.onnx
grep -q 'fewer than 8' stdout || fail "nothing tells of few samples"

accepts "all samples" quantize "$model" --quiet --data $sample/calib --preprocess $preprocess --calibrator max -o in/all.onnx
grep -q 'calibration samples themselves' stdout || fail "nothing tells that the error was measured on what was calibrated with"

# One value ruins the outputs: the first thing to try is what leaves its layer float, with the dB that it gives.
large="10000$(yes ', 1' | head -n 15 | tr -d '\n')"
column="0$(yes ', 0.3' | head -n 15 | tr -d '\n')"
cat >in/ruined.txt <<EOF
<ir_version: 8, opset_import: ["" : 13]>
ruined (float[N, 16] x) => (float[N, 16] y)
<float[16, 16] w = {$(awk 'BEGIN { srand(3); for (i = 0; i < 256; ++i) printf "%s%.4f", i ? ", " : "", rand() - 0.5 }')},
 float[16] c = {$large}, float[16, 1] v = {$column}>
{
  a = MatMul (x, w)
  m = Mul (x, c)
  b = MatMul (m, v)
  y = Add (a, b)
}
EOF
"$MAKE_FILES" model in/ruined.txt in/ruined.onnx
"$MAKE_FILES" npy in/rows.npy 16,16 1
ruined="quantize in/ruined.onnx --data in/rows.npy --policy small-layers=quantize --accuracy fast --calibrator max --quiet"
run $ruined -o out/ruined.onnx
tried=$(grep '^  try ' stdout | head -n 1)
cure=$(echo "$tried" | sed -n "s/^  try \(--exclude .*\) (SQNR .*/\1/p")
told=$(echo "$tried" | sed -n 's/.* (SQNR \([0-9.]*\) dB instead of .*/\1/p')
[ "$cure" = "--exclude '^MatMul_2\$'" ] || fail "the layer of the ruined value is not what to try first: $tried"
eval "run $ruined -o in/tried.onnx $cure"
grep -q "SQNR $told dB at 'y'" stdout || fail "$cure gives another SQNR than $told dB: $(grep verdict stdout)"

# Two layers decide the length of y, its content is a third one's.
matrix=$(awk 'BEGIN { srand(3); for (i = 0; i < 256; ++i) printf "%s%.4f", i ? ", " : "", rand() - 0.5 }')
weights="float[16, 16] w = {$matrix}, float[16, 16] v = {$matrix}"
lengths="float hundred = {100}, int64 zero = {0}, int64 one = {1}"
length='d = MatMul (h, w)
  a = Abs (d)
  s = ReduceSum <keepdims = 0> (a)
  k = Mul (s, hundred)
  n = Cast <to = 7> (k)
  r = Range (zero, n, one)
  f = Cast <to = 1> (r)'
cat >in/length.txt <<EOF
<ir_version: 8, opset_import: ["" : 13]>
length (float[1, 16] x) => (float[L, 16] y)
<$weights, $lengths, int64[1] last = {1}>
{
  h = MatMul (x, v)
  $length
  z = MatMul (h, v)
  c = Unsqueeze (f, last)
  y = Add (c, z)
}
EOF
"$MAKE_FILES" model in/length.txt in/length.onnx
"$MAKE_FILES" npy in/x.npy 16,1,16 1
length_of() { echo quantize in/$1.onnx --data in/x.npy --policy small-layers=quantize --quiet -o in/$1.int8.onnx; }
run $(length_of length)
[ "$code" -eq 1 ] || fail "nothing could be compared: exit $code, expected 1"
grep -q "^verdict: unknown (no output could be compared: 'y' has another shape than in FP32" stdout || fail "the verdict is not unknown"
grep -q "of unknown quality" stderr || fail "nothing tells why the exit code is 1"
cure=$(sed -n "s/^  try \(--exclude .*\) (what decides the extents.*/\1/p" stdout)
[ "$cure" = "--exclude '^(MatMul_0|MatMul_1)\$'" ] || fail "the layers that decide the length are not named: $cure"
accepts "unknown, accepted" $(length_of length) --accept-broken --overwrite --json in/length.json
grep -q '"verdict": "unknown"' in/length.json || fail "--json has another verdict"
eval "accepts 'what it says to try' $(length_of length) --overwrite $cure"
grep -q "^verdict: good" stdout || fail "the cure does not help"
grep -q "^1 of 3 weighted layers INT8" stdout || fail "the cure leaves nothing quantized"
run $(length_of length) --overwrite --exclude '^MatMul_1$'
[ "$code" -eq 1 ] || fail "the layer in front of the length alone would do: the test shows nothing"
accepts "calibrate" calibrate in/length.onnx --data in/x.npy --quiet -o in/length.dct
accepts "without data" quantize in/length.onnx --table in/length.dct --policy small-layers=quantize --quiet --overwrite -o in/length.int8.onnx
grep -q '^verdict: none' stdout || fail "there is a verdict without data"

# A length that every quantized layer decides.
cat >in/all.txt <<EOF
<ir_version: 8, opset_import: ["" : 13]>
all_decide (float[1, 16] h) => (float[L] f)
<float[16, 16] w = {$matrix}, $lengths>
{
  $length
}
EOF
"$MAKE_FILES" model in/all.txt in/all.onnx
run $(length_of all)
[ "$code" -eq 1 ] || fail "a length alone: exit $code, expected 1"
grep -q "all quantized layers decide the extents of outputs" stdout || fail "nothing tells that no layer can stay INT8"
if grep -q "^  try" stdout; then fail "something that does not help is to be tried"; fi

# An output that is 0 in every sample.
sed -e "s/all_decide (float\[1, 16\] h) => (float\[L\] f)/zeros (float[1, 16] h) => (float[1, 16] y)/" -e "s/float hundred = {100}/float none = {0}/" -e "s/a = Abs (d)/y = Mul (d, none)/" -e '/^  [skrnf] = /d' in/all.txt >in/nothing.txt
"$MAKE_FILES" model in/nothing.txt in/nothing.onnx
run $(length_of nothing)
[ "$code" -eq 1 ] || fail "an output of zeros: exit $code, expected 1"
grep -q "^verdict: unknown (no output could be compared: each is 0" stdout || fail "zeros are compared"
grep -q "^  try samples (--eval) on which outputs of the float model are finite and not 0" stdout || fail "zeros: nothing is to be tried"

# An input that is 0 in every sample.
cat >in/states.txt <<EOF
<ir_version: 8, opset_import: ["" : 13]>
states (float[1, 16] x, float[1, 16] s) => (float[1, 16] y)
<$weights>
{
  h = MatMul (x, w)
  k = MatMul (s, v)
  y = Add (h, k)
}
EOF
"$MAKE_FILES" model in/states.txt in/states.onnx
"$MAKE_FILES" npy in/s.npy 16,1,16 2
header="{'descr': '<f4', 'fortran_order': False, 'shape': (16, 1, 16), }"
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"; head -c 1024 /dev/zero; } >in/zeros.npy
accepts "a value that no sample shows" quantize in/states.onnx --data x=in/x.npy --data s=in/zeros.npy --policy small-layers=quantize --quiet -o in/states.int8.onnx
grep -q "^verdict: doubtful (1 value was 0 in every calibration sample, so its scale is a guess: 's'" stdout || fail "a guessed scale is not doubtful"
grep -q "^  try calibration samples in which 's' is not 0 (--steps N with --state FILE.json" stdout || fail "what to do about it is not said"
grep -q -e "--accuracy best" -e "without the pair" stdout && fail "something that does not help is to be tried"
accepts "samples that show it" quantize in/states.onnx --data x=in/x.npy --data s=in/s.npy --policy small-layers=quantize --quiet -o in/states.int8.onnx --overwrite
grep -q "^verdict: good" stdout || fail "a model with all values measured is not good"

zeros=$(awk 'BEGIN { for (i = 0; i < 16; ++i) printf "%s0", i ? ", " : "" }')
sed -e "s/^<float.*/&/" -e "s/(float\[1, 16\] x, float\[1, 16\] s)/(float[1, 16] x)/" -e "s/float\[16, 16\] v/float[1, 16] zeros = {$zeros}, &/" -e "s/k = MatMul (s, v)/k = MatMul (x, v)/" -e "s/y = Add (h, k)/m = Add (h, k)\n  y = Add (m, zeros)/" in/states.txt >in/constant.txt
"$MAKE_FILES" model in/constant.txt in/constant.onnx
accepts "a constant of zeros" quantize in/constant.onnx --data in/x.npy --target qnn --quiet -o in/constant.int8.onnx --json in/constant.json
grep -q "guess" stdout && fail "a constant needs no sample"
grep -q '"name": "zeros"' in/constant.json || fail "the constant of the test has no pair"
sed -e "s/int64 one/&/" -e 's/y = Add (m, zeros)/shape = Shape (m)\n  copy = Expand (zeros, shape)\n  y = Add (m, copy)/' -e 's/(float\[1, 16\] x)/(float[N, 16] x)/' -e 's/=> (float\[1, 16\] y)/=> (float[N, 16] y)/' in/constant.txt >in/copy.txt
"$MAKE_FILES" model in/copy.txt in/copy.onnx
accepts "a copy of a constant" quantize in/copy.onnx --data in/x.npy --target qnn --quiet -o in/copy.int8.onnx --json in/copy.json
grep -q "guess" stdout && fail "a copy of a constant needs no sample"
grep -q '"name": "copy"' in/copy.json || fail "the copy of the test has no pair"

accepts "inspect of what was written" inspect in/good.onnx
for word in "producer  *detent" "calibrator  *mse$" "calibrated with  10 samples$" "sample digest  *[0-9a-f]{32}$"; do
  grep -qE "^  $word" stdout || fail "inspect does not say '$word'"
done
accepts "inspect of a float model" inspect "$model"
if grep -q digest stdout; then fail "a float model has a provenance"; fi
finish
