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

# Negative twins.
refuses "values without a scale and without data" 13 "no scale in the file: '" \
  repair in/ort.onnx --target tensorrt --quiet -o out/none.onnx
refuses "a float model" 10 "this one has none" repair "$model" --quiet -o out/none.onnx
refuses "an output that exists" 15 "again.onnx" repair in/ort.onnx --quiet -o in/again.onnx
finish
