#!/bin/sh
# 16-bit floats around INT8: cast, --float-type, --io-type, the target tensorrt:11.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
data="--quiet --data $sample/calib --preprocess $preprocess --limit 8"

# type_of FILE: the types of its inputs and outputs, as inspect tells them.
types_of() { "$DETENT" inspect "$1" | awk '$1 == "input" || $1 == "output" { print $3 }' | sort -u | tr '\n' ' '; }

accepts "cast" cast "$model" $data --float-type fp16 -o in/half.onnx --json in/half.json
grep -Eq '^[0-9]+ nodes in float16, 0 in float32, 2 casts added$' stdout || fail "cast does not say what it did"
[ "$(types_of in/half.onnx)" = "float " ] || fail "inputs and outputs did not keep their types: $(types_of in/half.onnx)"
grep -q '"casts": 2' in/half.json || fail "--json lacks the casts"
[ "$(wc -c < in/half.onnx)" -lt "$(($(wc -c < "$model") * 6 / 10))" ] || fail "the file is not about half as large"
accepts "inputs and outputs in the type" cast "$model" $data --io-type same -o in/same.onnx
[ "$(types_of in/same.onnx)" = "float16 " ] || fail "--io-type same: $(types_of in/same.onnx)"
refuses "a file that is there" 15 "" cast "$model" $data -o in/half.onnx
refuses "no data" 2 "" cast "$model" -o in/none.onnx
refuses "fp32 is no cast" 2 "" cast "$model" $data --float-type fp32 -o in/none.onnx
refuses "an unknown type" 2 "" cast "$model" $data --float-type fp64 -o in/none.onnx

# tensorrt:11 is strongly typed: what is not INT8 is FP16 unless it is asked for FP32.
accepts "strongly typed" quantize "$model" $data --target tensorrt:11 --calibrator mse -o in/typed.onnx --report in/typed.json
grep -q 'nodes in float16, 0 in float32' stdout || fail "tensorrt:11 left floats in FP32"
grep -q '"type": "float16"' in/typed.json || fail "--report lacks the float types"
accepts "its file has no findings" lint in/typed.onnx --target tensorrt:11
grep -q '^0 errors, 0 warnings' stdout || fail "lint finds something in our own file"
accepts "FP32 when asked for" quantize "$model" $data --target tensorrt:11 --float-type fp32 --calibrator mse -o in/wide.onnx
if grep -q 'float16' stdout; then fail "--float-type fp32 made halves"; fi
accepts "10.13 stays FP32" quantize "$model" $data --target tensorrt --calibrator mse -o in/ten.onnx
if grep -q 'float16' stdout; then fail "tensorrt:10.13 made halves"; fi
accepts "asked for on any target" quantize "$model" $data --float-type fp16 --io-type same --calibrator mse -o in/io.onnx
[ "$(types_of in/io.onnx)" = "float16 " ] || fail "quantize --io-type same: $(types_of in/io.onnx)"
accepts "inspect names what was asked for" inspect in/io.onnx
grep -q 'float-type=fp16; io-type=same' stdout || fail "the provenance lacks the types"

# Tables do not hold what all values reach.
accepts "a table" calibrate "$model" $data -o in/table.dct
refuses "a table alone" 2 "float-type fp32" quantize "$model" --table in/table.dct --target tensorrt:11 -o in/none.onnx
accepts "a table and FP32" quantize "$model" --table in/table.dct --target tensorrt:11 --float-type fp32 --calibrator mse -o in/table.onnx

# A value beyond the range stays FP32 and is named; its twin does not.
for factor in 100000 10; do
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,4] x) => (float[N,4] y) <float k = {%s}, float back = {0.125}>
   { u = Mul (x, k) v = Mul (u, back) y = Tanh (v) }' $factor | "$WRITE_MODEL" in/times$factor.onnx
  accepts "values times $factor" cast in/times$factor.onnx --quiet --data random:uniform,n=8 -o in/times$factor.half.onnx
  cp stdout in/times$factor.txt
done
grep -q "^  float32: .*'u' reaches " in/times100000.txt || fail "the value beyond the range is not named"
grep -q "in float16, 0 in float32" in/times10.txt || fail "small values stay in FP32"

# plan tells the types that quantize will write: with data every exception, without data what needs none.
accepts "plan with data" plan "$model" $data --target tensorrt:11 --json in/plan.json
grep -q '^  MACs  .*100 % ' stdout || fail "plan does not show the shares"
grep -q 'nodes in float16, 0 in float32, 1 cast added' stdout || fail "plan does not show the floats"
if grep -q 'no value was measured' stdout; then fail "plan did not measure"; fi
pairs_of() { tr -d ' \n' < "$1" | sed 's/.*"coverage":{//; s/.*"pairs":\([0-9]*\),"types":\([^}]*}[^}]*}[^}]*}}\).*/\1 \2/'; }
[ "$(pairs_of in/plan.json)" = "$(pairs_of in/typed.json)" ] || fail "plan and quantize differ: $(pairs_of in/plan.json) $(pairs_of in/typed.json)"
accepts "plan without data" plan "$model" --target tensorrt:11 --shape image=1,3,128,128
[ "$(grep -c 'no value was measured: with --data' stdout)" -eq 1 ] || fail "plan does not say once that nothing was measured"
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,W] x) => (float[1,W] y) { y = Relu (x) }' | "$WRITE_MODEL" in/open.onnx
accepts "open sizes" plan in/open.onnx --float-type bf16
grep -q 'which nodes would compute in 16 bits is not known before the sizes are' stdout || fail "open sizes are not told"
accepts "plan of FP32" plan "$model" --shape image=1,3,128,128 --json in/plan32.json
if grep -Eq 'half|float16|measured' stdout; then fail "a plan of FP32 speaks of halves"; fi
tr -d ' \n' < in/plan32.json | grep -q '"half":{"macs":0,"activation_bytes":0}' || fail "--json of FP32 lacks the fields"
refuses "sizes beside data" 2 "with --data the sizes are those of the samples" plan "$model" $data --shape image=1,3,128,128
refuses "an unknown type in plan" 2 "is not one of" plan "$model" --float-type fp64
for factor in 100000 10; do
  accepts "plan of values times $factor" plan in/times$factor.onnx --float-type fp16 --data random:uniform,n=8 --quiet
  cp stdout in/plan$factor.txt
done
grep -q "^  float32: .*overflow: 'u' reaches " in/plan100000.txt || fail "plan does not name the value beyond the range"
grep -q "in float16, 0 in float32" in/plan10.txt || fail "plan keeps small values in FP32"
accepts "plan blind to values" plan in/times100000.onnx --float-type fp16
if grep -q "reaches" stdout; then fail "a value was measured without data"; fi

# The page has a section for it only where there are halves; inspect counts nodes by type.
accepts "a page" plan "$model" $data --target tensorrt:11 --html in/plan.html
grep -q 'id="floats"' in/plan.html || fail "the page lacks the section"
accepts "a page of FP32" plan "$model" --shape image=1,3,128,128 --html in/plan32.html
if grep -q 'id="floats"' in/plan32.html; then fail "a page of FP32 has the section"; fi
accepts "inspect a typed file" inspect in/typed.onnx
grep -Eq '^  floats +[0-9]+ nodes in float16, 1 cast$' stdout || fail "inspect does not name the types"
accepts "inspect a float file" inspect "$model"
if grep -q '^  floats' stdout; then fail "inspect speaks of types where there is one"; fi
finish
