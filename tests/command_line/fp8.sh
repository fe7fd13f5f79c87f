#!/bin/sh
# FP8: quantize, compare, plan and lint with --type fp8, and what they refuse.
. "$(dirname "$0")/expect.sh"
data="--quiet --data $six --preprocess $preprocess --limit 4"

accepts "quantize" quantize "$model" $data --type fp8 -o in/fp8.onnx --json in/fp8.json
grep -q '9 of 18 weighted layers FP8' stdout || fail "the layers are not counted as FP8"
grep -q 'opset 13 raised to 19' stdout || fail "the opset was not raised"
grep -q 'R17 FP8 layer: TensorRT runs Conv, Gemm, MatMul and residual Adds in FP8, not ConvTranspose' stdout || fail "no reason for what stays float"
if grep -q 'INT8' stdout; then fail "the text of an FP8 file speaks of INT8"; fi
grep -q '"type": "fp8"' in/fp8.json || fail "--json lacks the type"
accepts "its provenance names the type" inspect in/fp8.onnx
grep -q 'type=fp8' stdout || fail "the provenance lacks the type"
grep -q 'ai.onnx 19' stdout || grep -q 'opset 19' stdout || fail "inspect does not tell opset 19"
accepts "the same samples give the same bytes" quantize "$model" $data --type fp8 -o in/again.onnx --threads 1
cmp in/fp8.onnx in/again.onnx || fail "one thread writes another file"
accepts "it runs" run in/fp8.onnx --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 2 -o in/run

accepts "int8 is the default" quantize "$model" $data --type int8 -o in/int8.onnx --json in/int8.json
grep -q 'weighted layers INT8' stdout || fail "the layers are not counted as INT8"
grep -q '"type": "int8"' in/int8.json || fail "--json lacks the type"

for target in tensorrt:10.13 tensorrt:11; do
  accepts "$target" quantize "$model" $data --type fp8 --target $target --calibrator max -o in/$target.onnx
  accepts "no finding in our own file" lint in/$target.onnx --target $target --json in/lint.json --overwrite
  grep -q '^0 errors, 0 warnings' stdout || fail "lint finds something in our own file for $target"
  grep -q 'weighted layers FP8' stdout || fail "lint does not count FP8 layers"
  grep -q '"type": "fp8"' in/lint.json || fail "lint --json lacks the type"
done

accepts "plan" plan "$model" --type fp8 --json in/plan.json --html in/plan.html
grep -q '^  FP8   ' stdout || fail "plan names no FP8 layer"
grep -q '"type": "float"' in/plan.json || fail "plan --json lacks the type of a float layer"
if grep -q 'INT8' in/plan.html; then fail "the page of an FP8 plan speaks of INT8"; fi
accepts "compare" compare "$model" $data --eval "$sample/eval/images" --eval-limit 4 --type fp8 --calibrators max,mse --json in/compare.json
grep -q 'weighted layers FP8' stdout || fail "compare does not count FP8 layers"

# Engines without FP8.
accepts "lint for another engine" lint in/fp8.onnx --target onnxruntime
grep -q 'fp8-refused-by-engine' stdout || fail "lint does not say that ONNX Runtime has no FP8"
run lint in/fp8.onnx --target tensorrt:8.6 --strict
[ "$code" -eq 1 ] || fail "lint --strict takes FP8 for tensorrt:8.6: exit $code"
for target in onnxruntime tensorrt:8.6; do
  refuses "$target has no FP8" 13 "has no FP8" quantize "$model" $data --type fp8 --target $target -o out/no.onnx
  refuses "plan too" 13 "has no FP8" plan "$model" --type fp8 --target $target
done
refuses "ONNX Runtime's reason" 13 "22269" quantize "$model" $data --type fp8 --target onnxruntime -o out/no.onnx

# Options of integer grids.
for option in "--activation int8" "--format range=full" "--format weight-bits=7" "--format weight-range=mse"; do
  refuses "$option" 13 "is for INT8" quantize "$model" $data --type fp8 $option -o out/no.onnx
done
refuses "a bias of integers" 13 "float biases only" quantize "$model" $data --type fp8 --format bias=int32 -o out/no.onnx
refuses "an unknown type" 2 "is not one of" quantize "$model" $data --type fp16 -o out/no.onnx

finish
