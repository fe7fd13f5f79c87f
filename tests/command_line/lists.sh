#!/bin/sh
# Lines that say the same of many names are one line with their count; --all lists each, JSON always does.
. "$(dirname "$0")/expect.sh"

accepts "plan" plan "$model"
cp stdout in/short
[ "$(wc -l <in/short)" -le 30 ] || fail "plan of 18 layers takes $(wc -l <in/short) lines"
grep -q '^  INT8  .*, .*, .* and [0-9]* more (Conv)  R1' in/short || fail "no line stands for many layers"
tail -n 1 in/short | grep -q '^--all lists everything$' || fail "nothing tells of --all"
accepts "plan --all" plan "$model" --all
[ "$(grep -c '^  INT8  ' stdout)" -eq 18 ] || fail "plan --all lists $(grep -c '^  INT8  ' stdout) of 18 layers"
grep -q '^edges' stdout || fail "plan --all does not list the edges that stay float"
grep -qe 'lists everything' -e ' more ' stdout && fail "plan --all leaves something out"
accepts "plan --json" plan "$model" --json
layers=$(grep -Ec '"int8": (true|false)' stdout)
[ "$layers" -eq 18 ] || fail "plan --json lists $layers of 18 layers"

for target in tensorrt onnxruntime; do
  accepts "the $target model" $quantize_sample --target $target -o in/$target.onnx
done
accepts "lint for the other engine" lint in/onnxruntime.onnx
sed -n 2p stdout | grep -q '^built for onnxruntime: UINT8 with zero points, INT32 biases; .* findings for tensorrt follow from that$' ||
  fail "lint does not begin with what the file was built for: $(sed -n 2p stdout)"
[ "$(wc -l <stdout)" -le 60 ] || fail "lint takes $(wc -l <stdout) lines"
grep -q '^  [0-9]* like this: .* more$' stdout || fail "no line stands for many findings"
count=$(sed -n 's/^error  uint8-codes, \([0-9]*\) times$/\1/p' stdout)
accepts "lint --all" lint in/onnxruntime.onnx --all
[ "$(grep -c 'holds UINT8 codes' stdout)" -eq "$count" ] || fail "lint --all does not list each of $count findings"
accepts "lint --json" lint in/onnxruntime.onnx --json
[ "$(grep -c '"id": "uint8-codes"' stdout)" -eq "$count" ] || fail "lint --json does not list each of $count findings"
grep -q '"built_for": "onnxruntime"' stdout || fail "lint --json does not say what the file was built for"
accepts "lint the other way round" lint in/tensorrt.onnx --target onnxruntime
grep -q '^built for tensorrt: symmetric INT8; ' stdout || fail "a model for tensorrt is not called one: $(sed -n 2p stdout)"
for target in tensorrt onnxruntime; do
  accepts "lint for its own engine" lint in/$target.onnx --target $target
  grep -q 'built for' stdout && fail "lint says what a file was built for where nothing follows from that"
done

accepts "quantize" $quantize_sample --policy exclude-op=Conv -o out/model.onnx --accept-broken
[ "$(grep -c '^kept float: .*Conv' stdout)" -eq 1 ] || fail "layers that are float for one reason are not one line"
grep -q '^kept float: .* and [0-9]* more (Conv)  R12' stdout || fail "the line does not count the float layers"
rm out/*
accepts "quantize --all" $quantize_sample --policy exclude-op=Conv -o out/model.onnx --accept-broken --all
[ "$(grep -c '^kept float: .*(Conv)' stdout)" -eq 15 ] || fail "--all does not list 15 float layers"

# A network without layers has no empty lists, and no line begins in its middle.
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,3] x) => (float[1,3] y) { y = Relu (x) }' | "$WRITE_MODEL" in/bare.onnx
accepts "plan without layers" plan in/bare.onnx
grep -q '^activation bytes' stdout || fail "a share begins with a comma: $(grep 'activation' stdout)"
if grep -qx -e layers -e pairs stdout; then fail "the head of an empty list"; fi
finish
