#!/bin/sh
# The search by latency: `quantize --latency-command`, its table, `compare` and `plan` with it. The commands here are
# scripts with known times, which they make of the number of QuantizeLinears in the file.
. "$(dirname "$0")/expect.sh"

# timer NAME TEXT: a latency command in in/NAME. $n is the number of QuantizeLinears in the file. Each call adds a line
# to the file calls.
timer() {
  {
    echo '#!/bin/sh'
    echo 'n=$(grep -a -o QuantizeLinear "$1" | wc -l)'
    echo "echo \"\$n\" >>\"$work/calls\""
    echo "$2"
  } >"in/$1"
  chmod +x "in/$1"
}
timer fewer '[ "$n" -gt 0 ] || n=900; echo "$((100 + n))"' # pairs cost, and the float model costs more
timer floats 'echo "$((1 + n))"'
timer constant 'echo 5'
timer pairs 'echo "$((1000 - n))"' # each pair is a gain
search="$quantize_sample --target onnxruntime --overwrite"

# member FILE NAME: the value of a member of "latency" that is a text or number.
member() { sed -n '/"latency": {/,$p' "$1" | sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\).*/\1/p" | head -n 1; }
# has FILE NAME VALUE
has() { [ "$(member "$1" "$2")" = "$3" ] || fail "$sentence: $2 is '$(member "$1" "$2")', expected '$3'"; }
calls() { wc -l <calls; }
pairs_of() { "$DETENT" inspect "$1" | sed -n 's/^ *\([0-9]*\)  QuantizeLinear$/\1/p'; }
# finds SENTENCE CHOSEN COMMAND ARG...: the search ends with 0 and this choice in out/found.json, in at most 20 calls.
finds() {
  sentence=$1 chosen=$2 with=$3
  shift 3
  rm -f calls out/*
  # shellcheck disable=SC2086
  accepts "$sentence" $search --latency-command "$with" --json out/found.json -o out/found.onnx "$@"
  has out/found.json chosen "$chosen"
  [ "$(calls)" -le 20 ] || fail "$sentence: $(calls) calls"
  "$DETENT" lint out/found.onnx --target onnxruntime >stdout 2>stderr || fail "$sentence: lint refuses the file"
  "$DETENT" inspect out/found.onnx >stdout 2>stderr || fail "$sentence: the file does not load"
}

# shellcheck disable=SC2086
accepts "without a command" $quantize_sample --target onnxruntime -o in/default.onnx
finds "fewer pairs are faster" variant "$work/in/fewer"
[ "$(pairs_of out/found.onnx)" -lt "$(pairs_of in/default.onnx)" ] || fail "fewer pairs are faster: the file has as many as the default"
[ "$(grep -c '"refusal":' out/found.json)" -eq "$(calls)" ] || fail "the report has other calls than the command saw"
for file in float default; do
  grep -q "\"what\": \"$file\"" out/found.json || fail "the calls lack the file '$file'"
done
[ "$(sed -n 1p calls)" -eq 0 ] || fail "the first call is not of the float model"
if sed 1d calls | grep -qx 0; then fail "a file without pairs was timed as a variant"; fi
grep -q '"default_ms"' out/found.json || fail "the report lacks the time of the default"
# The words of the parts in the file make the same file by hand. With one calibrator, because auto's choice depends on
# the pairs.
finds "one calibrator" variant "$work/in/fewer" --calibrator max
awk '/"chosen": true/ { on = 1 } /"options": \[/ { inside = 1; next } /\]/ { if (inside) on = 0; inside = 0 } inside && on' out/found.json |
  sed 's/^ *"//; s/",\{0,1\}$//; s/\\\\/\\/g' >words
set --
while IFS= read -r word; do set -- "$@" "$word"; done <words
[ $# -gt 0 ] || fail "no part of the network names its options"
# shellcheck disable=SC2086
accepts "the options by hand" $search --calibrator max "$@" -o out/hand.onnx
for file in found hand; do # the options stand in the file, in another order
  "$DETENT" inspect out/$file.onnx | sed '1d; /^ *options /d' >in/$file
done
grep -q '^ *ranges ' in/found || fail "inspect prints no ranges"
cmp -s in/found in/hand || fail "the options by hand make another file"

finds "the float model is fastest" float "$work/in/floats"
[ -z "$(pairs_of out/found.onnx)" ] || fail "$sentence: the file has pairs"
cmp -s out/found.onnx "$model" || fail "$sentence: the file is another model"
# shellcheck disable=SC2086
accepts "$sentence" $search --latency-command "$work/in/floats" -o out/found.onnx
head -n 1 stdout | grep -q '^written without pairs: the float model is the fastest file ' || fail "$sentence: the first line does not say that the file has no pairs"
grep -q '^verdict: good' stdout || fail "$sentence: there is another verdict"
grep -q '^error against FP32 on ' stdout || fail "$sentence: its error was not measured"
grep -q ' 0 pairs on 0 values' stdout || fail "$sentence: the report is of another file"

finds "all files take the same time" default "$work/in/constant"
cmp -s out/found.onnx in/default.onnx || fail "$sentence: the file is another one than without the command"
finds "each pair is a gain" default "$work/in/pairs" --policy small-layers=quantize
rm -f out/*

# A wrong command ends before the samples, which have no end, are read; nothing is written.
endless_search="quantize $model --quiet --data $endless --target onnxruntime"
for wrong in no_such_command "$work/in" './in/fewer.txt'; do
  # shellcheck disable=SC2086
  refuses "a command that cannot be run: $wrong" 13 'cannot be run' $endless_search --latency-command "$wrong" -o out/none.onnx
done
grep -q '^hint: ready ones are onnxruntime, openvino, qnn, rknn, trtexec, web$' stderr || fail "the hint does not name the ready commands"
for printed in 'echo nan' 'echo inf' 'echo 0' 'echo -3' 'echo 5 ms' 'echo 5; echo done' 'true' 'echo 1e999'; do
  timer wrong "$printed"
  # shellcheck disable=SC2086
  refuses "prints no time: $printed" 13 'not milliseconds' $search --latency-command "$work/in/wrong" -o out/none.onnx
done
timer late 'if [ "$n" -gt 0 ]; then echo nan; else echo 5; fi'
# shellcheck disable=SC2086
refuses "NaN for files with pairs" 13 "'nan', not milliseconds" $search --latency-command "$work/in/late" -o out/none.onnx

# Refusals are answers.
timer refuses 'echo loading >&2; echo "no memory for $n pairs" >&2; exit 1'
# shellcheck disable=SC2086
refuses "refuses every file" 13 'takes neither the float model (no memory for 0 pairs) nor the quantized one (no memory for ' $search --latency-command "$work/in/refuses" -o out/none.onnx
timer no_pairs '[ "$n" -eq 0 ] || { echo "no pairs here" >&2; exit 4; }; echo 5'
finds "refuses files with pairs" float "$work/in/no_pairs"
has out/found.json default_ms null
grep -q '"refusal": "no pairs here"' out/found.json || fail "$sentence: the report lacks the reason"
timer no_float '[ "$n" -gt 0 ] || { echo "float is slow" >&2; exit 1; }; echo 5'
finds "refuses the float model" default "$work/in/no_float"
has out/found.json float_ms null
timer killed '[ "$n" -eq 0 ] || kill -KILL $$; echo 5'
finds "dies with pairs" float "$work/in/killed"
grep -q '"refusal": "Killed"' out/found.json || fail "$sentence: the report lacks the shell's word"

# A call that hangs is ended with what it started.
unique=1000.$$
timer hangs "[ \"\$n\" -eq 0 ] || { sleep $unique & wait; }; echo 5"
finds "hangs with pairs" float "$work/in/hangs" --latency-timeout 1
grep -q '"refusal": "took longer than 1 s"' out/found.json || fail "$sentence: the report lacks the limit"
if pgrep -f "^sleep $unique" >stdout; then
  # shellcheck disable=SC2046
  kill $(cat stdout)
  fail "$sentence: a process goes on"
fi
timer stays "sleep $unique & sleep $unique"
# shellcheck disable=SC2086
rm -f out/*
refuses "hangs always" 13 'took longer than 0.3 s' $search --latency-command "$work/in/stays" --latency-timeout 0.3 -o out/none.onnx
if pgrep -f "^sleep $unique" >stdout; then fail "hangs always: a process goes on"; fi

# The table: a second network of the same machine takes 10 calls.
timer machine 'echo "{\"engine\": \"planted\", \"version\": \"1\", \"device\": \"$DEVICE\"}"; [ "$n" -gt 0 ] || n=900; echo "$((100 + n))"'
export DEVICE=here
# shellcheck disable=SC2086
accepts "another network" $quantize_sample --target onnxruntime --stop-after prepare -o in/other.onnx
finds "fills a table" variant "$work/in/machine" --latency-table in/table.json
has out/found.json learned_networks 0
has out/found.json engine planted
for word in '"detent_latency_table": 1' '"engine": "planted"' '"device": "here"' '"model": "model_opset13.onnx"'; do
  grep -q "$word" in/table.json || fail "the table lacks $word"
done
rm -f calls
other="quantize in/other.onnx --quiet --data $six --preprocess $preprocess --limit 4 --target onnxruntime --latency-command $work/in/machine --latency-table in/table.json"
# shellcheck disable=SC2086
accepts "a second network" $other -o out/other.onnx --json out/other.json
sentence="a second network"
[ "$(calls)" -le 10 ] || fail "$sentence: $(calls) calls"
has out/other.json learned_networks 1
grep -q "^ *in/table.json knew 1 network of this machine" stdout || fail "$sentence: the text does not say what the table knew"
[ "$(grep -c '"fingerprint"' in/table.json)" -eq 2 ] || fail "$sentence: it is not in the table"
rm -f out/*
# shellcheck disable=SC2086
accepts "the same network again" $other --json out/other.json -o out/other.onnx
[ "$(grep -c '"fingerprint"' in/table.json)" -eq 2 ] || fail "the same network again: it stands twice in the table"
DEVICE=there
rm -f out/* calls
# shellcheck disable=SC2086
accepts "another device" $other --json out/other.json -o out/other.onnx
sentence="another device"
has out/other.json learned_networks 0
[ "$(calls)" -gt 10 ] || fail "$sentence: it believes what another device measured"
grep -q '"device": "here"' in/table.json || fail "$sentence: the table lost the first device"

rm -f out/*
timer sum 'echo "{\"engine\": \"planted\", \"version\": \"2\"}"; echo "$((100 + n))"'
finds "learns all parts" float "$work/in/sum" --latency-table in/table.json
accepts "plan with a table" plan in/other.onnx --target onnxruntime --latency-table in/table.json --json out/plan.json
grep -q '^with planted 2: INT8 is expected to take 1\.[0-9]* ±[0-9.]* of the float model.s time (in/table.json, 1 network)$' stdout || fail "plan: no line of the machine of which all parts are known"
[ "$(grep -c '^on .*with planted 1: \|^with planted 2: ' stdout)" -eq 3 ] || fail "plan: no line for each machine"
[ "$(grep -c '"ratio": ' out/plan.json)" -eq 3 ] || fail "plan: the document has no forecast for each machine"
grep -q '"ratio": 1\.' out/plan.json || fail "plan: the document has no ratio"
grep -q '"name": "convolutions in float"' out/plan.json || fail "plan: the document lacks the part that two halves told"
accepts "plan without a table" plan in/other.onnx --target onnxruntime
if grep -q 'expected to take' stdout; then fail "plan: it foresees without a table"; fi
accepts "plan with a table that does not exist" plan in/other.onnx --target onnxruntime --latency-table in/none.json
rm -f out/*

echo '{"machines": []}' >in/no_table.json
echo '{"detent_latency_table": 1, "machines": [{"engine": 3}]}' >in/bad_table.json
echo 'x' >in/no_json.json
for table in no_table bad_table no_json; do
  cp in/$table.json before
  # shellcheck disable=SC2086
  refuses "$table" 12 "in/$table.json" $search --latency-command "$work/in/constant" --latency-table in/$table.json -o out/none.onnx
  cmp -s before in/$table.json || fail "$table: it was overwritten"
  refuses "$table, plan" 12 "in/$table.json" plan "$model" --latency-table in/$table.json
done
# shellcheck disable=SC2086
refuses "a table that cannot be written" 15 'in/absent' $search --latency-command "$work/in/constant" --latency-table in/absent/table.json -o out/none.onnx

# Interrupted: once the default was judged, the best file so far is kept.
timer waits 'if [ "$(wc -l <'"$work"'/calls)" -gt "$CALLS" ]; then echo >'"$work"'/reached; sleep '"$unique"'; fi; if [ "$n" -gt 0 ]; then echo "$((100 + n))"; else echo 999; fi'
# interrupted_in CALL ARG...: SIGINT while this call of the command runs.
interrupted_in() {
  export CALLS=$(($1 - 1))
  shift
  rm -rf calls reached out/*
  # shellcheck disable=SC2086
  begins $search --latency-command "$work/in/waits" -o out/kept.onnx "$@"
  once "$sentence" test -e reached
  kill -INT $pid
  ends "$sentence" 130
  if pgrep -f "^sleep $unique" >/dev/null; then fail "$sentence: a process goes on"; fi
}
sentence="interrupted at the float model"
interrupted_in 1
says "$sentence" interrupted
leaves_nothing "$sentence"
for call in 2 3 6; do
  sentence="interrupted in call $call"
  interrupted_in $call --json out/kept.json
  grep -q "^detent: warning: interrupted after $((call - 1)) calls* of --latency-command: wrote out/kept.onnx, the fastest file so far (" stderr || fail "$sentence: it does not say that a file was kept"
  [ "$(ls out)" = kept.onnx ] || fail "$sentence: left in the output folder: $(ls -A out)"
  "$DETENT" lint out/kept.onnx --target onnxruntime >stdout 2>stderr || fail "$sentence: lint refuses the file"
  [ -n "$(pairs_of out/kept.onnx)" ] || fail "$sentence: the kept file has no pairs"
done
[ -z "$(ls -A tmp)" ] || fail "interrupted: left in TMPDIR: $(ls -A tmp)"
# The float model is written whole, where it is the fastest; its weights lie in another file.
# shellcheck disable=SC2086
accepts "a model with external data" $quantize_sample --target onnxruntime --stop-after prepare --format external-data=always -o in/ext.onnx
ext="quantize in/ext.onnx --quiet --data $six --preprocess $preprocess --limit 4 --target onnxruntime --accuracy fast --format external-data=always"
timer stops 'if [ "$(wc -l <'"$work"'/calls)" -gt 3 ]; then trap "sleep 1; exit 1" TERM; echo >'"$work"'/reached; sleep '"$unique"' & wait; fi; echo "$((1 + n))"'
# stopped_in_call_4 ARG...: SIGINT in the fourth call, which needs more than a second to end.
stopped_in_call_4() {
  rm -rf calls reached out/*
  # shellcheck disable=SC2086
  begins $ext --latency-command "$work/in/stops" -o out/kept.onnx "$@"
  once "$sentence" test -e reached
}
sentence="a command that is slow to end"
stopped_in_call_4
kill -INT $pid
ends "$sentence" 130
head -n 1 stderr | grep -q '^detent: interrupted; the fastest file so far (float) is written to out/kept.onnx (again: end at once)$' || fail "$sentence: the first line does not say which file is kept"
grep -q '^detent: warning: interrupted after 3 calls of --latency-command: wrote out/kept.onnx, the fastest file so far (float)$' stderr || fail "$sentence: the float model was not kept"
"$DETENT" run out/kept.onnx --data "$six" --preprocess "$preprocess" --limit 1 --quiet -o out/run >stdout 2>stderr || fail "$sentence: the kept file does not run"
# A file that another process wrote meanwhile stays, and so does one with the name that partial files had.
sentence="another's output"
stopped_in_call_4
echo notes >out/kept.onnx.partial
echo "another's" >out/kept.onnx
kill -TERM $pid
ends "$sentence" 130
grep -q "the fastest file so far (float) is not written: out/kept.onnx: cannot be written: File exists\|(float) is not written: out/kept.onnx: exists already" stderr || fail "$sentence: it does not say that the file is not written"
[ "$(cat out/kept.onnx out/kept.onnx.partial)" = "another's
notes" ] || fail "$sentence: it was changed"
[ "$(ls out | wc -l)" -eq 2 ] || fail "$sentence: left in the output folder: $(ls -A out)"
rm -rf out/*

# The table is an output.
for one in "-o in/new.json" "-o out/q.onnx --json in/new.json" "-o out/q.onnx --html in/new.json"; do
  # shellcheck disable=SC2086
  refuses "the table is $one" 15 '--latency-table' $search --latency-command "$work/in/constant" --latency-table in/new.json $one
done
cp in/table.json before
refuses "plan: the report is the table" 15 '--latency-table reads' plan "$model" --target onnxruntime --latency-table in/table.json --json in/table.json --overwrite
cmp -s before in/table.json || fail "plan changed the table"

# A ready command with wrong options, or without its engine, ends before the samples, which have no end.
# shellcheck disable=SC2086
refuses "a wrong option of a ready command" 13 '--no-such-option' $endless_search --latency-command "onnxruntime --no-such-option 1" -o out/none.onnx
refuses "compare: a wrong option of a ready command" 13 '--no-such-option' compare "$model" --quiet --data $endless --eval "$six" --preprocess "$preprocess" --calibrators max --latency-command "onnxruntime --no-such-option 1"

# Options that do not go together.
one="--latency-command $work/in/constant -o out/none.onnx"
for stage in prepare plan ranges rewrite; do
  # shellcheck disable=SC2086
  refuses "--stop-after $stage" 2 '--stop-after' $quantize_sample --target onnxruntime --stop-after $stage $one
done
# shellcheck disable=SC2086
refuses "several targets" 2 '--latency-command takes one --target' $quantize_sample --target onnxruntime --target tensorrt $one
accepts "a calibration table" calibrate "$model" --quiet --data "$six" --preprocess "$preprocess" -o in/model.dct
# shellcheck disable=SC2086
refuses "no data" 2 '--latency-command needs --data' quantize "$model" --table in/model.dct $one
# shellcheck disable=SC2086
refuses "a target without pairs" 13 '--latency-command' $quantize_sample --target tensorrt:dla $one
# shellcheck disable=SC2086
refuses "a table without a command" 2 '--latency-table needs --latency-command' $quantize_sample --latency-table in/table.json -o out/none.onnx
# shellcheck disable=SC2086
refuses "no time at all" 2 '--latency-timeout' $quantize_sample $one --latency-timeout 0

# A bound holds in what is written.
finds "a bound" variant "$work/in/fewer" --min-sqnr 40
grep -q '"limit": "--min-sqnr 40"' out/found.json || fail "$sentence: the limit of the search is another"
grep -q '"met": true' out/found.json || fail "$sentence: it is not met"
reached=$(sed -n 's/^    "reached": \([0-9]*\.[0-9]\).*/\1/p' out/found.json)
sed -n '/^  "error": {/,/}/p' out/found.json | grep -q "\"sqnr_db\": $reached" || fail "$sentence: $reached dB are not those of the written file"
rm -f out/*

# Comparisons have a column.
for comparison in "compare $model --calibrators max,mse --target onnxruntime" "compare $model --targets onnxruntime,tensorrt --calibrators max" "compare-types $model --types int8,int4"; do
  rm -f calls
  # shellcheck disable=SC2086
  accepts "$comparison" $comparison --quiet --data "$six" --preprocess "$preprocess" --eval "$six" --limit 4 --latency-command "$work/in/fewer" --json out/compared.json
  [ "$(calls)" -eq 3 ] || fail "$comparison: $(calls) calls instead of 3"
  [ "$(sed -n '/"latency": {/,/}/p' out/compared.json | grep -c '"ms": 1')" -eq 2 ] || fail "$comparison: not each row has its time"
  sed -n '/"float_latency": {/,/}/p' out/compared.json | grep -q '"ms": 1000' || fail "$comparison: no time of the float model"
  grep -q '  *ms ' stdout || fail "$comparison: the table has no column of times"
  rm -f out/*
  # shellcheck disable=SC2086
  refuses "$comparison: a command that cannot be run" 13 'cannot be run' $comparison --quiet --data $endless --eval $endless --latency-command no_such_command
done
finish
