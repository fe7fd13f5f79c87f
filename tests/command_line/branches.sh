#!/bin/sh
# Layers inside If: quantized if the branch is known without data, otherwise named, counted and left float.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

# Two layers a branch, as of a network that serves two sampling rates.
# choice NAME INPUTS CONDITION: CONDITION makes `narrow`.
choice() {
  network "$1" "($2) => (float[N, 2] y)" "
    $3
    y = If (narrow) <
      then_branch = low () => (float[N, 2] a) {
        $(weight low_w 3,4 12) $(weight low_v 4,2 8) low_h = MatMul (x, low_w) low_r = Relu (low_h) a = MatMul (low_r, low_v) },
      else_branch = high () => (float[N, 2] b) {
        $(weight high_w 3,8 24) $(weight high_v 8,2 16) high_h = MatMul (x, high_w) high_r = Relu (high_h) b = MatMul (high_r, high_v) }
    >"
}
rate='k = Constant <value = int64 {8000}> () narrow = Equal (rate, k)'
choice fed "float[N, 3] x, int64 rate" "$rate"
choice constant "float[N, 3] x" "rate = Constant <value = int64 {8000}> () $rate"
choice other "float[N, 3] x" "rate = Constant <value = int64 {16000}> () $rate"
choice shaped "float[N, 3] x, float[1, 5] z" "s = Shape (z) i = Constant <value = int64[1] {1}> () rate = Gather (s, i)
  k = Constant <value = int64[1] {5}> () e = Equal (rate, k) narrow = Squeeze (e)"
network shapes "(float[1, 3] x) => (float[1, 2] y)" "
  s = Shape (x) i = Constant <value = int64 {0}> () n = Gather (s, i) k = Constant <value = int64 {1}> () narrow = Equal (n, k)
  y = If (narrow) <
    then_branch = low () => (float[1, 2] a) { $(weight low_w 3,2 6) a = MatMul (x, low_w) },
    else_branch = high () => (float[1, 2] b) { $(weight high_w 3,2 6) b = MatMul (x, high_w) } >"
array x 8,3 1
array z 8,1,5 2
array rate 8 3 int64
options="--quiet --policy small-layers=quantize --accept-broken --overwrite -o in/q.onnx"

for name in constant other shapes; do
  # shellcheck disable=SC2086
  accepts "quantize $name" quantize in/$name.onnx --data in/x.npy $options
  layers=2
  [ $name = shapes ] && layers=1
  grep -q "$layers of $layers weighted layers INT8" stdout || fail "$name: the layers of the known branch are not INT8"
  grep -q "stay" stderr && fail "$name: layers stay float"
  accepts "run $name" run in/$name.onnx --quiet --data in/x.npy -o in/$name
  accepts "run quantized $name" run in/q.onnx --quiet --data in/x.npy -o in/$name.q
  accepts "inspect quantized $name" inspect in/q.onnx
  grep -q " If" stdout && fail "$name: the quantized model still has an If"
done
cmp -s in/constant/y.npy in/other/y.npy && fail "both branches compute the same"

# The condition comes with the data: four layers in two branches. The shape of an input beside an open one is not
# trusted.
for name in fed shaped; do
  second=rate
  [ $name = shaped ] && second=z
  # shellcheck disable=SC2086
  accepts "quantize $name" quantize in/$name.onnx --data x=in/x.npy --data $second=in/$second.npy $options --json in/report.json
  grep -q "^detent: warning: If '.*': 4 layers (60 parameters) inside its branches stay float" stderr ||
    fail "$name: no warning of the layers inside"
  grep -q "0 of 1 weighted layers INT8" stdout || fail "$name: the If does not count as a layer"
  tr -d ' \n' <in/report.json | grep -q '"params":60' || fail "$name: its 12 + 8 + 24 + 16 parameters do not count"
done
accepts "plan" plan in/fed.onnx
grep -q "If '.*': 4 layers (60 parameters) inside its branches stay float" stdout || fail "plan does not note the layers inside"
accepts "plan of a known branch" plan in/constant.onnx --policy small-layers=quantize
grep -q "2 of 2 weighted layers INT8" stdout || fail "plan does not inline a known branch"
finish
