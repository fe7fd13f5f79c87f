#!/bin/sh
# Ctrl-C ends what would last, within a second, and keeps no half file; before, the program says what it waits for.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
if [ -n "${TSAN_OPTIONS-}" ]; then
  echo "SKIPPED: ThreadSanitizer hands a signal over when the thread next calls a library, which may be after hours of one product"
  exit 77
fi

# model_of FILE TEXT: a model of opset 17 with one float input x of 1x4.
model_of() {
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,4] x) => (float[N] y) %s' "$2" | "$WRITE_MODEL" "$1"
}
data='--data random:normal,n=2 --quiet -o out'
# interrupted SENTENCE ARG...: Ctrl-C after a second, and the program is gone within another with code 130.
interrupted() {
  sentence=$1
  shift
  cases=$((cases + 1))
  "$DETENT" "$@" >stdout 2>stderr </dev/null &
  pid=$!
  sleep 1
  kill -TERM $pid || fail "$sentence: it ended before it was interrupted"
  before=$(date +%s%N)
  code=0
  wait $pid || code=$?
  took=$((($(date +%s%N) - before) / 1000000))
  [ "$code" -eq 130 ] || fail "$sentence: exit $code, expected 130"
  [ "$took" -le 1000 ] || fail "$sentence: it went on for $took ms"
  says "$sentence" interrupted
}
body='body = b (int64 i, bool c, float[1,4] v) => (bool d, float[1,4] w) { d = Identity (c) w = Add (v, v) }'
model_of in/loop.onnx "<int64 m = {1099511627776}, bool t = {1}> { y = Loop <$body> (m, t, x) }"
interrupted "a Loop of 2^40 trips" run in/loop.onnx $data
leaves_nothing "a Loop of 2^40 trips"
interrupted "the same while it is calibrated" calibrate in/loop.onnx --data random:normal,n=2 --quiet -o out/table.dct
says "the same while it is calibrated" "out/table.dct.partial holds the 0 samples done"
rm -f out/table.dct.partial
leaves_nothing "the same while it is calibrated"
# A single product of 7e11 multiplications cannot be divided: the process ends all the same, and keeps no half file.
model_of in/product.onnx '<int64[2] s = {9000, 9000}> { z = ReduceMax (x) big = Expand (z, s) p = MatMul (big, big) y = ReduceMax (p) }'
interrupted "a product of seconds" run in/product.onnx $data
leaves_nothing "a product of seconds"
interrupted "the same while it is quantized" quantize in/product.onnx --data random:normal,n=2 --quiet -o out/model.onnx
leaves_nothing "the same while it is quantized"
# calibrate keeps what it has: it finishes the product, or ends with the second signal.
"$DETENT" calibrate in/product.onnx --data random:normal,n=2 --quiet -o out/table.dct >stdout 2>stderr </dev/null &
pid=$!
sleep 1
kill -INT $pid
sleep 0.7
kill -0 $pid 2>/dev/null || fail "calibrate did not finish the running step"
grep -q "the running step is finished first" stderr || fail "calibrate does not say what it waits for"
kill -INT $pid
code=0
wait $pid || code=$?
[ "$code" -eq 130 ] || fail "a second Ctrl-C: exit $code, expected 130"
leaves_nothing "a second Ctrl-C"

# tells SENTENCE TEXT ARG...: within 30 s stderr says TEXT while the program runs; it is then ended.
tells() {
  sentence=$1 text=$2
  shift 2
  cases=$((cases + 1))
  "$DETENT" "$@" >stdout 2>stderr </dev/null &
  pid=$!
  waited=0
  while ! grep -qF -e "$text" stderr && kill -0 $pid 2>/dev/null && [ $waited -lt 120 ]; do
    sleep 0.25
    waited=$((waited + 1))
  done
  kill -TERM $pid 2>/dev/null || fail "$sentence: it ended before it was told"
  wait $pid
  grep -qF -e "$text" stderr || fail "$sentence: '$text' was not said"
}
slow="--data random:normal,n=2 -o out"
model_of in/long.onnx '<int64[2] s = {12000, 12000}> { z = ReduceMax (x) big = Expand (z, s) p = MatMul (big, big) y = ReduceMax (p) }'
node=$("$DETENT" inspect in/long.onnx --json | grep -o 'MatMul_[0-9]*' | head -n 1)
tells "a product of many seconds" "running 0/2: node '${node:-MatMul_2}' (MatMul, output 12000x12000) has been running for 3 s" run in/long.onnx $slow
grep -qF 'warning' stderr && fail "a product of seconds is no reason to warn"
tells "a Loop of 2^40 trips" "(Loop) has been running for" run in/loop.onnx $slow
# One step inside the Loop is the slow one.
slow_body='body = b (int64 i, bool c, float[1,4] v) => (bool d, float[1,4] w) { d = Identity (c) z = ReduceMax (v) big = Expand (z, s) p = MatMul (big, big) w = ReduceMax (p) }'
model_of in/inside.onnx "<int64[2] s = {12000, 12000}, int64 m = {2}, bool t = {1}> { y = Loop <$slow_body> (m, t, x) }"
tells "a product inside a Loop" "(MatMul, output 12000x12000) has been running for" run in/inside.onnx $slow
# 3001 x 3001 outputs of 2000 x 2000 multiply-adds each: 3.6e13, two hours of 1e10 operations a second.
model_of in/hours.onnx '<int64[4] i = {1, 1, 5000, 5000}, int64[4] k = {1, 1, 2000, 2000}> { z = ReduceMax (x) big = Expand (z, i) w = Expand (z, k) p = Conv (big, w) y = ReduceMax (p) }'
tells "a convolution of hours, before it is done" "(Conv, output 1x1x3001x3001) takes 3.6e+13 multiply-adds for one sample, about 2.0 hours at 10 GFLOP/s" \
  run in/hours.onnx $slow --quiet
finish
