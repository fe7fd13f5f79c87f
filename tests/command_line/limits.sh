#!/bin/sh
# Work that needs more memory than the machine has is refused before it begins, with the name of the large tensor.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${EDIT_MODEL:?the program that breaks them}"
# Only the limit decides: a model that is refused at 10M runs at 1G.

# model_of FILE TEXT: a model of opset 17 with one float input x of 1x4.
model_of() {
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,4] x) => (float[N] y) %s' "$2" | "$WRITE_MODEL" "$1"
}
data='--data random:normal,n=2 --quiet -o out'
model_of in/expand.onnx '<int64[2] s = {10000, 1000}> { z = ReduceMax (x) big = Expand (z, s) y = ReduceMax (big) }'
refuses "a tensor beyond --max-memory" 12 "(Expand, opset 17): a float tensor of shape 10000x1000 takes 40.0 MB; the limit is 10.0 MB (--max-memory)" \
  run in/expand.onnx $data --max-memory 10M
accepts "the same within it" run in/expand.onnx $data --max-memory 1G
rm -rf out/*
model_of in/absurd.onnx '<int64[2] s = {1099511627776, 1000}> { z = ReduceMax (x) big = Expand (z, s) y = ReduceMax (big) }'
refuses "a tensor beyond every machine" 12 "(Expand, opset 17): a float tensor of shape 1099511627776x1000 takes 4.4 PB; the limit is" \
  run in/absurd.onnx $data
model_of in/constant.onnx '<int64[1] s = {4000000000000}> { big = ConstantOfShape (s) y = Add (x, big) }'
refuses "a constant beyond every machine" 12 "(ConstantOfShape, opset 17)" run in/constant.onnx $data
grep -q 'threads' stderr && fail "the model is to blame, and the hint speaks of threads"


# A shape that holds a 0 takes no memory, but kernels walk along its other extents and multiply them: the limits count
# those.
nothing_of() {
  model_of "in/nothing_of_$1.onnx" "<int64[2] s = {$1, 0}, int64[2] times = {4, 1}> { e = ConstantOfShape (s) q = Concat <axis = 1> (e, e) r = Tile (e, times)
    a, b = Split <axis = 0> (e) z = ReduceSum (q) w = ReduceSum (a) t = ReduceSum (r) v = Add (x, z) u = Add (v, w) y = Add (u, t) }"
}
nothing_of 4611686018427387904
refuses "a shape of nothing beyond 64 bits" 10 "(ConstantOfShape, opset 17): a tensor of shape 4611686018427387904x0 fits no memory" \
  run in/nothing_of_4611686018427387904.onnx $data
nothing_of 1000000
refuses "a shape of nothing beyond --max-memory" 12 \
  "(Tile, opset 17): the index of an axis of 4000000 takes 96.0 MB; the limit is 10.0 MB (--max-memory)" \
  run in/nothing_of_1000000.onnx $data --max-memory 10M
accepts "the same within it" run in/nothing_of_1000000.onnx $data --max-memory 1G
rm -rf out/*

set -- run "$model" --preprocess "$preprocess" --quiet -o out --data
mkdir in/images # one image of 128x128 pixels: 49152 bytes, 39.6 kB as a file
cp "$sample/calib/000.png" in/images
refuses "an image beyond --max-memory" 12 "000.png: an image of" "$@" in/images --max-memory 45K
accepts "the same within it" "$@" in/images --max-memory 1G
rm -rf out/*

# An array of 256 GB of which only the header exists.
header="{'descr': '<f4', 'fortran_order': False, 'shape': (16000000000, 4), }"
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"; } >in/sparse.npy
truncate -s 256000000128 in/sparse.npy 2>/dev/null &&
  refuses "an array that was never written" 12 "sparse.npy: 16000000000x4 elements take 256.0 GB" \
    run in/expand.onnx --data in/sparse.npy --quiet -o out --max-memory 1G
header="{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 0, 4), }"
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"; } >in/rows.npy
refuses "rows of nothing without end" 12 "rows.npy: the array of shape 1099511627776x0x4 holds no elements" \
  run in/expand.onnx --data in/rows.npy --quiet -o out

# The need of quantizing is known before the first sample: weights of 16.8 MB lie in a file and cost nothing, their
# INT8 codes do.
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,1024,1024] x) => (float[N,1024,1024] y)
  <float[1,1] a = {1}, float[1,1] b = {1}> { u = MatMul (x, a) v = Relu (u) y = MatMul (v, b) }' | "$WRITE_MODEL" in/one.onnx
head -c 8388608 /dev/zero | tr '\000' '<' >in/w.bin # floats of 0.0115
"$EDIT_MODEL" in/one.onnx in/a.onnx dims a 1024,1024 && "$EDIT_MODEL" in/a.onnx in/b.onnx dims b 1024,1024 &&
  "$EDIT_MODEL" in/b.onnx in/c.onnx external a w.bin 0 4194304 && "$EDIT_MODEL" in/c.onnx in/products.onnx external b w.bin 4194304 4194304
products="in/products.onnx --data random:uniform,n=4 --calibrator max --accept-broken"
for command in "quantize $products -o out/q.onnx" "compare in/products.onnx --data random:uniform,n=4 --eval random:uniform,n=2 --calibrators max" \
  "sensitivity in/products.onnx --data random:uniform,n=4 --eval random:uniform,n=2 --calibrator max"; do
  refuses "four threads in 30M: ${command%% *}" 12 "in/products.onnx: takes 35.7 MB at least: 2.1 MB of INT8 weights and 4 threads x 8.4 MB for the values of its largest layer; the limit is 30.0 MB (--max-memory)" \
    $command --quiet --threads 4 --max-memory 30M
  grep -q '^hint: --threads 3 ' stderr || fail "${command%% *}: the hint does not say how many threads there is room for"
done
refuses "one thread in 10M" 12 "the limit is 10.0 MB (--max-memory)" quantize $products -o out/q.onnx --threads 1 --quiet --max-memory 10M
run quantize $products -o out/q.onnx --threads 4 --max-memory 30M
grep -q '^calibrating' stderr && fail "calibrated before it was refused"
accepts "one thread in 100M" quantize $products -o out/q.onnx --quiet --threads 1 --max-memory 100M
rm -rf out/*

for size in 10MB -1 0 1.5G many; do
  refuses "--max-memory $size" 2 "--max-memory: '$size' is no size in bytes" inspect "$model" "--max-memory=$size"
done
accepts "--max-memory of a nested command" cache export --help
grep -q -e '--max-memory' stdout || fail "cache export has no --max-memory"

body='body = b (int64 i, bool c, float[1,4] v) => (bool d, float[1,4] w) { d = Identity (c) w = Add (v, v) }'
model_of in/loop_few.onnx "<int64 m = {100}, bool t = {1}> { y = Loop <$body> (m, t, x) }"
accepts "a Loop of 100 trips" run in/loop_few.onnx $data
rm -rf out/*

# Many overrides: the time is in proportion to their number. Ten times as many take less than thirty times as long,
# not a hundred times. $seconds: user and system seconds of the processes that this shell waited for.
count_seconds() {
  times >in/times
  seconds=$(tail -n 1 in/times | awk '{ gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }')
}
for many in 30000 300000; do
  awk -v n=$many 'BEGIN { printf "{"; for (i = 0; i < n; ++i) printf "%s\"n%d\": {\"amax\": 1}", i ? "," : "", i; print "}" }' >in/many.json
  count_seconds
  begin=$seconds
  refuses "$many overrides of values that are not there" 13 "which gets no pair" $quantize_sample -o out/model.onnx --override in/many.json
  count_seconds
  awk -v a="$begin" -v b="$seconds" 'BEGIN { print b - a }' >>in/seconds
done
awk '{ t[NR] = $1 } END { exit !(t[2] < 30 * (t[1] + 0.01)) }' in/seconds || fail "overrides took as many seconds: $(cat in/seconds)"
finish
