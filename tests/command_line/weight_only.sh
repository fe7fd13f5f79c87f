#!/bin/sh
# Weights alone as integers in blocks: no data needed, what may go with it, and what the file holds.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

# Two layers of 64, the second behind a Transpose; the weights are the same pseudo-random numbers.
awk 'BEGIN {
  state = 5
  for (i = 0; i < 4096; ++i) { state = (state * 16807) % 2147483647; w = w (i ? "," : "") sprintf("%.4f", state / 2147483647 - 0.5) }
  print "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,16,64] x) => (float[N,16,64] y) <float[64,64] w = {" w "}, float[64,64] v = {" w "}> {"
  print "  h = MatMul (x, w) r = Relu (h) t = Transpose <perm = [1, 0]> (v) y = MatMul (r, t) }"
}' | "$WRITE_MODEL" in/model.onnx

for codes in int4 int8; do
  for block in 32 channel; do
    accepts "$codes, block $block, without data" quantize in/model.onnx --weight-only $codes --block $block -o out/$codes$block.onnx
    grep -q 'weights of 2 of 2 weighted layers as' stdout || fail "$codes, block $block: not both layers"
    grep -q 'put the weights of 1 product in rows' stdout || fail "$codes, block $block: the second was not rearranged"
    accepts "$codes, block $block runs" run out/$codes$block.onnx --data random:normal,n=4 -o out/run
    rm -rf out/run
  done
done
bytes() { wc -c <"$1"; }
# 4 bits and a scale of 32 bits for 32 weights: 5/32 of the float weights, and the graph.
[ $(($(bytes out/int432.onnx) * 100)) -lt $((2 * 4096 * 4 * 16 + 100 * 1500)) ] || fail "INT4 in blocks of 32 takes $(bytes out/int432.onnx) bytes"
[ "$(bytes out/int4channel.onnx)" -lt "$(bytes out/int432.onnx)" ] || fail "one scale a channel takes no less than blocks"

# With data: codes by what layers read, the error, a report.
accepts "with data" quantize in/model.onnx --weight-only int4 --data random:normal,n=64 --quiet -o out/data.onnx --report out/report.json
grep -q '^rounding by what layers read: 2 layers, SQNR .*, kept' stdout || fail "with data: rounding was not kept"
grep -q '^error against FP32 on 16 samples: SQNR' stdout || fail "with data: the error was not measured"
grep -q '^verdict: ' stdout || fail "with data: no verdict"
for key in '"codes": "int4"' '"block": 32' '"sqnr_after_db"' '"weight_sqnr_db"' '"verdict"' '"float_layers": \[\]'; do
  grep -q -e "$key" out/report.json || fail "the report has no $key"
done
accepts "again, with another number of threads" quantize in/model.onnx --weight-only int4 --data random:normal,n=64 --quiet --threads 1 -o out/again.onnx
cmp -s out/data.onnx out/again.onnx || fail "the number of threads changes the file"
accepts "layers that are excluded" quantize in/model.onnx --weight-only int4 --exclude MatMul_3 -o out/excluded.onnx
grep -q 'weights of 1 of 2 weighted layers' stdout || fail "an excluded layer is quantized"
grep -q "kept float: MatMul_3 (MatMul)  excluded by --exclude 'MatMul_3'" stdout || fail "an excluded layer is not named"
rm -rf out/*

refuses "a block that engines do not know" 2 '--block' quantize in/model.onnx --weight-only int4 --block 24 -o out/m.onnx
refuses "codes that there are not" 2 '--weight-only' quantize in/model.onnx --weight-only int3 -o out/m.onnx
refuses "a block without weights alone" 2 '--block is for --weight-only' quantize in/model.onnx --data random:normal,n=2 --block 64 -o out/m.onnx
for option in '--calibrator max' '--per-tensor' '--equalize auto' '--concat inputs' '--min-sqnr 20' '--accuracy best'; do
  # shellcheck disable=SC2086
  refuses "weights alone with $option" 2 'and --weight-only writes none' quantize in/model.onnx --weight-only int4 --data random:normal,n=2 $option -o out/m.onnx
done
refuses "a page" 2 '--html has no page for --weight-only' quantize in/model.onnx --weight-only int4 --html out/p.html -o out/m.onnx

finish
