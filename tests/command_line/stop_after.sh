#!/bin/sh
# quantize --stop-after: the output of each stage in OUT, and that each stage leads to the file that a whole run
# writes.
. "$(dirname "$0")/expect.sh"

quantize="quantize $model --data $sample/calib --preprocess $preprocess --limit 6 --calibrator mse --quiet"
# shellcheck disable=SC2086
accepts "a whole run" $quantize -o in/whole.onnx

# prepare: a float model, of which quantize makes the same scales.
# shellcheck disable=SC2086
accepts "prepare" $quantize --stop-after prepare -o out/prepared.onnx
grep -q '^stopped after prepare: wrote out/prepared.onnx$' stdout || fail "prepare: the line does not name the file"
accepts "what was prepared runs" inspect out/prepared.onnx
grep -q 'BatchNormalization' stdout && fail "prepare: a BatchNormalization is left"
grep -q 'QuantizeLinear' stdout && fail "prepare: there are pairs"
accepts "what was prepared is quantized" quantize out/prepared.onnx --data "$sample/calib" --preprocess "$preprocess" --limit 6 --calibrator mse --quiet -o out/again.onnx --json out/again.json
# shellcheck disable=SC2086
accepts "a report of the whole run" $quantize -o out/whole.onnx --json out/whole.json
sed -n '/"values": \[/,/\]/p' out/whole.json >whole_values
sed -n '/"values": \[/,/\]/p' out/again.json >again_values
[ -s whole_values ] || fail "the report has no values"
cmp -s whole_values again_values || fail "prepare: the prepared model gets other scales"

# plan: the document of 'detent plan --json'.
# shellcheck disable=SC2086
accepts "plan" $quantize --stop-after plan -o out/plan.json
accepts "detent plan" plan "$model" --data "$sample/calib" --preprocess "$preprocess" --limit 6 --json --quiet
cmp -s stdout out/plan.json || fail "plan: another document than that of 'detent plan'"

# ranges: --override reads them, and they give the same scales.
# shellcheck disable=SC2086
accepts "ranges" $quantize --stop-after ranges -o out/ranges.json
accepts "ranges given again" quantize "$model" --data "$sample/calib" --preprocess "$preprocess" --limit 6 --calibrator max --override out/ranges.json --quiet -o out/overridden.onnx --json out/overridden.json
sed -n '/"values": \[/,/\]/p' out/overridden.json >overridden_values
cmp -s whole_values overridden_values || fail "ranges: given as --override they make other scales"

# rewrite: the file of a whole run, if no step follows.
# shellcheck disable=SC2086
accepts "rewrite" $quantize --stop-after rewrite -o out/rewritten.onnx
cmp -s in/whole.onnx out/rewritten.onnx || fail "rewrite: another model than that of the whole run"
grep -q 'verdict' stdout && fail "rewrite: there is a verdict"

# A bound holds before ranges are written: fewer values have one.
# shellcheck disable=SC2086
accepts "ranges within a bound" $quantize --min-sqnr 60 --accept-broken --stop-after ranges -o out/bounded.json
[ "$(grep -c '"min"' out/bounded.json)" -lt "$(grep -c '"min"' out/ranges.json)" ] || fail "a bound leaves all ranges"

rm -f out/*
# shellcheck disable=SC2086
refuses "a stage that there is none of" 2 'prepare' $quantize --stop-after write -o out/none.onnx
for report in '--json out/report.json' '--json' '--html out/page.html'; do
  # shellcheck disable=SC2086
  refuses "a report of what is not finished: $report" 2 '--stop-after' quantize "$model" --data "$sample/calib" --preprocess "$preprocess" --stop-after prepare $report -o out/none.onnx
done
for stage in prepare plan ranges rewrite; do
  echo old >in/there
  # shellcheck disable=SC2086
  refuses "$stage: an OUT that exists" 15 'in/there' $quantize --stop-after $stage -o in/there
  [ "$(cat in/there)" = old ] || fail "$stage: the file that was there is another"
  # shellcheck disable=SC2086
  accepts "$stage: --overwrite" $quantize --stop-after $stage --overwrite -o in/there
  [ "$(head -c 4 in/there)" != "old" ] || fail "$stage: --overwrite leaves the old file"
done
finish
