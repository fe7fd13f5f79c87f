#!/bin/sh
# 16-bit floats around INT8: cast, --float-type, --io-type, the target tensorrt:11.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
data="--quiet --data $six --preprocess $preprocess --limit 4"

# type_of FILE: the types of its inputs and outputs, from inspect.
types_of() { "$DETENT" inspect "$1" | awk '$1 == "input" || $1 == "output" { print $3 }' | sort -u | tr '\n' ' '; }

accepts "cast" cast "$model" $data --float-type fp16 -o in/half.onnx --json in/half.json
grep -Eq '^[0-9]+ nodes in float16, 0 in float32, 2 casts added$' stdout || fail "cast does not say what it did"
[ "$(types_of in/half.onnx)" = "float " ] || fail "inputs and outputs did not keep their types: $(types_of in/half.onnx)"
grep -q '"casts": 2' in/half.json || fail "--json lacks the casts"
[ "$(wc -c < in/half.onnx)" -lt "$(($(wc -c < "$model") * 6 / 10))" ] || fail "the file is not about half as large"
accepts "inputs and outputs in the type" cast "$model" $data --format io-type=same -o in/same.onnx
[ "$(types_of in/same.onnx)" = "float16 " ] || fail "--format io-type=same: $(types_of in/same.onnx)"
refuses "a file that is there" 15 "" cast "$model" $data -o in/half.onnx
refuses "no data" 2 "" cast "$model" -o in/none.onnx
refuses "fp32 is no cast" 2 "" cast "$model" $data --float-type fp32 -o in/none.onnx
refuses "an unknown type" 2 "" cast "$model" $data --float-type fp64 -o in/none.onnx

# tensorrt:11 is strongly typed: nodes that are not INT8 are FP16 unless the command asks for FP32.
accepts "strongly typed" quantize "$model" $data --target tensorrt:11 --calibrator mse -o in/typed.onnx --json in/typed.json
grep -q 'nodes in float16, 0 in float32' stdout || fail "tensorrt:11 left floats in FP32"
grep -q '"type": "float16"' in/typed.json || fail "--json lacks the float types"
accepts "its file has no findings" lint in/typed.onnx --target tensorrt:11
grep -q '^0 errors, 0 warnings' stdout || fail "lint finds something in our own file"
accepts "FP32 when asked for" quantize "$model" $data --target tensorrt:11 --float-type fp32 --calibrator mse -o in/wide.onnx
if grep -q 'float16' stdout; then fail "--float-type fp32 made halves"; fi
accepts "10.13 stays FP32" quantize "$model" $data --target tensorrt --calibrator mse -o in/ten.onnx
if grep -q 'float16' stdout; then fail "tensorrt:10.13 made halves"; fi
accepts "asked for on any target" quantize "$model" $data --float-type fp16 --format io-type=same --calibrator mse -o in/io.onnx
[ "$(types_of in/io.onnx)" = "float16 " ] || fail "quantize --format io-type=same: $(types_of in/io.onnx)"
accepts "inspect names what was asked for" inspect in/io.onnx
grep -q 'float-type=fp16; io-type=same' stdout || fail "the provenance lacks the types"

# A table holds what all values reach if the command asked for it, and does what the data does.
accepts "a table" calibrate "$model" $data -o in/table.dct
refuses "a table without reaches" 2 "calibrate --float-type" quantize "$model" --table in/table.dct --target tensorrt:11 -o in/none.onnx
refuses "the same beside data" 2 "calibrate --float-type" quantize "$model" $data --table in/table.dct --target tensorrt:11 -o in/none.onnx
accepts "inspect it" inspect in/table.dct
if grep -q 'float values, for --float-type' stdout; then fail "inspect sees reaches that are not there"; fi
for shard in 1 2; do
  accepts "the target's type, shard $shard" calibrate "$model" $data --target tensorrt:11 --shard $shard/2 -o in/$shard.dct
