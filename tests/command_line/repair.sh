#!/bin/sh
# repair carries the pairs of a file to another engine: lint is clean, a second repair changes nothing, and values
# without a scale are named.
. "$(dirname "$0")/expect.sh"
data="--data $sample/calib --preprocess $preprocess --limit 4 --quiet"

accepts "a file for ONNX Runtime" quantize "$model" $data --target onnxruntime --calibrator mse --accept-broken -o in/ort.onnx
accepts "it is repaired for TensorRT" repair in/ort.onnx --target tensorrt $data -o out/trt.onnx
grep -q '^pairs: .* moved, .* removed' stdout || fail "the report does not count the pairs"
grep -q ' 0 errors and 0 warnings now$' stdout || fail "lint is not clean"
accepts "lint agrees" lint out/trt.onnx --target tensorrt --strict
accepts "it is repaired again" repair out/trt.onnx --target tensorrt --quiet -o out/again.onnx
grep -q 'nothing to repair' stdout || fail "a repaired file needs repair"
cmp -s out/trt.onnx out/again.onnx || fail "the second repair changed the file"
mv out/trt.onnx out/again.onnx in

# The task that the user names judges both files.
judge="--eval $sample/eval/images --eval-limit 4 --masks $sample/eval/masks"
accepts "scores of both files" repair in/ort.onnx --target tensorrt $data $judge --json in/report.json --html in/page.html -o in/scored.onnx
grep -q '^scores on 4 samples, the file before -> after:$' stdout || fail "the report has no scores"
grep -q '^  mIoU  *[0-9.]* % -> [0-9.]* %$' stdout || fail "the report does not show the mIoU of both files"
grep -q '"scores_before"' in/report.json || fail "the JSON has no scores of the file before"
for text in 'id="repair-scores"' 'mark pair removed' 'mark pair added' 'mark pair moved' '<figcaption>Before</figcaption>'; do
  grep -qF "$text" in/page.html || fail "the page has no $text"
done

# FP8 pairs are repaired like INT8 ones; right ones stay to the byte.
accepts "an FP8 file" quantize "$model" $data --type fp8 --accuracy fast --accept-broken -o in/fp8.onnx
accepts "it needs no repair" repair in/fp8.onnx --quiet -o in/same.onnx
cmp -s in/fp8.onnx in/same.onnx || fail "a right FP8 file changed"
accepts "an FP8 file with two scales at a Concat" \
  quantize "$model" $data --type fp8 --accuracy fast --policy concat=independent --accept-broken -o in/split.onnx
run repair in/split.onnx --quiet -o in/stays.onnx  # 1: lint warns of the Concats
cmp -s in/split.onnx in/stays.onnx || fail "a repair undid an option of the file"
accepts "for another target they are not" repair in/split.onnx --target tensorrt:10.8 --quiet -o in/joined.onnx
grep -q '^pairs: [0-9]* kept, 2 moved' stdout || fail "the scales at the Concats were not joined"

# A file that Detent wrote for the target stays, to the byte: pairs between FP32 values and 16-bit ones among them.
for written in "tensorrt:11" "openvino --float-type fp16" "onnxruntime --float-type fp16" \
  "onnxruntime --policy quantize-outputs=on"; do
  target=${written%% *}
  accepts "a file for $written" quantize "$model" $data --accuracy fast --accept-broken --overwrite -o in/own.onnx --target $written
  accepts "a repair of a file for $written" repair in/own.onnx --target $target --quiet --overwrite -o in/same.onnx
  cmp -s in/own.onnx in/same.onnx || fail "a repair changed a file for $written"
done
# Pairs of FP32 beside 16-bit floats, which TensorRT 10 needs, are read by a Cast: a repair finds their scales, if not
# their place.
accepts "a file of FP32 beside FP16" quantize "$model" $data --accuracy fast --accept-broken --overwrite -o in/own.onnx \
  --target tensorrt --float-type fp16
run repair in/own.onnx --target tensorrt --overwrite -o in/same.onnx
[ "$code" -le 1 ] || fail "a repair of FP32 beside FP16: exit $code"

# Codes that leave the graph or that a body reads stay as they are, and a pair of INT32 data is one behind a Cast.
while read -r name network; do
  printf '<ir_version: 8, opset_import: ["" : 17]> g %s' "$network" | "$WRITE_MODEL" in/$name.onnx
  for target in tensorrt onnxruntime qnn; do
    run repair in/$name.onnx --target $target --data random:normal,n=2 --quiet --overwrite -o in/odd.onnx
    [ "$code" -le 1 ] || fail "$name for $target: exit $code"
  done
