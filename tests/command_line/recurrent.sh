#!/bin/sh
# Recurrent networks with states [layers, batch, hidden] beside an input [batch, features]: the batch axis of each
# input is found, with an open batch (named or not) and a fixed one; arrays in every natural layout give the same
# table.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

# Two layers of 4 units over 3 features; states go in and come out as [2, batch, 4].
# lstm NAME BATCH BATCH_OF_STATES
lstm() {
  network "$1" "(float[$2, 3] x, float[2, $3, 4] h, float[2, $3, 4] c) => (float[$2, 2] y, float[2, $3, 4] hn)" "
    $(weight w0 1,16,3 48) $(weight r0 1,16,4 64) $(weight w1 1,16,4 64) $(weight r1 1,16,4 64) $(weight wy 4,2 8)
    front = Constant <value = int64[1] {0}> ()
    steps = Unsqueeze (x, front)
    h0, h1 = Split <axis = 0> (h)
    c0, c1 = Split <axis = 0> (c)
    a, ha = LSTM <hidden_size = 4> (steps, w0, r0, , , h0, c0)
    b = Squeeze (a, front)
    s = Squeeze (b, front)
    t = Unsqueeze (s, front)
    d, hd = LSTM <hidden_size = 4> (t, w1, r1, , , h1, c1)
    hn = Concat <axis = 0> (ha, hd)
    e = Squeeze (hd, front)
    y = MatMul (e, wy)"
}
lstm named N N
lstm apart x_dynamic_axes_1 h_dynamic_axes_1
lstm unnamed '?' '?'
lstm one 1 1
lstm fixed 4 4

array x 8,3 1
array h 8,2,4 2
array c 8,2,4 3
for state in h c; do
  mkdir -p in/model_layout in/with_batch
  "$MAKE_FILES" transpose in/$state.npy in/model_layout/$state.npy 1,0,2
  "$MAKE_FILES" reshape in/$state.npy in/with_batch/$state.npy 8,2,1,4
done

for name in named apart unnamed one fixed; do
  for layout in . model_layout with_batch; do
    if [ "$name-$layout" = one-model_layout ]; then continue; fi
    accepts "states of $name in $layout" calibrate in/$name.onnx --quiet --data x=in/x.npy --data h=in/$layout/h.npy \
      --data c=in/$layout/c.npy -o "in/$name-$layout.dct"
    cmp "in/$name-..dct" "in/$name-$layout.dct" || fail "$name: $layout gives another table than states by sample"
  done
  grep -q . in/$name-..dct || fail "no table"
done

# All batches compute the same except the order of sums of a few products of numbers below 1; outputs [2, batch, 4]
# are stacked by sample for any batch.
floats() { tail -c +129 "$1" | od -An -v -w4 -t f4; }
for name in named one fixed; do
  accepts "run of $name" run in/$name.onnx --quiet --data x=in/x.npy --data h=in/h.npy --data c=in/c.npy -o in/out-$name
  for output in y hn; do
    floats in/out-$name/$output.npy >in/found
    floats in/out-named/$output.npy | paste - in/found | awk '{ d = $1 - $2; if (d > 1e-6 || d < -1e-6) exit 1 } END { exit NR == 0 }' ||
      fail "$name computes another $output"
    head -c 128 in/out-$name/$output.npy | cmp - in/header-$output 2>/dev/null || [ $name = named ] || fail "$name: another shape of $output"
    [ $name = named ] && head -c 128 in/out-$name/$output.npy >in/header-$output
  done
done

# Judged the same way: the layer behind the states loses the same with any batch.
array ex 8,3 11
array eh 8,2,4 12
array ec 8,2,4 13
judged="--quiet --policy small-layers=quantize --eval x=in/ex.npy --eval h=in/eh.npy --eval c=in/ec.npy --eval-limit 4"
for name in named unnamed one fixed; do
  feed="in/$name.onnx --data x=in/x.npy --data h=in/h.npy --data c=in/c.npy"
  accepts "compare of $name" compare $feed $judged --calibrators max
  grep '^  y ' stdout >>in/judged
  grep -q '^  hn  *exact' stdout || fail "compare of $name: states are not exact"
  accepts "sensitivity of $name" sensitivity $feed $judged --calibrator max
  grep '^  MatMul_' stdout >>in/layers
done
[ "$(sort -u in/judged | wc -l)" -eq 1 ] || fail "compare tells another error for another batch: $(cat in/judged)"
[ "$(wc -l <in/layers)" -eq 4 ] && [ "$(sort -u in/layers | wc -l)" -eq 1 ] || fail "sensitivity tells another error for another batch"

