#!/bin/sh
# 16-bit codes: --activation uint16 and int16 (A16W8), and "bits": 16 in --override.
. "$(dirname "$0")/expect.sh"
data="--quiet --data $six --preprocess $preprocess --limit 4"
ort="--target onnxruntime --calibrator mse"

# types FILE: the types of the values in a report, each once.
types() { tr -d ' \n' <"$1" | grep -o '"type":"u\{0,1\}int[0-9]*","scale"' | sort -u | cut -d'"' -f4 | tr '\n' ' '; }
# sqnr FILE: whole decibels of the closing error.
sqnr() { tr -d ' \n' <"$1" | sed -n 's/.*"error":{"samples":[0-9]*,"sqnr_db":\([0-9]*\).*/\1/p'; }

for type in uint16 int16; do
  accepts "$type" quantize "$model" $data $ort --activation $type -o in/$type.onnx --json in/$type.json
  grep -q "warning: $type activations on onnxruntime:.* in float" stderr || fail "nothing says how the engine runs $type"
  [ "$(types in/$type.json)" = "$type " ] || fail "the report names other types: $(types in/$type.json)"
  grep -q '"type": "a16w8"' in/$type.json || fail "coverage is not a16w8"
  accepts "inspect names type and domain" inspect in/$type.onnx
  grep -q "activation=$type" stdout || fail "the provenance lacks the type"
  grep -q 'com.microsoft.QuantizeLinear' stdout || fail "below opset 21 the operators are com.microsoft's"
  accepts "lint finds nothing wrong" lint in/$type.onnx --target onnxruntime
  grep -q '^0 errors, 0 warnings' stdout || fail "lint finds something in our own file"
  [ "$(grep -c 'activations-of-16-bits' stdout)" = 1 ] || fail "lint has no note on 16 bits"
  accepts "run it" run in/$type.onnx $data -o in/$type.out
done
accepts "8 bits" quantize "$model" $data $ort --activation uint8 -o in/uint8.onnx --json in/uint8.json
if grep -q warning stderr; then fail "8 bits are warned of"; fi
accepts "their operators" inspect in/uint8.onnx
if grep -q 'com.microsoft\.' stdout; then fail "8-bit pairs are com.microsoft's"; fi
[ "$(sqnr in/uint16.json)" -gt "$(sqnr in/uint8.json)" ] || fail "16 bits gain nothing: $(sqnr in/uint16.json) dB"
accepts "the plan" plan "$model" --target onnxruntime --activation uint16
grep -q 'O12 16-bit activations' stdout || fail "the plan does not say how the engine runs the layers"

# Single values, with those that share their scale.
name=$(tr -d '\n' <in/uint8.json | sed -n 's/.*"values": \[ *{ *"name": "\([^"]*\)".*/\1/p')
[ -n "$name" ] || fail "the report has no value"
echo "{\"$name\": {\"bits\": 16}}" >in/wide.json
accepts "one value" quantize "$model" $data $ort --override in/wide.json -o in/one.onnx --json in/one.json
[ "$(types in/one.json)" = "uint16 uint8 " ] || fail "both types are expected: $(types in/one.json)"
accepts "lint finds nothing wrong in both" lint in/one.onnx --target onnxruntime
grep -q '^0 errors, 0 warnings' stdout || fail "lint finds something in a file of both widths"
accepts "the same in signed codes" quantize "$model" $data $ort --activation int8 --override in/wide.json -o in/signed.onnx --json in/signed.json
[ "$(types in/signed.json)" = "int16 int8 " ] || fail "signed values: $(types in/signed.json)"

# For HTP the readers and the writer of the value have 16 bits too, with pairs of both widths at the border.
accepts "an island" quantize "$model" $data --target qnn --calibrator mse --override in/wide.json -o in/island.onnx --json in/island.json
[ "$(types in/island.json)" = "uint16 uint8 " ] || fail "an island has both types: $(types in/island.json)"
grep -q '"rule": "H6 16-bit island"' in/island.json || fail "the report names no 16-bit node"
accepts "lint takes the border" lint in/island.onnx --target qnn
if grep -q 'htp-mixed-types\|copy-scales-differ' stdout; then fail "lint finds types that do not meet"; fi

# Other commands read such files.
accepts "repair keeps the width" repair in/uint16.onnx -o in/kept.onnx --target onnxruntime
accepts "its operators" inspect in/kept.onnx
grep -q 'com.microsoft.QuantizeLinear' stdout || fail "repair narrowed the codes"
accepts "repair for an engine of INT8" repair in/uint16.onnx -o in/narrow.onnx --target tensorrt $data
accepts "its 8-bit operators" inspect in/narrow.onnx
if grep -q 'com.microsoft\.' stdout; then fail "TensorRT got 16-bit codes"; fi
accepts "cast it" cast in/uint16.onnx --float-type fp16 -o in/half.onnx --data $six --preprocess $preprocess --limit 4 --quiet

# Engines and types without 16 bits.
refuses "TensorRT" 13 "takes int8 activations only, not uint16" quantize "$model" $data --activation uint16 -o out/none.onnx
refuses "a single value for TensorRT" 13 "takes int8 activations only, not int16" quantize "$model" $data --override in/wide.json -o out/none.onnx
refuses "the plan for TensorRT" 13 "takes int8 activations only" plan "$model" --activation int16
refuses "FP8" 13 "--activation is for INT8" quantize "$model" $data --type fp8 --activation uint16 -o out/none.onnx
refuses "a single value of FP8" 13 "\"bits\": 16 is for INT8" quantize "$model" $data --type fp8 --override in/wide.json -o out/none.onnx
refuses "12 bits" 2 "--activation: 'int12' is not one of" quantize "$model" $data $ort --activation int12 -o out/none.onnx
echo "{\"$name\": {\"bits\": 8}}" >in/eight.json
refuses "other bits" 13 "\"bits\" is not 16: 8" quantize "$model" $data $ort --override in/eight.json -o out/none.onnx
finish