done <<'NETWORKS'
codes_leave (float[1,4] x) => (float[1,4] y, int8[1,4] q) <float s = {0.05}, int8 z = {0}, int8[4,4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2}> { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = DequantizeLinear (w, s, z) y = MatMul (d, v) }
codes_alone (float[1,4] x) => (int8[1,4] q) <float s = {0.05}, int8 z = {0}> { q = QuantizeLinear (x, s, z) }
codes_in_if (float[1,4] x, bool c) => (float[1,4] y) <float s = {0.05}, int8 z = {0}> { q = QuantizeLinear (x, s, z) y = If (c) <then_branch = a () => (float[1,4] ya) { ya = DequantizeLinear (q, s, z) }, else_branch = b () => (float[1,4] yb) { yb = DequantizeLinear (q, s, z) }> }
int32_data (int32[1,4] x) => (float[1,4] y) <float s = {0.05}, int8 z = {0}> { q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z) }
NETWORKS
accepts "INT32 data are cast in front of a pair with 16-bit scales" cast in/int32_data.onnx --quiet -o in/int32_cast.onnx

# Negative twins.
refuses "an engine without FP8" 13 "has no FP8" repair in/fp8.onnx --target onnxruntime --quiet -o out/none.onnx
refuses "a task without samples" 2 "need --eval" repair in/ort.onnx $data --masks "$sample/eval/masks" -o out/none.onnx
refuses "values without a scale and without data" 13 "no scale in the file: '" \
  repair in/ort.onnx --target tensorrt --quiet -o out/none.onnx
# Weights with the code -128, which OpenVINO does not take, get new scales; others keep theirs.
: "${WRITE_MODEL:?the program that writes models}"
for lowest in -128 -127; do
  printf '<ir_version: 8, opset_import: ["" : 13]> g (float[N,4] x) => (float[N,2] y)
    <float s = {0.1}, int8 z = {0}, int8[4,2] w = {%s,1,2,3,4,5,6,127}, float ws = {0.01}> {
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = DequantizeLinear (w, ws, z) y = MatMul (d, v) }' $lowest |
    "$WRITE_MODEL" in/low$lowest.onnx
  accepts "weights with $lowest for OpenVINO" repair in/low$lowest.onnx --target openvino --json=in/low$lowest.json -o in/low.out.onnx --overwrite
done
grep -q "its code -128 is none of the target's" in/low-128.json || fail "weights with -128: the report does not say what became of them"
if grep -q "its code -128" in/low-127.json; then fail "weights without -128 got other scales"; fi

# Pairs at graph outputs, which an engine without float operators keeps: the second repair changes nothing.
printf '<ir_version: 8, opset_import: ["" : 13]> g (float[1,1,4,4] x) => (float[1,1,4,4] y, float[1,1,2,2] m)
  <float s = {0.1}, uint8 z = {128}, float t = {0.05}, int8 wz = {0}, int8[1,1,1,1] w = {100}, float ws = {0.01}> {
  q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = DequantizeLinear (w, ws, wz) c = Conv (d, v)
  r = Relu (c) p = QuantizeLinear (r, t, z) y = DequantizeLinear (p, t, z) m = MaxPool <kernel_shape = [2,2], strides = [2,2]> (y) }' |
  "$WRITE_MODEL" in/outputs.onnx
for target in qnn openvino tensorrt; do
  accepts "pairs at outputs for $target" repair in/outputs.onnx --target $target --quiet --overwrite -o in/outputs1.onnx
  accepts "a second repair for $target" repair in/outputs1.onnx --target $target --quiet --overwrite -o in/outputs2.onnx
  cmp -s in/outputs1.onnx in/outputs2.onnx || fail "the second repair for $target changed pairs at outputs"
done

# Scales of a square weight along its rows, not along its columns: for every target it gets others.
for axis in 0 1; do
  printf '<ir_version: 8, opset_import: ["" : 13]> g (float[1,2] x) => (float[1,2] y)
    <float s = {0.1}, int8 z = {0}, int8[2,2] w = {127,-3,5,127}, float[2] ws = {0.01,0.08}, int8[2] wz = {0,0}> {
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = DequantizeLinear <axis = %s> (w, ws, wz)
    y = MatMul (d, v) }' $axis | "$WRITE_MODEL" in/axis$axis.onnx
  for target in tensorrt tensorrt:8.6 tensorrt:11 onnxruntime openvino; do
    accepts "scales along axis $axis for $target" repair in/axis$axis.onnx --target $target --json=in/axis.json -o in/axis.out.onnx --overwrite
    case $axis$(grep -c "its scales stand along another axis" in/axis.json) in
      01 | 10) ;;
      *) fail "scales along axis $axis for $target: the report says something else of the weight" ;;
    esac
    accepts "lint of scales along axis $axis for $target" lint in/axis.out.onnx --target $target --strict
  done
done
refuses "a float model" 10 "this one has none" repair "$model" --quiet -o out/none.onnx
refuses "an output that exists" 15 "again.onnx" repair in/ort.onnx --quiet -o in/again.onnx
finish