# Shuffling changes only the order of samples: sums over samples stay.
accepts "shuffled" calibrate in/named.onnx --quiet --data x=in/x.npy --data h=in/h.npy --data c=in/c.npy --shuffle 3 -o in/shuffled.dct
cmp in/named-..dct in/shuffled.dct || fail "--shuffle changes what is measured"

# The axis can be named, which also names the batch of the other inputs; a wrong one is refused.
accepts "a named axis" calibrate in/unnamed.onnx --quiet --data x=in/x.npy --data h=in/model_layout/h.npy \
  --data c=in/model_layout/c.npy --batch-axis h=1 --batch-axis c=1 -o in/by_name.dct
cmp in/unnamed-..dct in/by_name.dct || fail "a named axis gives another table"
refuses "an axis that is not there" 13 "the input has 3 axes" calibrate in/named.onnx --quiet --data x=in/x.npy --data h=in/h.npy \
  --data c=in/c.npy --batch-axis h=3 -o out/t.dct
refuses "an input that is not there" 13 "no input 'nosuch'" calibrate in/named.onnx --quiet --data x=in/x.npy --data h=in/h.npy \
  --data c=in/c.npy --batch-axis nosuch=1 -o out/t.dct
refuses "no axis" 2 "INPUT=AXIS" calibrate in/named.onnx --quiet --data x=in/x.npy --data h=in/h.npy --data c=in/c.npy \
  --batch-axis h -o out/t.dct

# Two samples of two layers fit both ways: an error that names both and the option.
array two 2,3 4
array states 2,2,4 5
refuses "an array that can be read in two ways" 12 "2 samples on axis 1, or 2 samples on axis 0" calibrate in/named.onnx --quiet \
  --data x=in/two.npy --data h=in/states.npy --data c=in/states.npy -o out/t.dct
says "what settles it" "--batch-axis h=1"
accepts "settled" calibrate in/named.onnx --quiet --data x=in/two.npy --data h=in/states.npy --data c=in/states.npy \
  --batch-axis h=1 --batch-axis c=1 -o in/settled.dct

# Steps in front of samples, as PyTorch writes it: [steps, batch, features].
# sequence NAME STEPS BATCH
sequence() {
  network "$1" "(float[$2, $3, 3] x, float[1, $3, 4] h) => (float[$2, 1, $3, 4] y)" "
    $(weight w 1,12,3 36) $(weight r 1,12,4 48)
    y = GRU <hidden_size = 4> (x, w, r, , , h)"
}
sequence steps_named T batch
sequence steps_shared s1 s0
array x5 8,5,1,3 6
array hs 8,1,4 7
for name in steps_named steps_shared; do
  accepts "$name" calibrate in/$name.onnx --quiet --data x=in/x5.npy --data h=in/hs.npy -o in/$name.dct
done
cmp in/steps_named.dct in/steps_shared.dct || fail "the name of the batch changes a table"
# Unnamed: the states tell, [2, ?, 4] beside [?, ?, 3].
network steps_unnamed "(float[?, ?, 3] x, float[2, ?, 4] h) => (float[?, 2, ?, 4] y)" "
  $(weight w 2,12,3 72) $(weight r 2,12,4 96)
  y = GRU <hidden_size = 4, direction = \"bidirectional\"> (x, w, r, , , h)"
accepts "steps in front, unnamed" run in/steps_unnamed.onnx --quiet --data x=in/x5.npy --data h=in/h.npy -o in/steps
[ -s in/steps/y.npy ] || fail "steps in front, unnamed: no output"

# A plan needs no --shape if only the batch is open: x in front, h and c behind.
accepts "plan" plan in/named.onnx
grep -q "MACs" stdout || fail "plan counts no MACs of a network whose batch alone is open"
grep -q -e "--shape" stdout && fail "plan asks for sizes"

# Without INT8 values no calibrator is measured.
accepts "nothing in INT8" quantize in/named.onnx --quiet --data x=in/x.npy --data h=in/h.npy --data c=in/c.npy -o in/float.onnx
if grep -q '^measured' stdout; then fail "calibrators are measured on a model without pairs"; fi
grep -q '^  nothing was quantized' stdout || fail "nothing tells that nothing was quantized"

# Recurrent layers count: only the last product of this network is INT8.
accepts "quantize" quantize in/named.onnx --quiet --data x=in/x.npy --data h=in/h.npy --data c=in/c.npy --accept-broken \
  --policy small-layers=quantize -o in/q.onnx --json in/q.json
grep -q "kept float: .*LSTM" stdout || fail "a float LSTM is not named"
tr -d ' \n' <in/q.json | grep -q '"layers":3,' || fail "LSTMs do not count as layers"
tr -d ' \n' <in/q.json | grep -q '"params":248' || fail "the parameters of LSTMs do not count: 48 + 3 * 64 + 8 are 248"
finish
