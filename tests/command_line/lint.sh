#!/bin/sh
# lint: exit codes, --strict, --json, --help, and the program's own files.
. "$(dirname "$0")/expect.sh"

# json KEY: the values of "KEY": in the JSON on stdout, one a line.
json() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" stdout; }

for target in tensorrt onnxruntime; do
  accepts "the $target model" $quantize_sample --target $target -o in/$target.onnx
  accepts "lint of the $target model" lint in/$target.onnx --target $target --strict --json --shape image=1,3,128,128
  [ "$(json origin)" = qdq ] || fail "the $target model: origin $(json origin)"
  json level | grep -qv note && fail "the $target model: a finding above note"
  [ "$(json int8_layers | head -n 1)" -gt 0 ] || fail "the $target model: no INT8 layers"
  [ "$(json int8_macs)" -gt 0 ] || fail "the $target model: no MACs"
done

# A file for one engine is wrong for the other: UINT8, INT32 biases.
accepts "findings without --strict" lint in/onnxruntime.onnx --target tensorrt
for word in error uint8-codes int32-bias cure: "0 of 18 weighted layers INT8"; do
  grep -q -e "$word" stdout || fail "the text does not say '$word'"
done
run lint in/onnxruntime.onnx --target tensorrt --strict
[ "$code" -eq 1 ] || fail "errors with --strict: exit $code, expected 1"
[ -s stdout ] || fail "errors with --strict: nothing on stdout"
run lint in/onnxruntime.onnx --target tensorrt --strict --json
[ "$code" -eq 1 ] || fail "errors with --strict --json: exit $code, expected 1"
for key in model target origin findings layers coverage; do
  grep -q "^  \"$key\":" stdout || fail "the JSON has no '$key'"
done
for key in id level node message cure mac_share name op int8 rule reason macs params; do
  grep -q "^ *\"$key\":" stdout || fail "the JSON has no '$key'"
done
[ "$(json level | sort -u | head -n 1)" = error ] || fail "the JSON holds no error"
[ "$(json level | head -n 1)" = error ] || fail "the worst finding is not first"

# An excluded layer is named with the option, without a warning; a file without the note gets a warning.
accepts "--exclude" $quantize_sample --exclude '^/head/' -o in/excluded.onnx
accepts "lint of an excluded layer" lint in/excluded.onnx --target tensorrt --strict
grep -q 'note  layer-float-on-purpose' stdout || fail "an excluded layer is not named"
grep -q 'according to the file: R12 user: excluded by --exclude' stdout || fail "the reason is not named"
sed 's/detent\.float_layer/detent.float_later/' in/excluded.onnx >in/silent.onnx
accepts "a layer in float for no reason" lint in/silent.onnx --target tensorrt
grep -q 'warning  layer-left-float' stdout || fail "a layer in float for no reason is not named"
if grep -q 'on purpose' stdout; then fail "a purpose that the file does not name"; fi

accepts "INT8 initializers on 10" lint in/tensorrt.onnx --target tensorrt:10.8 --strict
run lint in/tensorrt.onnx --target tensorrt:8.6 --strict
[ "$code" -eq 1 ] || fail "INT8 initializers on 8.6: exit $code, expected 1"
accepts "--format weights=fp32" $quantize_sample --target tensorrt:8.6 -o in/old.onnx
accepts "float weights on 8.6" lint in/old.onnx --target tensorrt:8.6 --strict

accepts "a float model" lint "$model" --strict --json
[ "$(json origin)" = float ] || fail "a float model: origin $(json origin)"
accepts "a float model as text" lint "$model"
grep -q "it has no pairs" stdout || fail "a float model is not named as such"

accepts "lint --help" lint --help
for id in pair-between-conv-and-add skip-not-quantized uint8-codes layer-left-float; do
  grep -q "^  $id " stdout || fail "lint --help does not list $id"
done

refuses "no such model" 10 in/gone.onnx lint in/gone.onnx
refuses "an unknown target" 2 nosuch lint in/tensorrt.onnx --target nosuch
refuses "a --shape of no input" 13 nosuch lint in/tensorrt.onnx --shape nosuch=1,3
refuses "a malformed --shape" 2 image lint in/tensorrt.onnx --shape image=x
. "$here/engines.sh"
accepts "the speed of a file with INT8 layers" lint in/tensorrt.onnx --shape image=1,3,128,128 --html out/page.html
for words in "100.0 % of MACs in INT8, 1 quantizer stands alone" \
  "  alone: image_QuantizeLinear  the network's input is float"; do
  grep -qF -e "$words" stdout || fail "the text does not say '$words'"
done
for words in 'id="quantizer-table"' '100.0 % of MACs in INT8, 1 quantizer' 'the network&#39;s input is float'; do
  grep -qF -e "$words" out/page.html || fail "the page has no $words"
done
rm out/page.html
accepts "the speed on another engine" lint in/onnxruntime.onnx --target onnxruntime
if grep -q 'stands\? alone\|alone:' stdout; then fail "ONNX Runtime's speed is told"; fi
accepts "the speed without INT8 weights" lint in/coded.onnx
for words in "INT8 cannot beat FP16: no layer runs in INT8" "  alone: QuantizeLinear_11  'Softmax_10' (Softmax) in front of it computes in float"; do
  grep -qF -e "$words" stdout || fail "the text does not say '$words'"
done
finish