done
accepts "merge" merge in/2.dct in/1.dct -o in/merged.dct
accepts "the whole" calibrate "$model" $data --target tensorrt:11 -o in/reaching.dct
cmp in/merged.dct in/reaching.dct || fail "two merged shards are not the table of the single run"
accepts "FP32 asked for" calibrate "$model" $data --target tensorrt:11 --float-type fp32 -o in/fp32.dct
accepts "a shard without reaches" calibrate "$model" $data --target tensorrt:11 --float-type fp32 --shard 2/2 -o in/2.fp32.dct
refuses "shards of which one has reaches" 14 "the same --float-type" merge in/1.dct in/2.fp32.dct -o in/none.dct
refuses "and then not FP16" 2 "calibrate --float-type" quantize "$model" --table in/fp32.dct --target tensorrt:11 -o in/none.onnx
accepts "any target's table" calibrate "$model" $data --float-type bf16 -o in/any.dct
accepts "inspect tells the reaches" inspect in/any.dct
grep -q '^  largest  |x| of [0-9]* float values' stdout || fail "inspect does not tell the reaches"
accepts "inspect --json" inspect in/any.dct --json
grep -Eq '"float_values": [1-9]' stdout || fail "inspect --json lacks float_values"
for type in fp16 bf16; do
  accepts "from data" quantize "$model" $data --target tensorrt:11 --float-type $type --calibrator mse -o in/data.$type.onnx
  for table in reaching any; do
    accepts "from a table" quantize "$model" --quiet --table in/$table.dct --target tensorrt:11 --float-type $type --calibrator mse \
      -o in/$table.$type.onnx
    cmp in/data.$type.onnx in/$table.$type.onnx || fail "$type: the table $table and the data give different models"
  done
done
accepts "a table and FP32" quantize "$model" --table in/table.dct --target tensorrt:11 --float-type fp32 --calibrator mse -o in/table.onnx

# compare also judges the casts without pairs, which INT8 must beat.
judge="compare $model $data --eval $sample/eval/images --eval-limit 4 --calibrators max,mse"
accepts "compare in FP16" $judge --target tensorrt:11 --json in/compare.json --html in/compare.html
for name in fp16 bf16; do
  grep -q "^  $name without pairs .* dB" stdout || fail "compare has no row $name"
  grep -q "\"float_type\": \"$name\"" in/compare.json || fail "compare --json has no $name"
  grep -q ">$name<small> without pairs" in/compare.html || fail "the page has no row $name"
done
accepts "compare in FP32" $judge
if grep -q 'without pairs' stdout; then fail "compare has rows of 16-bit floats where none are"; fi

# A value beyond the range stays FP32 and is named; its twin does not.
for factor in 100000 10; do
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,4] x) => (float[N,4] y) <float k = {%s}, float back = {0.125}>
   { u = Mul (x, k) v = Mul (u, back) y = Tanh (v) }' $factor | "$WRITE_MODEL" in/times$factor.onnx
  accepts "values times $factor" cast in/times$factor.onnx --quiet --data random:uniform,n=8 -o in/times$factor.half.onnx
  cp stdout in/times$factor.txt
done
grep -q "^  float32: .*'u' reaches " in/times100000.txt || fail "the value beyond the range is not named"
# The same decision from a table, where ranges of casts are those of what they cast.
accepts "a table of values beyond the range" calibrate in/times100000.onnx --quiet --data random:uniform,n=8 --float-type fp16 -o in/times.dct
accepts "half of it" quantize in/times100000.onnx --quiet --table in/times.dct --float-type fp16 --calibrator max -o in/times.table.onnx
grep -q "^  float32: .*'u' reaches " stdout || fail "the value beyond the range is not named from a table"
grep -q "in float16, 0 in float32" in/times10.txt || fail "small values stay in FP32"

# plan shows the types that quantize will write: with data every exception, without data those that need none.
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
grep -q 'which nodes compute in 16 bits depends on the sizes, which are not known' stdout || fail "open sizes are not told"
accepts "plan of FP32" plan "$model" --shape image=1,3,128,128 --json in/plan32.json
if grep -vE '^estimate: |^  by data sheets, not measured: ' stdout | grep -Eq 'half|float16|measured'; then fail "a plan of FP32 speaks of halves"; fi
tr -d ' \n' < in/plan32.json | grep -q '"half":{"macs":0,"activation_bytes":0}' || fail "--json of FP32 lacks the fields"
refuses "sizes beside data" 2 "--shape does not apply with --data: the sizes are those of the samples" plan "$model" $data --shape image=1,3,128,128
refuses "an unknown type in plan" 2 "is not one of" plan "$model" --float-type fp64
for factor in 100000 10; do
  accepts "plan of values times $factor" plan in/times$factor.onnx --float-type fp16 --data random:uniform,n=8 --quiet
  cp stdout in/plan$factor.txt
done
grep -q "^  float32: .*overflow: 'u' reaches " in/plan100000.txt || fail "plan does not name the value beyond the range"
grep -q "in float16, 0 in float32" in/plan10.txt || fail "plan keeps small values in FP32"
accepts "plan blind to values" plan in/times100000.onnx --float-type fp16
if grep -q "reaches" stdout; then fail "a value was measured without data"; fi

