#!/bin/sh
# Models of other forms than float or pairs: operators of codes, dynamic quantization, FLOAT64, quantized branches. Each
# command says what it does with them, or refuses them with the reason and the next step.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

array x 8,32 1
array d 8,32 1 double
constants='xs = Constant <value = float {0.02}> () xz = Constant <value = uint8 {128}> () ys = Constant <value = float {0.1}> ()
  ws = Constant <value = float {0.005}> () wz = Constant <value = int8 {0}> ()'
codes() { echo "$1 = Constant <value = int8[32,32] {$(numbers 1024 | sed 's/0[.]\(..\)../\1/g; s/\b0\([0-9]\)/\1/g')}> ()"; }
network qlinear "(float[N,32] x) => (float[N,32] y)" "$constants $(codes w)
  q = QuantizeLinear (x, xs, xz) m = QLinearMatMul (q, xs, xz, w, ws, wz, ys, xz) y = DequantizeLinear (m, ys, xz)"
network dynamic "(float[N,32] x) => (float[N,32] y)" "$constants $(codes w) $(weight v 32,32 1024)
  q, s, z = DynamicQuantizeLinear (x) m = MatMulInteger (q, w, z, wz) f = Cast <to = 1> (m) t = Mul (s, ws) g = Mul (f, t) y = MatMul (g, v)"
pair() { echo "$1_q = QuantizeLinear ($2, xs, wz) $1 = DequantizeLinear ($1_q, xs, wz)"; }
branch() { echo "$constants $(codes w) wd = DequantizeLinear (w, ws, wz) $(pair r r0) $1 = MatMul (r, wd)"; }
network branches "(float[N,32] x, bool c) => (float[N,32] y)" "$(weight u 32,32 1024) r0 = MatMul (x, u) y = If (c) <
  then_branch = low () => (float[N,32] a) { $(branch a) },
  else_branch = high () => (float[N,32] b) { $(branch b) } >"
network both "(float[N,32] x, bool c) => (float[N,32] y)" "$constants $(codes k) kd = DequantizeLinear (k, ws, wz) $(pair p x) r0 = MatMul (p, kd) y = If (c) <
  then_branch = low () => (float[N,32] a) { $(branch a | sed 's/\bw\b/wa/g') },
  else_branch = high () => (float[N,32] b) { $(branch b | sed 's/\bw\b/wb/g') } >"

# Operators of codes, and dynamic quantization: nothing to quantize, move or cast; lint counts them as the engine does.
refused_by_all() {
  form=$1 why=$2
  refuses "plan of $form" 10 "already quantized" plan in/$form.onnx
  grep -q '^hint: quantize the float model' stderr || fail "plan of $form: no next step"
  # shellcheck disable=SC2086 # $feeds is a list of options
  for command in "quantize -o out/q.onnx" "calibrate -o out/t.dct" "sensitivity --eval x=in/x.npy" "compare --eval x=in/x.npy"; do
    refuses "${command%% *} of $form" 10 "already quantized" ${command%% *} in/$form.onnx $feeds ${command#* }
  done
  accepts "quantize-weights of $form" quantize-weights in/$form.onnx --type int8 -o out/w.onnx
  grep -q 'the model has codes already: they stay' stdout || fail "quantize-weights of $form: codes are not named"
  rm -f out/w.onnx
  refuses "repair of $form" "${repair_code:-10}" "$why" repair in/$form.onnx -o out/r.onnx
  grep -q '^hint: ' stderr || fail "repair of $form: no next step"
  accepts "inspect of $form" inspect in/$form.onnx
  grep -q ', quantized' stdout || fail "inspect does not say that $form is quantized"
}
for form in qlinear dynamic; do
  feeds="--data in/x.npy"
  refused_by_all $form "holds integer operators"
  refuses "cast of $form" 10 "holds integer operators" cast in/$form.onnx --data in/x.npy -o out/c.onnx
  for target in tensorrt tensorrt:11 openvino qnn onnxruntime; do
    accepts "lint of $form for $target" lint in/$form.onnx --target $target
  done
  grep -q "0 errors" stdout || fail "onnxruntime runs $form"
done
# One share of one node in one report: the float MatMul has half of all multiplications.
accepts "shares" lint in/dynamic.onnx --target onnxruntime
grep -q "(50.0 % of MACs)" stdout || fail "the float layer beside MatMulInteger has no share"
grep -q "(100 % of MACs)" stdout && fail "a layer has two shares in one report"

# Pairs in branches only: the main graph alone looks like a float model.
feeds="--data x=in/x.npy --data c=in/c.npy"
array c 8 4 bool
repair_code=11
refused_by_all branches "repair does not move pairs in bodies"
repair_code=
refuses "cast of branches" 11 "does not bound values by the scales of pairs in bodies" cast in/branches.onnx -o out/c.onnx
# shellcheck disable=SC2086
accepts "cast of branches with data" cast in/branches.onnx $feeds --quiet -o in/branches16.onnx
accepts "lint of branches" lint in/branches.onnx
grep -q "MACs inside If '.*' are not counted" stdout || fail "lint does not say what it did not count"

# Pairs on both sides: those of the main graph are moved, the others stay, and repair says so.
accepts "repair of both" repair in/both.onnx --target tensorrt --quiet -o in/repaired.onnx
grep -q "^detent: warning: If '.*': pairs inside it stay as they are" stderr || fail "repair does not say what it left"

# FLOAT64: no engine computes such layers in INT8, and no 16-bit type replaces it.
network double "(double[N,32] x) => (double[N,8] y)" "w = Constant <value = double[32,8] {$(numbers 256)}> () y = MatMul (x, w)"
says_float64() { grep -qF "FLOAT64 weights, and no engine computes such layers in $2: export the model in FP32" "$3" || fail "$1 does not name FLOAT64"; }
accepts "plan of double" plan in/double.onnx
says_float64 plan INT8 stdout
accepts "lint of double" lint in/double.onnx
says_float64 lint INT8 stdout
accepts "quantize of double" quantize in/double.onnx --data in/d.npy --quiet -o in/double.q.onnx
says_float64 quantize INT8 stdout
accepts "quantize-weights of double" quantize-weights in/double.onnx --type int8 --quiet -o in/double.w.onnx
says_float64 quantize-weights INT8 stdout
accepts "calibrate of double" calibrate in/double.onnx --data in/d.npy --quiet -o in/double.dct
says_float64 calibrate INT8 stderr
accepts "sensitivity of double" sensitivity in/double.onnx --data in/d.npy --eval in/d.npy --quiet
says_float64 sensitivity INT8 stderr
accepts "cast of double" cast in/double.onnx --data in/d.npy --float-type fp16 --quiet -o in/double16.onnx
says_float64 cast FP16 stderr
grep -q "16-bit floats of the model stay" stdout && fail "cast speaks of 16-bit floats that the model has not"
finish
