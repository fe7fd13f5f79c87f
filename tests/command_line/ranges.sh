#!/bin/sh
# The choice of ranges: --calibrator auto and --override.
. "$(dirname "$0")/expect.sh"

accepts "--calibrator auto" $quantize_sample -o out/auto.onnx --calibrator auto --json out/auto.json --all
[ "$(grep -cE '^[* ] (max|mse|entropy|percentile|samplemax).* dB' stdout)" -eq 11 ] || fail "auto does not list eleven candidates"
[ "$(grep -c '^\* ' stdout)" -eq 1 ] || fail "auto does not mark one winner"
winner=$(sed -n 's/^\* \([^ ]*\).*/\1/p' stdout)
grep -q "calibrator $winner (auto)" stdout || fail "the winner is not the calibrator of the report"
[ "$(grep -c '"winner": true' out/auto.json)" -eq 1 ] || fail "--json does not mark one winner"
grep -q "\"calibrator\": \"$winner\"" out/auto.json || fail "--json does not name the winner"
accepts "the winner by its name" $quantize_sample -o out/named.onnx --calibrator "$winner" --json out/named.json
cmp out/auto.onnx out/named.onnx || fail "auto and its winner write different models"
if grep -q '"auto"' out/named.json; then fail "a named calibrator reports a measurement"; fi
rm out/*

refuses "auto with an argument" 2 auto $quantize_sample -o out/model.onnx --calibrator auto:3
refuses "an unknown calibrator: the hint lists auto" 2 "also auto" $quantize_sample -o out/model.onnx --calibrator best

override() {
  printf '%s' "$1" >in/override.json
}
override '{"image": {"amax": 12.7}, "logits_in": {"calibrator": "max"}}'
refuses "a value that gets no pair" 13 "the nearest that do" $quantize_sample -o out/model.onnx --override in/override.json
override '{
  "image": {"amax": }
}'
refuses "text that is not JSON" 13 "override.json: line 2, column 21: not JSON at" \
  $quantize_sample -o out/model.onnx --override in/override.json
override '{"image": {"amax": -1}}'
refuses "a negative amax" 13 "'image'" $quantize_sample -o out/model.onnx --override in/override.json
override '{"image": {"calibrator": "percentile:300"}}'
refuses "a wrong percentile" 13 "'image'" $quantize_sample -o out/model.onnx --override in/override.json
refuses "a file that is not there" 13 "gone.json" $quantize_sample -o out/model.onnx --override in/gone.json

override '{"image": {"amax": 12.7}}'
accepts "an amax" $quantize_sample -o out/model.onnx --override in/override.json --json out/report.json --calibrator auto
grep -A 1 '"name": "image"' out/report.json | grep -q '"amax": 12.69999' || fail "the range of --override is not in the report"
override '{"image": {"calibrator": "percentile:90"}}'
accepts "a calibrator" $quantize_sample -o out/model.onnx --override in/override.json --json out/report.json --overwrite
mv out/report.json in/one.json
override '{"image": {"calibrator": "max"}}'
accepts "another" $quantize_sample -o out/model.onnx --override in/override.json --json out/report.json --overwrite
for report in in/one.json out/report.json; do sed -n '/"name": "image"/,/scale/p' $report; done >in/images
[ "$(grep scale in/images | sort -u | wc -l)" -eq 2 ] || fail "two calibrators give the value the same scale"
finish
