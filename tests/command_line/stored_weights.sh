#!/bin/sh
# Codes that only take less room: weights of convolutions, tables, files of `quantize` and `quantize-weights` that the
# other command reads, and a tied table that the file holds once.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
bytes() { wc -c <"$1"; }
ort="--target onnxruntime"

# A Conv, a ConvTranspose and a MatMul: 3 weights of 4608, 4608 and 1024 numbers.
k=$(uniform 4608 3)
printf '<ir_version: 8, opset_import: ["" : 13]> g (float[N,16,6,6] x) => (float[N,32] y)
  <float[32,16,3,3] k = {%s}, float[32,16,3,3] t = {%s}, float[16,32] w = {%s}> {
  a = Conv <pads = [1,1,1,1]> (x, k) b = ConvTranspose <pads = [1,1,1,1]> (a, t) c = Relu (b)
  p = GlobalAveragePool (c) f = Flatten (p) y = MatMul (f, w) }' "$k" "$k" "$(uniform 512 5)" | "$WRITE_MODEL" in/conv.onnx
for target in onnxruntime openvino; do
  accepts "convolutions for $target" quantize-weights in/conv.onnx --type int8 --target $target -o out/$target.onnx
  grep -q 'weights of 3 of 3 weighted layers' stdout || fail "$target: a layer stays float"
  grep -q '2 weights of convolutions have one scale a channel' stdout || fail "$target: blocks are not told apart"
  [ $(($(bytes out/$target.onnx) * 3)) -lt "$(bytes in/conv.onnx)" ] || fail "$target: the file takes more than a third"
  accepts "$target runs" run out/$target.onnx --data random:normal,n=2 -o out/run_$target
done
run quantize-weights in/conv.onnx --type int8 --block 16 --target tensorrt -o out/t.onnx
grep -q 'weights of 1 of 3 weighted layers' stdout || fail "TensorRT gets a convolution that it refuses"
run quantize-weights in/conv.onnx --type int4 $ort -o out/four.onnx
grep -q 'weights of 1 of 3 weighted layers' stdout || fail "a convolution has 4 bits"
rm -rf out/*

# quantize after quantize-weights: codes are read as floats, and the user is told.
accepts "weights first" quantize-weights in/conv.onnx --type int8 $ort -o in/weights.onnx --quiet
accepts "then pairs" quantize in/weights.onnx $ort --data random:normal,n=16 --accept-broken -o out/pairs.onnx
grep -q 'warning: 3 constants are stored as codes' stderr || fail "codes are read in silence"
accepts "pairs of such a file hold" lint out/pairs.onnx $ort --strict
accepts "pairs of the float model" quantize in/conv.onnx $ort --data random:normal,n=16 --accept-broken -o out/float.onnx
grep -q 'stored as codes' stderr && fail "the float model has no codes"

# quantize-weights after quantize: pairs stay, what is float gets codes, the opset stays.
accepts "pairs with a float layer" quantize in/conv.onnx $ort --data random:normal,n=16 --exclude '^Conv_' --accept-broken -o in/pairs.onnx
accepts "then weights" quantize-weights in/pairs.onnx --type int8 $ort -o out/both.onnx --json out/both.json
grep -q 'the model has codes already: they stay' stdout || fail "pairs are not named"
grep -q '"written_opset": 21' out/both.json && fail "ONNX Runtime refuses INT8 pairs that were raised to opset 21"
[ "$(bytes out/both.onnx)" -lt $(($(bytes in/pairs.onnx) - 10000)) ] || fail "the float layer keeps its floats"
accepts "both run" run out/both.onnx --data random:normal,n=2 -o out/run_both
accepts "the file tells its calibrator" inspect out/both.onnx
grep -q 'calibrator' stdout || fail "the provenance of the pairs is lost"
accepts "again: nothing is left" quantize-weights out/both.onnx --type int8 $ort -o out/again.onnx
grep -q 'weights of 0 of' stdout || fail "codes of codes"
refuses_into_empty() { rm -rf out/*; refuses "$@"; }
refuses_into_empty "4 bits beside pairs of a low opset" 13 'opset 21' quantize-weights in/pairs.onnx --type int4 $ort -o out/m.onnx
rm -rf out/*

# A tied table: the Gather and the projection, which reads it transposed, have one copy of its codes.
e=$(uniform 51200 7)
tied() { # tied NAME PROJECTION
  printf '<ir_version: 8, opset_import: ["" : 17]> g (int64[N,4] ids) => (float[N,4,800] y) <float[800,64] e = {%s}, float[64,64] w = {%s}> {
    x = Gather (e, ids) x1 = Relu (x) h = MatMul (x1, w) r = Relu (h) %s }' "$e" "$(uniform 4096 9)" "$2" | "$WRITE_MODEL" "in/$1.onnx"
}
tied transpose 't = Transpose <perm = [1, 0]> (e) y = MatMul (r, t)'
tied gemm 's = Constant <value_ints = [-1,64]> () f = Reshape (r, s) g = Gemm <transB = 1> (f, e) u = Constant <value_ints = [-1,4,800]> () y = Reshape (g, u)'
for name in transpose gemm; do
  for target in onnxruntime openvino; do
    accepts "$name for $target" quantize in/$name.onnx --target $target --policy embeddings=int8 --data random:uniform,n=16 \
      --accept-broken -o out/$name.onnx --overwrite
    # 51200 codes, 800 scales, 4096 codes and 64 scales, and the graph: a second copy would take 51200 more.
    [ "$(bytes out/$name.onnx)" -lt 70000 ] || fail "$name, $target: $(bytes out/$name.onnx) bytes hold more than one copy"
    accepts "$name for $target: lint finds no fault" lint out/$name.onnx --target $target --strict
  done
done
accepts "an excluded projection" quantize in/transpose.onnx $ort --policy embeddings=int8 --exclude '^MatMul_5$' --data random:uniform,n=16 \
  --accept-broken -o out/apart.onnx
[ "$(bytes out/apart.onnx)" -gt 250000 ] || fail "a projection that stays float has no floats"
rm -rf out/*

# An EmbeddingBag: the rows that Gather takes are summed.
printf '<ir_version: 8, opset_import: ["" : 17]> g (int64[N,4] ids) => (float[N,64] y) <float[800,64] e = {%s}, float[64,64] w = {%s}> {
  a = Constant <value_ints = [1]> () x = Gather (e, ids) s = ReduceSum <keepdims = 0> (x, a) y = MatMul (s, w) }' "$e" "$(uniform 4096 9)" |
  "$WRITE_MODEL" in/bag.onnx
accepts "an EmbeddingBag" quantize in/bag.onnx $ort --policy embeddings=int8 --data random:uniform,n=16 --accept-broken -o out/bag.onnx
[ "$(bytes out/bag.onnx)" -lt 70000 ] || fail "the table of the EmbeddingBag is float: $(bytes out/bag.onnx) bytes"
accepts "its floats on request" quantize in/bag.onnx $ort --policy embeddings=float --data random:uniform,n=16 --accept-broken -o out/float.onnx
[ "$(bytes out/float.onnx)" -gt 200000 ] || fail "embeddings=float stores codes"

finish
