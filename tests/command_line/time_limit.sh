#!/bin/sh
# --time-limit and Ctrl-C end a search with the best file so far and a table with the samples so far; --progress json.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
network net "(float[N, 3, 32, 32] x) => (float[N, 10] y)" "
  $(weight w1 8,3,3,3 216) $(weight w2 8,8,3,3 576) $(weight w3 8,8,3,3 576) $(weight w4 10,8 80)
  a = Conv <pads = [1, 1, 1, 1]> (x, w1)
  b = Relu (a)
  c = Conv <pads = [1, 1, 1, 1]> (b, w2)
  d = Relu (c)
  e = Conv <pads = [1, 1, 1, 1]> (d, w3)
  f = Add (e, b)
  p = GlobalAveragePool (f)
  q = Flatten (p)
  y = Gemm <transB = 1> (q, w4)"
net=in/net.onnx
many="--data random:normal,n=4000 --threads 1"
few="--data random:normal,n=16 --threads 1 --policy small-layers=quantize"

# exits SENTENCE CODE ARG...: the program ends with the code.
exits() {
  sentence=$1 code=$2
  shift 2
  status=0
  "$DETENT" "$@" >stdout 2>stderr || status=$?
  [ $status -eq "$code" ] || fail "$sentence: exit status $status, not $code: $(cat stderr)"
}
first_line() { head -n 1 stdout | grep -q -e "$2" || fail "$1: the first line is '$(head -n 1 stdout)'"; }

# A limit that is over before the search begins: the file has the calibrator that needs no measurement.
exits "a short limit" 0 quantize $net $few --accuracy best --time-limit 0.01s --accept-broken -o out/short.onnx --json out/short.json
first_line "a short limit" "^ended by the time limit; the result is the best so far, without: .*equalization"
grep -q '"stopped": "time limit"' out/short.json || fail "the document does not say what stopped the work"
grep -q '"rounding of weights"' out/short.json || fail "the document does not list what was left out"
[ -s out/short.onnx ] || fail "a short limit leaves no file"
"$DETENT" lint out/short.onnx >/dev/null || fail "the file of a short limit has findings"

# A limit that is not reached changes nothing.
exits "no limit" 0 quantize $net $few --accept-broken -o out/whole.onnx --json out/whole.json
exits "a long limit" 0 quantize $net $few --time-limit 2h --accept-broken -o out/long.onnx --json out/long.json
cmp -s out/whole.onnx out/long.onnx || fail "a limit that is not reached changes the file"
if grep -q '"stopped"' out/long.json; then fail "a search that ran to its end is said to be stopped"; fi

# Tables have the samples of the time.
exits "sensitivity" 0 sensitivity $net $few --eval random:normal,n=100000,seed=2 --time-limit 1s --json out/layers.json
first_line "sensitivity" "^ended by the time limit"
grep -q '"stopped": "time limit"' out/layers.json || fail "sensitivity does not say what stopped it"
samples=$(sed -n 's/.*"evaluation_samples": \([0-9]*\).*/\1/p' out/layers.json | head -n 1)
[ "$samples" -ge 1 ] && [ "$samples" -lt 100000 ] || fail "sensitivity judged $samples samples"
exits "compare" 0 compare $net $few --eval random:normal,n=100000,seed=2 --calibrators max,mse --time-limit 1s
first_line "compare" "^ended by the time limit"
exits "compare-types" 0 compare-types $net $few --eval random:normal,n=100000,seed=2 --types int8,fp8 --time-limit 1s --target tensorrt
first_line "compare-types" "^ended by the time limit"

# The calibration pass is cut, too.
exits "a pass that is too long" 0 quantize $net --data random:normal,n=1000000 --threads 1 --time-limit 1s --accept-broken -o out/cut.onnx --json out/cut.json
samples=$(sed -n 's/^  "samples": \([0-9]*\).*/\1/p' out/cut.json)
[ "$samples" -ge 1 ] && [ "$samples" -lt 1000000 ] || fail "the pass took $samples samples"

# Ctrl-C once there is a choice: the file is written, exit 130.
begins quantize $net $few --min-sqnr 200 --eval random:normal,n=40000,seed=2 --progress json -o out/stopped.onnx
once "the bound is looked for" grep -q '"name":"bound"' stderr
kill -INT $pid
ends "Ctrl-C" 130
grep -q "what was found so far is reported" stderr || fail "Ctrl-C is not explained: $(cat stderr)"
first_line "Ctrl-C" "^interrupted; the result is the best so far"
[ -s out/stopped.onnx ] || fail "Ctrl-C leaves no file"

# Of several targets, too.
begins quantize $net $few --target tensorrt --target onnxruntime --min-sqnr 200 --eval random:normal,n=40000,seed=2 --progress json -o out/both.onnx
once "the bound is looked for" grep -q '"name":"bound"' stderr
kill -INT $pid
ends "Ctrl-C with two targets" 130
[ -s out/both.tensorrt.onnx ] && [ -s out/both.onnxruntime.onnx ] || fail "Ctrl-C with two targets leaves not both files"

# Once the values are measured a signal in the choice of a calibrator leaves a file, and nothing is explained at length.
begins quantize $net $few --min-sqnr 200 --eval random:normal,n=40000,seed=2 --progress json -o out/early.onnx
once "the calibrator is chosen" grep -q '"name":"calibrator and ruinous layers"' stderr
kill -TERM $pid
ends "SIGTERM in the choice" 130
[ -s out/early.onnx ] || fail "SIGTERM in the choice leaves no file"
first_line "SIGTERM in the choice" "^interrupted; the result is the best so far, without: .*bound"
if grep -q "looking for the values that cost most" stderr; then fail "an interrupted run looks for causes"; fi

# Ctrl-C before: nothing.
begins quantize $net $many --progress json -o out/none.onnx
once "the pass runs" grep -q '"task":"calibrating"' stderr
kill -INT $pid
ends "Ctrl-C in the pass" 130
[ ! -e out/none.onnx ] || fail "Ctrl-C in the pass leaves a file"

# Events are objects, one a line.
exits "events" 0 quantize $net $few --accept-broken --progress json -o out/events.onnx
grep -q '^{"event":"step","step":1,"steps":[0-9]*,"name":"measuring values","elapsed":' stderr || fail "no step is told"
if grep -qv '^{"event":.*}$' stderr; then fail "a line of --progress json is no object: $(grep -v '^{' stderr | head -n 1)"; fi
exits "no events" 0 quantize $net $few --quiet --accept-broken --progress json -o out/quiet.onnx
if grep -q '"event"' stderr; then fail "--quiet has events"; fi
for wrong in 30 0s -1s 10d 1e9h; do
  exits "--time-limit $wrong" 2 quantize $net $few --time-limit=$wrong -o out/none.onnx
  grep -q "is not a time such as 30s, 10m or 2h" stderr || fail "--time-limit $wrong is not explained"
done
exits "--progress xml" 2 quantize $net $few --progress xml -o out/none.onnx
finish
