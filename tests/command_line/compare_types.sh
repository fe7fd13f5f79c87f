#!/bin/sh
# Types of codes side by side: one row a type, sizes and shares, the smallest within a limit, and refusals.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

# Two products of 64 rows: every type takes them.
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,16,64] x) => (float[N,16,64] y) <float[64,64] w = {%s}> {
  h = MatMul (x, w) r = Relu (h) y = MatMul (r, w) }' "$(uniform 4096 5)" | "$WRITE_MODEL" in/model.onnx
both="--policy small-layers=quantize --quiet --data random:normal,n=32 --eval random:normal,n=8,seed=2"

accepts "three types" compare-types in/model.onnx $both --types int8,fp8,int4 --json out/report.json --html out/page.html
for line in 'judged 3 types on 8 samples' '^[ *] int8 .*  2 of 2 weighted layers, 2 pairs, calibrator ' '^[ *] fp8 .*  2 of 2 weighted layers' \
  '^[ *] int4 .*  weights alone of 2 of 2 weighted layers, blocks of 32, rounded by GPTQ' '^  Type ' '^  FP32 .* 100 %' \
  '^[ *] int4 ' '^\* best by SQNR: '; do
  grep -q -e "$line" stdout || fail "the text lacks '$line'"
done
[ "$(tail -n 1 stdout | grep -c '^smallest within --min-sqnr 14 (the default): int4, which has ')" -eq 1 ] || fail "the last line does not name the smallest"
if grep -q 'calibrator auto$' stdout; then fail "the text does not say what auto took"; fi
for key in '"type": "int4"' '"calibrator": null' '"block": 32' '"rounding": "inputs"' '"weight_shares"' '"size_ratio"' \
  '"fp32_weight_bytes": 16384' '"smallest": "int4"' '"limit": "--min-sqnr 14"'; do
  grep -q -e "$key" out/report.json || fail "--json lacks $key"
done
for word in 'Comparison of types' 'Smallest within' 'int4</th>'; do
  grep -q -e "$word" out/page.html || fail "the page lacks '$word'"
done
rm out/*

accepts "one calibrator" compare-types in/model.onnx $both --types int8 --calibrator max
grep -q '^[ *] int8 .*, calibrator max$' stdout || fail "the calibrator was not taken"
accepts "another block" compare-types in/model.onnx $both --types int4 --block channel
grep -q 'a scale a channel' stdout || fail "--block was not taken"
accepts "a score" compare-types "$model" --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 8 \
  --eval "$sample/eval/images" --masks "$sample/eval/masks" --types int8,int4 --max-drop 0.05
grep -q '^  int4 .*  0 of 18 weighted layers: it stays the float model$' stdout || fail "convolutions are called INT4"
grep -q '^\* int8 ' stdout || fail "the float model wins under the name of a type"
grep -q '^smallest within --max-drop 0.05: int8, which ' stdout || fail "the limit was not taken"
accepts "the options of a configuration" compare-types in/model.onnx $both --types int8,int4 --block 64 --print-config
cp stdout in/config.toml
accepts "it can be read back" compare-types --config in/config.toml
grep -q 'blocks of 64' stdout || fail "the configuration forgets --block"

refuses "a limit that no type keeps" 1 'no type is within --min-sqnr 99; ' compare-types in/model.onnx $both --types int8,int4 --min-sqnr 99
grep -q '^no type is within --min-sqnr 99; the closest is int' stdout || fail "the table is missing where no type keeps the limit"
refuses "an unknown type" 2 "'int3' is not one of int8, fp8, int4" compare-types in/model.onnx $both --types int8,int3
refuses "a type named twice" 2 'twice' compare-types in/model.onnx $both --types int8,int8
refuses "no score for --max-drop" 2 '--max-drop needs a score' compare-types in/model.onnx $both --types int8 --max-drop 0.1
refuses "two limits" 2 'exclude' compare-types in/model.onnx $both --types int8 --max-drop 0.1 --min-sqnr 10
refuses "a block of no type" 2 '--block is for int4' compare-types in/model.onnx $both --types int8 --block 64
refuses "a block that engines do not know" 2 '--block' compare-types in/model.onnx $both --types int4 --block 24
refuses "types of compare" 2 "there is no option '--types'" compare in/model.onnx $both --types int8
for option in '--type fp8' '--layers 2'; do
  # shellcheck disable=SC2086
  refuses "$option" 2 "there is no option '${option%% *}'" compare-types in/model.onnx $both --types int8 $option
done
refuses "an engine without FP8" 13 'has no FP8' compare-types in/model.onnx $both --types int8,fp8 --target onnxruntime

finish
