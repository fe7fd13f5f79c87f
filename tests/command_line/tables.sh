#!/bin/sh
# Calibration tables: shards as processes, an interruption, merging, and refusals.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
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
# A build without oneDNN has no kernels that the variable limits.
! "$DETENT" --version | grep -q oneDNN ||
  refuses "another instruction set" 14 mixed-isa merge in/1.dct in/isa.dct -o out/merged.dct
accepts "another instruction set with --mixed-isa" merge in/1.dct in/isa.dct --mixed-isa --partial -o in/mixed.dct

# Missing shards are named; --partial adds the others, and the table names the missing ones.
refuses "3 of 4 shards" 1 "a shard is missing: 3/4" merge in/1.dct in/2.dct in/4.dct -o out/merged.dct
refuses "2 of 4 shards" 1 "shards are missing: 1/4" merge in/2.dct -o out/merged.dct
accepts "3 of 4 shards with --partial" merge in/1.dct in/2.dct in/4.dct --partial -o in/three.dct
grep -q "^  missing  *shards 3/4$" stdout || fail "merge --partial does not name the missing shard"
accepts "the fourth to the three" merge in/three.dct in/3.dct -o in/late.dct
cmp in/late.dct in/whole.dct || fail "a shard merged late does not give the table of the single run"
accepts "merge once more with --resume" merge in/three.dct in/3.dct --resume -o in/late.dct
grep -q '^kept in/late.dct' stdout || fail "merge --resume does not say that it kept the table"
refuses "merge once more without --resume" 15 --overwrite merge in/three.dct in/3.dct -o in/late.dct
refuses "another sum at the output with --resume" 15 "not the sum" merge in/1.dct in/2.dct --partial --resume -o in/late.dct

# --resume keeps a complete table of any CPU, unless it is another table than the command asks for.
cp in/2.dct in/before.dct
accepts "a finished shard with --resume" calibrate "$model" $data --shard 2/4 --resume -o in/2.dct
grep -q '^kept in/2.dct' stdout || fail "calibrate --resume does not say that it kept the table"
cmp in/2.dct in/before.dct || fail "--resume changed a complete table"
refuses "a finished shard with --resume and another shard" 14 "not the complete table of this shard" calibrate "$model" $data --shard 3/4 \
  --resume -o in/2.dct
refuses "a finished shard with --resume and other preprocessing" 14 "not among the samples" calibrate "$model" --quiet \
  --data "$sample/calib" --preprocess unit --limit 10 --shard 2/4 --resume -o in/2.dct
refuses "a finished shard with --resume and less data" 14 "not in the data" calibrate "$model" --quiet \
  --data "$sample/calib" --preprocess $preprocess --limit 5 --shard 2/4 --resume -o in/2.dct
accepts "a shard measured with another instruction set, --resume" calibrate "$model" $data --shard 3/4 --resume -o in/isa.dct
echo "not a table" >in/text.dct
refuses "--resume with something else at the output" 12 "not a calibration table" calibrate "$model" $data --resume -o in/text.dct

# More shards than samples: a shard without samples is a table.
few="--data $sample/calib --preprocess $preprocess --limit 2 --quiet"
accepts "two samples" calibrate "$model" $few -o in/few.dct
for shard in 1 2 3; do accepts "shard $shard/3 of two samples" calibrate "$model" $few --shard $shard/3 -o in/few$shard.dct; done
grep -q "^  samples  *0, shards 3/3" stdout || fail "a shard without samples does not say so"
accepts "--resume of a shard without samples" calibrate "$model" $few --shard 3/3 --resume -o in/few3.dct
accepts "merge with a shard without samples" merge in/few3.dct in/few1.dct in/few2.dct -o in/sum_of_few.dct
cmp in/sum_of_few.dct in/few.dct || fail "shards of too few samples do not merge to the single run"
refuses "run of a shard without samples" 12 "is empty" run "$model" $few --shard 3/3 -o out/few

# A pinned instruction set: the table holds it, also on this machine's CPU.
if grep -q avx2 /proc/cpuinfo; then
  accepts "--isa avx2" calibrate "$model" $data --isa avx2 -o in/avx2.dct
  grep -q "on avx2$" stdout || fail "--isa avx2 is not what the table says"
  ONEDNN_MAX_CPU_ISA=AVX2 "$DETENT" calibrate "$model" $data --isa avx2 --shard 1/2 -o in/avx2.1.dct >/dev/null || fail "--isa and ONEDNN_MAX_CPU_ISA"
  accepts "the other half" calibrate "$model" $data --isa avx2 --shard 2/2 -o in/avx2.2.dct
  accepts "merge of pinned halves" merge in/avx2.1.dct in/avx2.2.dct -o in/avx2.sum.dct
  cmp in/avx2.sum.dct in/avx2.dct || fail "halves with --isa avx2 are not the whole with --isa avx2"
  refuses "--resume of another instruction set than --isa" 14 "differ in the last bits" calibrate "$model" $data --shard 3/4 \
    --isa avx2 --resume -o in/isa.dct
  accepts "run --isa avx2" run "$model" $few --isa avx2 -o in/avx2
