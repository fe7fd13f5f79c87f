#!/bin/sh
# Equalization and bias correction: the same bytes however the work is divided, the report, and refusals.
. "$(dirname "$0")/expect.sh"
families="--equalize relu,linear"
quantize_sample="$quantize_sample --calibrator max"

accepts "no option" $quantize_sample --json out/plain.json -o in/plain.onnx
if grep -q '"equalize"' out/plain.json; then fail "the report has an equalization that was not asked for"; fi
accepts "the default by name" $quantize_sample --equalize outliers -o out/outliers.onnx
cmp out/outliers.onnx in/plain.onnx || fail "--equalize outliers is not the same as no option"
rm out/*

for threads in 1 2 3; do
  accepts "equalized by $threads threads" $quantize_sample $families --threads $threads -o in/$threads.onnx \
    --json in/$threads.json
done
cmp in/1.onnx in/2.onnx || fail "1 and 2 threads write different files"
cmp in/1.onnx in/3.onnx || fail "1 and 3 threads write different files"
if cmp -s in/1.onnx in/plain.onnx; then fail "--equalize relu,linear changes nothing"; fi
accepts "families in another order" $quantize_sample --equalize linear,relu -o out/order.onnx
cmp out/order.onnx in/1.onnx || fail "the order of the families matters"
accepts "the exponent that is the default" $quantize_sample --equalize relu:0.5,linear:0.5 -o out/exponent.onnx
cmp out/exponent.onnx in/1.onnx || fail "relu:0.5 is not relu"
accepts "another exponent" $quantize_sample --equalize relu:0.75,linear -o out/other.onnx
if cmp -s out/other.onnx in/1.onnx; then fail "relu:0.75 is relu:0.5"; fi
accepts "lint of the equalized file" lint in/1.onnx --strict
rm out/*

# The report: each value with its family, its channels and how uneven they were before and after.
sed -n '/"equalize": {/,/"seconds"/p' in/1.json >in/equalize
grep -q '"requested": "linear,relu"' in/equalize || fail "--json does not say what was asked for"
for field in name family channels imbalance_before imbalance_after; do
  [ "$(grep -c "^  *\"$field\": " in/equalize)" -ge 23 ] || fail "--json lacks $field for some of the 23 values"
done
grep -q '"name": "/d.0/d.0.2/Relu_output_0"' in/equalize || fail "--json does not name the first Relu's value"
numbers() { sed -n "s/.*\"imbalance_$1\": \([0-9.e+-]*\).*/\1/p" in/equalize; }
sum() { numbers "$1" | awk '{ s += $1; n += $1 < 1 } END { print n ? "bad" : s }'; }
# The largest channel over the median one: never below 1.
[ "$(sum before)" != bad ] && [ "$(sum after)" != bad ] || fail "an imbalance is below 1"
awk "BEGIN { exit !($(sum after) < $(sum before)) }" || fail "the channels are not more even after than before"

# Tables hold the factors: from shards as from one run, and quantize applies them again.
data="--data $six --preprocess $preprocess --limit 4 --quiet"
accepts "calibrate, equalized" calibrate "$model" $data $families -o in/whole.dct
for shard in 1 2 3; do
  accepts "shard $shard" calibrate "$model" $data $families --shard $shard/3 -o in/part$shard.dct
done
accepts "merge" merge in/part3.dct in/part1.dct in/part2.dct -o out/merged.dct
cmp out/merged.dct in/whole.dct || fail "merged shards are not the table of the single run"
accepts "quantize from the table" quantize "$model" --table out/merged.dct --calibrator max --quiet -o out/table.onnx
cmp out/table.onnx in/1.onnx || fail "table and data give different models"
accepts "a table without factors" calibrate "$model" $data --shard 1/3 -o in/without.dct
rm out/*
refuses "shards with and without factors" 14 equaliz merge in/without.dct in/part2.dct -o out/merged.dct
refuses "other families than the table's" 14 "measured with --equalize linear,relu" quantize "$model" --quiet \
  --table in/whole.dct --equalize gate -o out/model.onnx

for threads in 1 2; do
  accepts "bias correction by $threads threads" $quantize_sample --policy bias-correction=on --threads $threads \
    -o in/bias$threads.onnx
done
cmp in/bias1.onnx in/bias2.onnx || fail "bias correction: 1 and 2 threads write different files"
accepts "both" $quantize_sample $families --policy bias-correction=on -o out/both.onnx
rm out/*

# Without INT8 layers there is no gain: reported, not measured.
accepts "nothing is INT8" quantize "$model" $data --calibrator max --exclude . --equalize auto -o out/float.onnx
grep -q "nothing is INT8 on tensorrt, so --equalize auto does nothing" stdout || fail "equalization does not say why it does nothing"
if grep -q "channels of" stdout; then fail "channels were measured where nothing is INT8"; fi
rm out/*

for wrong in rele relu,rele RELU relu:x relu:-1 relu:2 relu, ,relu relu,,linear off,relu auto,relu relu,relu; do
  refuses "--equalize $wrong" 2 --equalize $quantize_sample --equalize "$wrong" -o out/model.onnx
done
refuses "bias-correction=maybe" 2 "--policy bias-correction" $quantize_sample --policy bias-correction=maybe -o out/model.onnx
finish
