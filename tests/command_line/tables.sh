#!/bin/sh
# Calibration tables from outside: shards as processes, an interruption, merging, what is refused.
. "$(dirname "$0")/expect.sh"
data="--data $sample/calib --preprocess $preprocess --limit 10 --quiet"

accepts "a single run" calibrate "$model" $data --threads 1 -o in/whole.dct
grep -q "every target" stdout || fail "calibrate does not say what the table covers"
accepts "two threads" calibrate "$model" $data --threads 2 -o out/two.dct
cmp out/two.dct in/whole.dct || fail "1 and 2 threads write different tables"
rm out/*

# Four processes at once, each with its shard.
running=""
for shard in 1 2 3 4; do
  "$DETENT" calibrate "$model" $data --threads 1 --shard $shard/4 -o in/$shard.dct >/dev/null 2>stderr.$shard &
  running="$running $!"
done
for process in $running; do wait "$process" || fail "a shard failed: $(cat stderr.?)"; done
accepts "merge" merge in/4.dct in/2.dct in/1.dct in/3.dct -o out/merged.dct
cmp out/merged.dct in/whole.dct || fail "four merged shards are not the table of the single run"
for target in tensorrt onnxruntime; do
  accepts "quantize from data, $target" quantize "$model" $data --calibrator entropy --target $target -o in/data.$target.onnx
  accepts "quantize from the table, $target" quantize "$model" --table out/merged.dct --calibrator entropy --target $target --quiet \
    -o in/table.$target.onnx
  grep -q "not measured: no data" stdout || fail "quantize --table alone does not say that no error was measured"
  cmp in/table.$target.onnx in/data.$target.onnx || fail "table and data give different models for $target"
done
accepts "quantize from table and data" quantize "$model" --table out/merged.dct $data -o in/both.onnx
grep -q "SQNR" stdout || fail "quantize --table --data does not measure the error"
rm out/*

accepts "inspect" inspect in/1.dct
grep -q "1/4" stdout || fail "inspect does not name the shard"
accepts "inspect --json" inspect in/whole.dct --json
for field in model_fingerprint samples shards values count zeros min max log2_width bins_in_use; do
  grep -q "\"$field\":" stdout || fail "inspect --json has no $field"
done
accepts "inspect --value" inspect in/whole.dct --value image
grep -q '##' stdout || fail "inspect --value draws nothing"
refuses "inspect --value of what is not there" 13 nosuch inspect in/whole.dct --value nosuch
refuses "inspect --value of a model" 2 "not a calibration table" inspect "$model" --value image

refuses "the same shard twice" 14 000.png merge in/1.dct in/2.dct in/1.dct -o out/merged.dct
refuses "a shard and the whole" 14 twice merge in/whole.dct in/2.dct -o out/merged.dct
ONEDNN_MAX_CPU_ISA=SSE41 "$DETENT" calibrate "$model" $data --shard 3/4 -o in/isa.dct >stdout 2>stderr ||
  fail "calibrate with another instruction set"
refuses "another instruction set" 14 mixed-isa merge in/1.dct in/isa.dct -o out/merged.dct
accepts "another instruction set with --mixed-isa" merge in/1.dct in/isa.dct --mixed-isa -o in/mixed.dct
LC_ALL=C sed 's/logits/logitz/g' "$model" >in/other.onnx
accepts "another model" calibrate in/other.onnx $data --shard 2/4 -o in/other.dct
refuses "a table of another model" 14 "different models" merge in/1.dct in/other.dct -o out/merged.dct
refuses "quantize with a table of another model" 14 fingerprint quantize "$model" --table in/other.dct -o out/model.onnx
accepts "a table for one target" calibrate "$model" $data --target tensorrt -o in/tensorrt.dct
refuses "a table that lacks values" 14 lacks quantize "$model" --table in/tensorrt.dct --target onnxruntime \
  -o out/model.onnx
refuses "an existing table" 15 --overwrite calibrate "$model" $data -o in/whole.dct

head -c 3000 in/whole.dct >in/cut.dct
: >in/empty.dct
refuses "a truncated table" 12 truncated quantize "$model" --table in/cut.dct -o out/model.onnx
refuses "a truncated table in inspect" 12 truncated inspect in/cut.dct
refuses "a truncated table in merge" 12 in/cut.dct merge in/1.dct in/cut.dct -o out/merged.dct
refuses "an empty table" 12 "not a calibration table" quantize "$model" --table in/empty.dct -o out/model.onnx
refuses "a model as a table" 12 "not a calibration table" quantize "$model" --table "$model" -o out/model.onnx
refuses "a table that is not there" 12 gone.dct quantize "$model" --table in/gone.dct -o out/model.onnx

# An interruption: what was done is kept, and going on gives the bytes of the uninterrupted run.
many="--data random:normal,n=200 --threads 1 --quiet"
accepts "the uninterrupted run" calibrate "$model" $many -o in/uninterrupted.dct
cases=$((cases + 1))
code=0
timeout --preserve-status --signal=INT 1 "$DETENT" calibrate "$model" $many -o out/many.dct \
  >stdout 2>stderr </dev/null || code=$?
if [ -e out/many.dct ]; then
  echo "the machine is too fast for the interruption: not tested"
else
  [ "$code" -eq 130 ] || fail "Ctrl-C: exit $code, expected 130"
  says "Ctrl-C" --resume
  [ "$(ls -A out)" = many.dct.partial ] || fail "Ctrl-C left: $(ls -A out)"
  accepts "inspect of what is left" inspect out/many.dct.partial
  grep -q interrupted stdout || fail "inspect does not say that the table is partial"
  cp out/many.dct.partial in
  accepts "--resume" calibrate "$model" $many --resume -o out/many.dct
  cmp out/many.dct in/uninterrupted.dct || fail "the resumed table differs from the uninterrupted one"
  [ "$(ls -A out)" = many.dct ] || fail "--resume left: $(ls -A out)"
  accepts "merge of a partial table" merge in/many.dct.partial in/whole.dct -o in/sum.dct
  accepts "inspect of the sum" inspect in/sum.dct
  grep -q partial stdout || fail "the sum does not say that a part of it is partial"
  rm out/*
  refuses "--resume with other data" 14 "not in the data" calibrate "$model" --data random:normal,n=4,seed=2 --quiet \
    --resume -o in/many.dct
fi
finish
