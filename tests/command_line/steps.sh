#!/bin/sh
# Models with states: samples cut into steps, outputs that feed inputs, and errors over all steps.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

# A decoder of one attention block: token ids, and the keys and values of the tokens before them.
network cached "(int64[N, S] ids, float[N, P, 16] past_keys, float[N, P, 16] past_values) =>
  (float[N, S, 12] logits, float[N, T, 16] keys, float[N, T, 16] values)" "
  $(weight table 12,16 192) $(weight wq 16,16 256) $(weight wk 16,16 256) $(weight wv 16,16 256) $(weight head 16,12 192)
  h = Gather (table, ids)
  q = MatMul (h, wq)
  k = MatMul (h, wk)
  v = MatMul (h, wv)
  keys = Concat <axis = 1> (past_keys, k)
  values = Concat <axis = 1> (past_values, v)
  turned = Transpose <perm = [0, 2, 1]> (keys)
  scores = MatMul (q, turned)
  shares = Softmax <axis = -1> (scores)
  mixed = MatMul (shares, values)
  sum = Add (h, mixed)
  logits = MatMul (sum, head)"
net=in/cached.onnx
array ids 12,9 5 int64
echo '{"feeds": {"keys": "past_keys", "values": "past_values"}, "cut": {"ids": 1}}' >in/state.json
data="--data ids=in/ids.npy --steps 8 --state in/state.json --quiet"

# quantize: calibrated on all steps and judged over them.
accepts "quantize" quantize $net $data --calibrator mse --policy small-layers=quantize -o out/int8.onnx --json out/q.json --accept-broken
grep -q '^calibrated 12 samples of 8 steps' stdout || fail "the text does not count samples and steps"
[ "$(grep -cE '^ +[148] +[0-9.]* dB' stdout)" = 3 ] || fail "the text lacks the error of the steps"
grep -q 'over 8 steps of each model fed by its own states' stdout || fail "the text does not say what was measured"
grep -q '"steps": 8,' out/q.json || fail "the document lacks the number of steps"
[ "$(grep -c '"step": ' out/q.json)" -eq 3 ] || fail "the document lacks the error at three steps"
accepts "more threads" quantize $net $data --calibrator mse --policy small-layers=quantize -o out/other.onnx --threads 3 --accept-broken
cmp -s out/int8.onnx out/other.onnx || fail "the file depends on the threads"

# run: each file feeds itself.
for file in $net out/int8.onnx; do
  accepts "run $file" run $file $data -o out/run --overwrite
  grep -q '^ran 96 samples' stdout || fail "not 8 steps of 12 samples were run"
  [ "$(ls out/run)" = logits.npy ] || fail "run writes other outputs than those that feed no input"
done

# calibrate and shards: whole samples are distributed.
accepts "a table" calibrate $net $data -o out/whole.dct
for i in 1 2; do accepts "shard $i" calibrate $net $data --shard $i/2 -o out/$i.dct; done
accepts "merge" merge out/1.dct out/2.dct -o out/merged.dct
cmp -s out/whole.dct out/merged.dct || fail "shards give another table"
accepts "a shard without samples" calibrate $net $data --shard 13/13 -o out/13.dct

# compare, sensitivity, cast, plan.
accepts "compare" compare $net $data --eval ids=in/ids.npy --next-token --calibrators max,mse --policy small-layers=quantize
grep -q 'nats' stdout || fail "next tokens are not scored over steps"
accepts "sensitivity" sensitivity $net $data --eval ids=in/ids.npy --policy small-layers=quantize
# sqnr_of NUMBER FILE: the number of the first such member, cut to four digits.
sqnr_of() { sed -n 's/.*"'"$1"'": \([0-9]*\.[0-9]\{0,4\}\).*/\1/p' "$2" | head -1; }
whole="--eval ids=in/ids.npy --policy small-layers=quantize"
accepts "quantize on all samples" quantize $net $data $whole --calibrator mse -o out/all.onnx --json out/all.json --accept-broken
accepts "compare of one" compare $net $data $whole --calibrators mse --json out/c.json
accepts "sensitivity of the same" sensitivity $net $data $whole --calibrator mse --json out/s.json
verdict=$(sqnr_of sqnr_db out/all.json)
[ -n "$verdict" ] || fail "quantize has no error"
[ "$(sqnr_of sqnr_db out/c.json)" = "$verdict" ] || fail "compare says another error than quantize: $verdict"
[ "$(sqnr_of sqnr_db_all out/s.json)" = "$verdict" ] || fail "sensitivity says another error than quantize: $verdict"
for json in out/c.json out/s.json; do
  grep -q '"evaluation_samples": 12' $json && grep -q '"steps": 8' $json || fail "$json does not count samples and steps"
