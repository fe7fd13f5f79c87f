#!/bin/sh
# --activation dynamic: products find the scale of their data at run time, with data and without.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
ort="--target onnxruntime --activation dynamic"

array x 16,8,32 1
# Two products read x, one with a bias; a Gemm turns its weight; a product of activations stays float.
network block "(float[N,8,32] x) => (float[N,8,32] y)" "$(weight q 32,32 1024) $(weight k 32,32 1024) $(weight v 32,32 1024)
  $(weight b 32 32) $(weight g 32,32 1024)
  q0 = MatMul (x, q) q1 = Add (q0, b) k0 = MatMul (x, k) kt = Transpose <perm = [0, 2, 1]> (k0) s = MatMul (q1, kt)
  p = Softmax <axis = -1> (s) v0 = MatMul (x, v) c = MatMul (p, v0)
  shape = Constant <value = int64[2] {-1, 32}> () f = Reshape (c, shape) h = Gemm <transB = 1> (f, g, b)
  back = Constant <value = int64[3] {-1, 8, 32}> () y = Reshape (h, back)"

accepts "without data" quantize in/block.onnx $ort -o in/free.onnx --json in/free.json
grep -q '4 layers find their scales at run time' stdout || fail "the text does not count the layers"
grep -q '^verdict: none' stdout || fail "there is a verdict without data"
accepts "inspect of it" inspect in/free.onnx
grep -q 'activation=dynamic' stdout || fail "the provenance lacks the option"
[ "$(tr -d ' \n' <in/free.json | grep -o '"dynamic":true' | grep -c .)" = 4 ] || fail "JSON: not four dynamic layers"
for what in MatMulInteger:4 DynamicQuantizeLinear:2; do
  accepts "operators" inspect in/free.onnx --json
  tr -d ' \n' <stdout | grep -q "\"${what%:*}\":${what#*:}" || fail "not ${what#*:} ${what%:*}"
done

accepts "with data" quantize in/block.onnx $ort --data in/x.npy -o in/judged.onnx --json in/judged.json --html in/page.html
grep -q 'SQNR' stdout || fail "the error is not measured"
grep -q '"quality": "good"\|"verdict": "good"' in/judged.json || fail "8 bits of each tensor are not good"
grep -q dynamic in/page.html || fail "the page does not say which layers are dynamic"

# Every command understands the file.
accepts "lint" lint in/free.onnx --target onnxruntime
grep -q '^0 errors, 0 warnings' stdout || fail "lint finds something in our own file"
accepts "lint counts its layers" lint in/free.onnx --target onnxruntime --json
tr -d ' \n' <stdout | grep -q '"int8_layers":4' || fail "lint does not count four INT8 layers"
accepts "run" run in/free.onnx --data in/x.npy -o in/out
accepts "the float model" run in/block.onnx --data in/x.npy -o in/floats
accepts "compare calibrators" compare in/block.onnx $ort --data in/x.npy --eval in/x.npy --calibrators max,mse
refuses "quantize again" 10 "already quantized" quantize in/free.onnx $ort -o out/again.onnx
refuses "cast" 10 "holds integer operators" cast in/free.onnx --data in/x.npy -o out/cast.onnx

# The plan; a scale in advance for what the user includes, which needs data.
accepts "plan" plan in/block.onnx $ort
grep -q 'O13 dynamic product' stdout || fail "the plan does not name the rule"
accepts "a scale in advance" quantize in/block.onnx $ort --include '^MatMul_.$' --data in/x.npy -o in/mixed.onnx --overwrite
refuses "without data" 2 "needs --data or --table" quantize in/block.onnx $ort --include . -o out/mixed.onnx

# Options that do not go together.
for option in "--float-type fp16" "--format bias=int32" "--format weights=fp32" "--policy quantize-outputs=on" \
  "--policy attention=int8"; do
  # shellcheck disable=SC2086 # words of options
  refuses "$option" 13 "does not go with --activation dynamic" quantize in/block.onnx $ort $option -o out/q.onnx
done
for target in tensorrt openvino qnn tensorrt-rtx; do
  refuses "$target" 13 "finds no scales at run time" quantize in/block.onnx --target $target --activation dynamic \
    --data in/x.npy -o out/q.onnx
done
finish
