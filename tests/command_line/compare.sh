#!/bin/sh
# Several calibrators on one evaluation set: table, JSON, bounds, refusals, and remaining files.
. "$(dirname "$0")/expect.sh"

judge="--eval $sample/eval/images --eval-limit 4"
compare_sample="compare $model --quiet --data $sample/calib --preprocess $preprocess --limit 4 $judge"

accepts "compare" $compare_sample --masks "$sample/eval/masks" --calibrators max,mse,auto --json out/report.json
for word in mIoU SQNR FP32 "best by mIoU" "  max \|\* max" "  auto (\|\* auto ("; do
  grep -q "$word" stdout || fail "the table does not say '$word'"
done
[ "$(grep -c '^\* [a-z]*[ :]' stdout)" -eq 2 ] || fail "not one line of the table and the last are marked"
grep -q "judged 3 calibrators on 4 samples, evenly over --eval, in" stdout || fail "nothing tells which samples --eval-limit takes"
winner=$(sed -n 's/^\* best .*--calibrator //p' stdout)
grep -q "\"winner\": \"$winner\"" out/report.json || fail "--json names another winner than the table"
for field in model target fp32 variants calibrator metrics sqnr_db argmax_agreement miou size_bytes seconds; do
  grep -q "\"$field\":" out/report.json || fail "--json lacks $field"
done
[ "$(grep -c '"size_bytes":' out/report.json)" -eq 3 ] || fail "--json does not hold three variants"
rm out/*

accepts "layers too" $compare_sample --calibrators max,mse --layers 2 --html out/page.html
grep -q "one layer quantized alone" stdout || fail "the layers are not printed"
[ "$(grep -c "^model_opset13.onnx " stdout)" = 1 ] || fail "the head of the comparison is repeated"
grep -q 'id="sensitivity"' out/page.html || fail "the page has no chart of layers"
accepts "no layers" $compare_sample --calibrators max --html out/plain.html
! grep -q 'id="sensitivity"' out/plain.html || fail "the page has a chart of layers without a measurement"
rm out/*
refuses "no samples for layers" 2 layers $compare_sample --calibrators max --layers 0

accepts "without labels, masks and command" $compare_sample --calibrators max,percentile:99.9 --target onnxruntime
grep -q "best by SQNR" stdout || fail "SQNR does not decide without a task"
accepts "a bound that holds" $compare_sample --calibrators max --fail-below 1
refuses "a bound that does not" 1 "--fail-below 200" $compare_sample --calibrators max --fail-below 200
grep -q "best by SQNR" stdout || fail "the table is missing where the bound does not hold"

# Errors are reported before any long work.
refuses "no --eval" 2 --eval compare "$model" --data "$sample/calib" --preprocess "$preprocess" --calibrators max
refuses "an unknown calibrator" 2 best $compare_sample --calibrators max,best
refuses "a calibrator named twice" 2 twice $compare_sample --calibrators max,mse,max
refuses "evaluation data that is not there" 12 in/gone compare "$model" --quiet --data "$sample/calib" \
  --preprocess "$preprocess" --eval in/gone
refuses "a report below no folder" 15 in/gone $compare_sample --json in/gone/report.json
refuses "no preprocessing" 2 preprocess compare "$model" --quiet --data "$sample/calib" --eval "$sample/eval/images"

mkdir in/few
cp "$sample"/eval/images/06*.png in/few
accepts "all samples" compare "$model" --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 4 --eval in/few --calibrators max
if grep -q evenly stdout; then fail "all samples are called some"; fi

ls "$sample/eval/images" >in/names
first=$(head -n 1 in/names)
printf 'file,label\n%s,0\nnosuch.png,1\n' "$first" >in/labels.csv
refuses "samples without a label" 12 "3 of 4 samples have no label" $compare_sample --labels in/labels.csv
awk 'BEGIN { print "file,label" } { print $0 ",0" }' in/names >in/labels.csv
refuses "labels for an output that tells no class" 13 "one score per class for a sample" $compare_sample \
  --labels in/labels.csv --calibrators max
mkdir in/masks
refuses "no masks" 12 "4 of 4 samples have no mask" $compare_sample --masks in/masks
for name in $(cat in/names); do printf 'P5\n2 1\n255\n\001\002' >"in/masks/${name%.png}.pgm"; done
refuses "masks of another size" 12 "the mask is 1x2, output 'logits' is 128x128" $compare_sample --masks in/masks \
  --calibrators max
refuses "pictures instead of masks" 12 colours $compare_sample --masks "$sample/eval/images" --calibrators max

printf 'ls "$1" "$2" >seen\nexpr 2 + 3\n' >in/metric.sh
accepts "a command" $compare_sample --calibrators max --metric-command "sh in/metric.sh"
grep -q "best by metric" stdout || fail "the command does not decide"
grep -qx "logits.npy" seen || fail "the command did not find logits.npy in its folders"
refuses "a failing command" 13 "  it broke" $compare_sample --calibrators max \
  --metric-command "echo it broke >&2; exit 3; :"
refuses "a command that prints no number" 13 "where one number was expected" $compare_sample --calibrators max \
  --metric-command "echo good; :"

# interrupted SENTENCE: no file of the run is left.
interrupted() {
  leaves_nothing "$1"
  [ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left in the temporary folder: $(ls -A "$TMPDIR")"
}
has_outputs() { [ -n "$(ls -A "$TMPDIR")" ]; }
begins compare "$model" --data random:normal,n=4 --quiet --eval $endless --calibrators max --metric-command true --json out/report.json
once "a folder of outputs" has_outputs
kill -INT $pid
ends "Ctrl-C while samples run" 130
interrupted "Ctrl-C while samples run"
# The metric command sends it.
run $compare_sample --calibrators max --json out/report.json --metric-command 'kill -INT $PPID; sleep 600; :'
[ "$code" -eq 130 ] || fail "Ctrl-C while the command runs: exit $code, expected 130"
interrupted "Ctrl-C while the command runs"
finish