done
accepts "words of compare" compare $net $data $whole --calibrators max,mse
grep -q 'on 12 samples of 8 steps, over all steps of each' stdout || fail "compare does not say what it judged"
accepts "words of sensitivity" sensitivity $net $data $whole
grep -q 'on 12 samples of 8 steps, over all steps of each' stdout || fail "sensitivity does not say what it measured"
accepts "cast" cast $net $data --float-type fp16 -o out/half.onnx
accepts "plan" plan $net $data
accepts "plan without data" plan $net --state in/state.json --shape ids=1,1 --shape past_keys=1,4,16 --shape past_values=1,4,16
grep -q "state 'past_keys', fed by 'keys': " stdout || fail "the plan does not say what happens to a state"
rm -rf out/*

# Refusals.
refuses "no map" 2 "--steps needs --state" calibrate $net --data ids=in/ids.npy --steps 8 -o out/t.dct
refuses "no steps" 2 "--state needs --steps" calibrate $net --data ids=in/ids.npy --state in/state.json -o out/t.dct
refuses "no data" 2 "--steps applies to --data" quantize $net --table in/t.dct --steps 8 --state in/state.json -o out/t.onnx
refuses "no step" 2 "--steps" calibrate $net --data ids=in/ids.npy --steps 0 --state in/state.json -o out/t.dct
refuses "more steps than tokens" 12 "has 9 positions on axis 1 of the input 'ids'; 10 steps of 1 need 10" \
  calibrate $net --data ids=in/ids.npy --steps 10 --state in/state.json -o out/t.dct

# refuses_map SENTENCE TEXT MAP
refuses_map() {
  echo "$3" >in/map.json
  refuses "$1" 13 "$2" calibrate $net --data ids=in/ids.npy --steps 8 --state in/map.json -o out/t.dct
}
refuses_map "an input fed twice" "the input 'past_keys' is fed twice, by 'keys' and 'values'" \
  '{"feeds": {"keys": "past_keys", "values": "past_keys"}}'
refuses_map "an output fed twice" '"keys" is given twice' '{"feeds": {"keys": "past_keys", "keys": "past_values"}}'
refuses_map "an unknown output" "no output 'key'; its outputs are 'logits', 'keys', 'values'" '{"feeds": {"key": "past_keys"}}'
refuses_map "an unknown input" "no input 'past'" '{"feeds": {"keys": "past"}}'
refuses_map "shapes that do not fit" "their shapes are ?x?x12 and ?x?x16" '{"feeds": {"logits": "past_keys"}}'
refuses_map "types that do not fit" "their types are float and int64" '{"feeds": {"logits": "ids"}}'
refuses_map "an axis of samples" "axis 0 counts samples" \
  '{"feeds": {"keys": "past_keys", "values": "past_values"}, "cut": {"ids": 0}}'
refuses_map "not JSON" "ends in the middle" '{"feeds":'
echo '{"feeds": {"keys": "past_keys"}, "cut": {"ids": 1}}' >in/map.json
refuses "an input without anything" 2 "there is no --data for the input 'past_values'" \
  calibrate $net --data ids=in/ids.npy --steps 8 --state in/map.json -o out/t.dct

finish
