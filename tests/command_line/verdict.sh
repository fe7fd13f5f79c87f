#!/bin/sh
# The verdict of quantize, and the metadata of its file.
. "$(dirname "$0")/expect.sh"
data="--data $sample/calib --preprocess $preprocess --limit 10 --quiet"

accepts "a good model" quantize "$model" $data --calibrator mse -o in/good.onnx --report in/good.json
grep -q '^verdict: good' stdout || fail "a good model is not called good"
grep -q 'measured on samples outside the calibration set' stdout || fail "the error is not measured beyond --limit"
[ -s stderr ] && fail "a good model is warned of"
grep -q '"verdict": "good"' in/good.json || fail "--report has no verdict"
if grep -q 'fewer than 8' stdout; then fail "10 samples are called few"; fi

# Half of all elements clipped: hardly any signal is left.
run quantize "$model" $data --calibrator percentile:50 -o out/broken.onnx --report in/broken.json
[ "$code" -eq 1 ] || fail "a broken model: exit $code, expected 1"
grep -q '^verdict: broken' stdout || fail "a broken model is not called broken"
grep -q "written, but broken" stderr || fail "a broken model: no error at the end"
grep -q '^  try --accuracy best' stdout || fail "the report does not end with a way out"
tail -n 1 stdout | grep -q '^  try FP16 alone: detent cast ' || fail "the report does not end with the way to FP16 alone"
cast=$(sed -n "s/^  try FP16 alone: detent \(cast .*\) ('detent compare-types.*/\1/p" stdout)
eval "accepts 'the command for FP16 alone' $cast"
[ -s out/model_opset13.fp16.onnx ] || fail "the command for FP16 alone writes no file beside OUT: $cast"
grep -q '"sqnr_db_without"' in/broken.json || fail "--report blames nothing"
[ -s out/broken.onnx ] || fail "a broken model was not written"
echo '{"image": {"amax": 0.05}}' >in/narrow.json
accepts "one calibrator" quantize "$model" $data --override in/narrow.json --accuracy fast --accept-broken -o in/fast.onnx
grep -q 'try --calibrator auto' stdout || fail "what can be measured is not named"
grep -q 'without --calibrator' stdout && fail "something that was not given is to be left out"
accepts "--accept-broken" quantize "$model" $data --calibrator percentile:50 --accept-broken -o out/broken.onnx --overwrite
grep -q '^verdict: broken' stdout || fail "--accept-broken hides the verdict"
[ -s stderr ] && fail "--accept-broken ends with an error"

accepts "nothing to quantize" quantize "$model" $data --exclude . -o in/nothing.onnx
grep -q 'nothing was quantized' stdout || fail "nothing tells that nothing was quantized"
accepts "few samples" $quantize_sample -o in/few.onnx
grep -q 'fewer than 8' stdout || fail "nothing tells of few samples"

accepts "all samples" quantize "$model" --quiet --data $sample/calib --preprocess $preprocess --calibrator max -o in/all.onnx
grep -q 'calibration samples themselves' stdout || fail "nothing tells that the error was measured on what was calibrated with"

accepts "inspect of what was written" inspect in/good.onnx
for word in "producer    detent" "calibrator  mse, ranges" "samples     10, digest"; do
  grep -q "$word" stdout || fail "inspect does not say '$word'"
done
accepts "inspect of a float model" inspect "$model"
if grep -q digest stdout; then fail "a float model has a provenance"; fi
finish