fi
grep -q avx512 /proc/cpuinfo || refuses "--isa avx512 on a CPU without it" 13 "no avx512" calibrate "$model" $data --isa avx512 -o out/t.dct
refuses "--isa of another kind" 2 native calibrate "$model" $data --isa sse41 -o out/t.dct
refuses "run --isa of another kind" 2 native run "$model" $data --isa sse41 -o out/sse41
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

# An interruption: finished work is kept, and continuing gives the bytes of the uninterrupted run. Samples never end;
# those done until the signal and ten more are the whole.
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,4] x) => (float[1,4] y) { a = Relu (x) y = Exp (a) }' | "$WRITE_MODEL" in/tiny.onnx
without_end="in/tiny.onnx --data $endless --threads 1 --quiet --checkpoint 0.1"
done_in() { "$DETENT" inspect "$1" --json | sed -n 's/^ *"samples": \([0-9]*\),*$/\1/p' | head -n 1; }
# ten_more PARTIAL: the data up to there and ten samples more; in/uninterrupted.dct is their table.
ten_more() {
  some="in/tiny.onnx --data random:normal,n=$(($(done_in "$1") + 10)) --threads 1 --quiet"
  accepts "the uninterrupted run" calibrate $some -o in/uninterrupted.dct --overwrite
}
begins calibrate $without_end -o out/many.dct
once "a checkpoint" test -e out/many.dct.partial
kill -INT $pid
ends "Ctrl-C" 130
says "Ctrl-C" --resume
[ "$(ls -A out)" = many.dct.partial ] || fail "Ctrl-C left: $(ls -A out)"
accepts "inspect of what is left" inspect out/many.dct.partial
grep -q interrupted stdout || fail "inspect does not say that the table is partial"
ten_more out/many.dct.partial
cp out/many.dct.partial in
accepts "--resume" calibrate $some --resume -o out/many.dct
cmp out/many.dct in/uninterrupted.dct || fail "the resumed table differs from the uninterrupted one"
[ "$(ls -A out)" = many.dct ] || fail "--resume left: $(ls -A out)"
rm out/*
accepts "another table of the same model" calibrate in/tiny.onnx --data random:normal,n=4,seed=2 --quiet -o in/seed2.dct
refuses "merge of a partial table" 1 "1/1 (interrupted)" merge in/many.dct.partial in/seed2.dct -o out/sum.dct
accepts "merge --partial of a partial table" merge in/many.dct.partial in/seed2.dct --partial -o in/sum.dct
accepts "inspect of the sum" inspect in/sum.dct
grep -q partial stdout || fail "the sum does not say that a part of it is partial"
refuses "--resume with other data" 14 "not in the data" calibrate in/tiny.onnx --data random:normal,n=4,seed=2 --quiet \
  --resume -o in/many.dct

# kill -9: the last checkpoint is the only file; the next run removes the temporary file of the dead writer.
begins calibrate $without_end -o out/killed.dct
once "a checkpoint" test -e out/killed.dct.partial
kill -KILL $pid
ends "kill -9" 137
[ ! -e out/killed.dct ] || fail "kill -9: there is a table of endless samples"
boot=$(cut -c1-8 /proc/sys/kernel/random/boot_id)
: >"out/.killed.dct.$boot-0123abcd.tmp"
: >"out/.killed.dct.partial.$boot-0123abcd.tmp"
: >"out/.killed.dct.00000000-0123abcd.tmp" # of another machine, which may be alive
ten_more out/killed.dct.partial
accepts "--resume after kill -9" calibrate $some --resume -o out/killed.dct
grep -q "measured before" stdout || fail "the resumed run does not tell which samples are its own"
cmp out/killed.dct in/uninterrupted.dct || fail "the table resumed from a checkpoint differs from the uninterrupted one"
[ "$(ls -A out)" = ".killed.dct.00000000-0123abcd.tmp
killed.dct" ] || fail "after kill -9 and --resume there is: $(ls -A out)"
touch -d '2 hours ago' out/.killed.dct.00000000-0123abcd.tmp
accepts "a complete table" calibrate $some --resume -o out/killed.dct
accepts "a new run" calibrate $some --limit 1 --overwrite -o out/killed.dct
[ "$(ls -A out)" = killed.dct ] || fail "an old temporary file of another machine stays: $(ls -A out)"
finish
