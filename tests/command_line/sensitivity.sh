#!/bin/sh
# The cost of layers, and layers that stay float so that a bound holds.
. "$(dirname "$0")/expect.sh"

calibrate="--quiet --data $sample/calib --preprocess $preprocess --limit 4"
eval="--eval $sample/eval/images --eval-limit 2"
sensitivity="sensitivity $model $calibrate $eval --calibrator max"

accepts "sensitivity" $sensitivity --top 3 --json out/report.json --html out/report.html
for word in "quantized models on 2 samples, evenly over --eval," Alone Others "By itself" "15 more layers"; do
  grep -qF -e "$word" stdout || fail "the text does not say '$word'"
done
for field in layers name op sqnr_db_alone sqnr_db_all_but mac_share operators values; do
  grep -q "\"$field\":" out/report.json || fail "--json lacks $field"
done
[ "$(grep -c '"sqnr_db_alone":' out/report.json)" -eq 18 ] || fail "--json does not hold 18 layers"
sed -n 's/.*"sqnr_db_alone": \([-0-9.]*\).*/\1/p' out/report.json >in/alone
sort -g in/alone | cmp -s - in/alone || fail "--json is not sorted, worst first"
grep -q 'id="sensitivity"' out/report.html || fail "--html lacks the chart of layers"
grep -v -e '"seconds"' -e '"plain_runs"' out/report.json >in/one
accepts "sensitivity on one thread" $sensitivity --threads 1 --json out/report.json --overwrite
grep -v -e '"seconds"' -e '"plain_runs"' out/report.json | cmp -s - in/one || fail "the number of threads changes results"
rm out/*
refuses "no --eval" 2 --eval sensitivity "$model" $calibrate
refuses "a report below no folder" 15 in/gone $sensitivity --json in/gone/report.json

quantize="quantize $model $calibrate $eval --calibrator max"
masks="--masks $sample/eval/masks"
accepts "a bound that holds anyway" $quantize $masks --max-drop 0.5 -o out/model.onnx
grep -q '^  \(holds\|not shown\): drop .* points of mIoU, 95 % interval ' stdout || fail "the bound has no word"
grep -q -e '--max-drop 0.5: mIoU .* (FP32 mIoU .*; on 2 samples, 1 measurement' stdout || fail "the bound is not reported"
rm out/*
accepts "a bound that needs float layers" $quantize --min-sqnr 36 -o out/model.onnx --json out/report.json
grep -q '^kept float: .*R13 measured: INT8 costs .* dB; --min-sqnr 36' stdout || fail "no layer is named with its cost"
grep -q '"met": true' out/report.json || fail "--json does not say that the bound is met"
accepts "the model of a bound" lint out/model.onnx --strict
rm out/*

# Four samples are too few to correct biases by.
accepts "a bound without corrected biases" $quantize --min-sqnr 34 --policy bias-correction=on -o out/model.onnx
grep -q '^corrected no bias: fewer than 16 samples$' stdout || fail "biases that four samples correct"
rm out/*
accepts "a bound with corrected biases" quantize "$model" --data "$sample/calib" --preprocess "$preprocess" --limit 16 $eval --calibrator max --min-sqnr 31 --policy bias-correction=on -o out/model.onnx --json out/report.json
grep -q '^corrected the biases' stdout || fail "biases that are corrected are not reported"
grep -q '"met": true' out/report.json || fail "the bound is not met with corrected biases"
rm out/*

run $quantize --min-sqnr 140 -o out/model.onnx
[ "$code" -eq 1 ] || fail "a bound that cannot be met: exit $code, expected 1"
says "a bound that cannot be met" "--min-sqnr 140 cannot be met"
grep -q '^  broken: 95 % interval ' stdout || fail "the bound that is not met has no word"
grep -q 'NOT MET' stdout || fail "the report does not say that the bound is not met"
[ -s out/model.onnx ] || fail "the best model was not written"
rm out/*

refuses "a drop of nothing" 2 "--max-drop needs a score" $quantize --max-drop 0.01 -o out/model.onnx
refuses "a drop without samples" 2 "needs samples to judge on" quantize "$model" $calibrate $masks --max-drop 0.01 \
  -o out/model.onnx
refuses "a negative drop" 2 --max-drop $quantize $masks --max-drop -0.1 -o out/model.onnx
refuses "two bounds" 2 "exclude each other" $quantize $masks --max-drop 0.1 --min-sqnr 30 -o out/model.onnx
refuses "masks without samples" 2 "need --eval" quantize "$model" $calibrate $masks -o out/model.onnx
accepts "masks without a bound" $quantize $masks -o out/model.onnx --json out/score.json
grep -q '^score: mIoU .* (FP32 mIoU .*), drop .* points of mIoU, 95 % interval .* to .*; on 2 samples$' stdout || fail "no score"
for member in '"metric": "miou"' '"float": 0\.' '"quantized": 0\.' '"drop": ' '"interval": \[$' '"samples": 2'; do
  sed -n '/"score": {/,/^ *}/p' out/score.json | grep -q "$member" || fail "the score lacks $member"
done
if grep -q '"bound": {' out/score.json; then fail "a bound that was not given"; fi
rm out/*
accepts "samples to measure the error on" $quantize -o out/model.onnx
grep -q 'error against FP32 on 2 samples' stdout || fail "the error is not measured on --eval"
rm out/*

begins sensitivity "$model" --data random:normal,n=4 --quiet --eval $endless --calibrator max --json out/report.json
once "Ctrl-C" computes
kill -INT $pid
ends "Ctrl-C" 130
leaves_nothing "Ctrl-C"
finish