# The page has a section for it only with 16-bit floats; inspect counts nodes by type.
accepts "a page" plan "$model" $data --target tensorrt:11 --html in/plan.html
grep -q 'id="floats"' in/plan.html || fail "the page lacks the section"
accepts "a page of FP32" plan "$model" --shape image=1,3,128,128 --html in/plan32.html
if grep -q 'id="floats"' in/plan32.html; then fail "a page of FP32 has the section"; fi
accepts "inspect a typed file" inspect in/typed.onnx
grep -Eq '^  floats +[0-9]+ nodes in float16, 1 cast$' stdout || fail "inspect does not name the types"
accepts "inspect a float file" inspect "$model"
if grep -q '^  floats' stdout; then fail "inspect speaks of types where there is one"; fi

# Nodes whose sums 11 bits cannot hold compute in FP32; the others stay in 16 bits.
weights=$(awk 'BEGIN { for (i = 0; i < 4096; ++i) printf "%s%.4f", i ? ", " : "", ((i * 37) % 101 - 50) / 400 }')
for offset in 1000 1; do
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,64] x) => (float[N,64] y) <float[64,64] w = {%s}, float k = {%s}>
   { m = MatMul (x, w) large = Add (m, k) y = Sub (large, k) }' "$weights" $offset | "$WRITE_MODEL" in/sum$offset.onnx
  accepts "a sum with $offset" quantize in/sum$offset.onnx --quiet --data random:normal,n=16 --target tensorrt:11 --min-sqnr 25 \
    -o in/sum$offset.half.onnx --json in/sum$offset.json
  cp stdout in/sum$offset.txt
done
grep -q '^  float32: Add_1 (Add).*  cancellation: ' in/sum1000.txt || fail "the sum is not kept in FP32"
grep -q '"rule": "cancellation"' in/sum1000.json || fail "--json does not name the rule"
grep -q "in float16, 0 in float32" in/sum1.txt || fail "a small sum stays in FP32"
# lint for a strongly typed target: nodes left in FP32, and with data values that 16 bits do not hold.
accepts "nothing left in FP32" lint in/wide.onnx --target tensorrt:11 --json
if grep -q 'float32-rest' stdout; then fail "kernels between pairs are called FP32"; fi
accepts "FP32 by choice" quantize "$model" $data --target tensorrt:11 --float-type fp32 --calibrator mse --exclude d.0.3/Conv -o in/chosen.onnx
accepts "the chosen rest" lint in/chosen.onnx --target tensorrt:11 --shape image=1,3,128,128
grep -q '^note  float32-rest' stdout || fail "the types that --float-type chose are a fault"
accepts "a layer left in FP32" quantize "$model" $data --target tensorrt --calibrator mse --exclude d.0.3/Conv -o in/rest.onnx
accepts "the FP32 rest" lint in/rest.onnx --target tensorrt:11 --shape image=1,3,128,128
grep -q '^warning  float32-rest' stdout || fail "lint does not name what computes in FP32"
grep -Eq "in FP32: .*Conv '/d.0/d.0.3/Conv'.*; [1-9][0-9.]* % of the MACs.* [1-9][0-9.]* % of the bytes" stdout || fail "no shares"
accepts "a weakly typed target" lint in/rest.onnx --target tensorrt
if grep -q 'float32-rest' stdout; then fail "a weakly typed target minds FP32"; fi
accepts "a file without pairs" lint in/half.onnx --target tensorrt:11 --json
if grep -Eq '"level": "(error|warning)"' stdout; then fail "lint finds something in our own cast"; fi
for factor in 300 30; do
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float16[N,4] x) => (float16[N,4] y)
   { k = Constant <value_float = %s.0> () h = Cast <to = 10> (k) u = Mul (x, h) v = Mul (u, h) y = Tanh (v) }' $factor |
    "$WRITE_MODEL" in/square$factor.onnx
  accepts "without data" lint in/square$factor.onnx --target tensorrt:11
  grep -q 'overflow-in-half' stdout && fail "factor $factor: a finding that only data can give"
  accepts "with data" lint in/square$factor.onnx --quiet --target tensorrt:11 --data random:uniform,n=8
  cp stdout in/square$factor.txt
done
grep -q "writes 'v' with [1-9][0-9]* Inf and 0 NaN" in/square300.txt || fail "the overflow in the samples is not named"
grep -q 'overflow-in-half' in/square30.txt && fail "values within half of the range are named"
refuses "data for a weakly typed target" 2 "tensorrt:11" lint in/half.onnx --target tensorrt --data random:uniform
finish
