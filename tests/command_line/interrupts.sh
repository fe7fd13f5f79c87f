#!/bin/sh
# Ctrl-C ends long work within a second and keeps no half file; the program names slow nodes before.
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
# One thread: steps last as long on any number of processors.
data='--data random:normal,n=2 --threads 1 -o out'
now() { echo $(($(date +%s%N) / 1000000)); }

# interrupted EVENT SENTENCE ARG...: SIGTERM after EVENT ends it with code 130, within a second in one of ten tries on
# a busy machine.
interrupted() {
  event=$1 sentence=$2
  shift 2
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    begins "$@"
    once "$sentence" $event
    begin=$(now)
    kill -TERM $pid
    ends "$sentence" 130
    took=$(($(now) - begin))
    sed -i '/^detent: warning: /d' stderr
    says "$sentence" interrupted
    [ $took -gt 1000 ] || return
  done
  fail "$sentence: it went on for $took ms"
}
body='body = b (int64 i, bool c, float[1,4] v) => (bool d, float[1,4] w) { d = Identity (c) w = Add (v, v) }'
model_of in/loop.onnx "<int64 m = {1099511627776}, bool t = {1}> { y = Loop <$body> (m, t, x) }"
interrupted computes "a Loop of 2^40 trips" run in/loop.onnx $data --quiet
leaves_nothing "a Loop of 2^40 trips"
interrupted computes "the same while it is calibrated" calibrate in/loop.onnx $data/table.dct --quiet
says "the same while it is calibrated" "out/table.dct.partial holds the 0 samples done"
rm -f out/table.dct.partial
leaves_nothing "the same while it is calibrated"

# A single step that cannot be divided: 3001 x 3001 outputs of 2000 x 2000 multiply-adds each are 3.6e13, two hours at
# 10 GFLOP/s. The process ends within a second all the same, and keeps no half file.
hours='p = Conv (big, w)'
hours_shapes='int64[4] i = {1, 1, 5000, 5000}, int64[4] k = {1, 1, 2000, 2000}'
model_of in/hours.onnx "<$hours_shapes> { z = ReduceMax (x) big = Expand (z, i) w = Expand (z, k) $hours y = ReduceMax (p) }"
says_of_hours() { grep -qF "(Conv, output 1x1x3001x3001) takes 3.6e+13 multiply-adds for one sample, about 2.0 hours at 10 GFLOP/s" stderr; }
interrupted says_of_hours "a step of hours" run in/hours.onnx $data --quiet
leaves_nothing "a step of hours"
interrupted says_of_hours "the same while it is quantized" quantize in/hours.onnx $data/model.onnx --quiet
leaves_nothing "the same while it is quantized"
# calibrate keeps its table: it would finish the step, and ends with the second signal.
begins calibrate in/hours.onnx $data/table.dct --quiet
once "a step of hours" says_of_hours
kill -INT $pid
once "calibrate tells what it waits for" grep -q "the running step is finished first" stderr
kill -INT $pid
ends "a second Ctrl-C" 130
leaves_nothing "a second Ctrl-C"

# tells SENTENCE TEXT ARG...: stderr says TEXT while the program runs; it is then ended.
tells() {
  sentence=$1 text=$2
  shift 2
  begins "$@"
  once "$sentence" grep -q -e "$text" stderr
  kill -TERM $pid
  ends "$sentence" 130
}
# 1.7e12 multiply-adds: ten seconds of the fastest processor.
model_of in/long.onnx '<int64[2] s = {12000, 12000}> { z = ReduceMax (x) big = Expand (z, s) p = MatMul (big, big) y = ReduceMax (p) }'
node=$("$DETENT" inspect in/long.onnx --json | grep -o 'MatMul_[0-9]*' | head -n 1)
tells "a product of many seconds" "running 0/2: node '${node:-MatMul_2}' (MatMul, output 12000x12000) has been running for [0-9]* s" run in/long.onnx $data
grep -qF 'warning' stderr && fail "a product of seconds is no reason to warn"
tells "a Loop of 2^40 trips" "(Loop) has been running for" run in/loop.onnx $data
# One step inside the Loop is the slow one.
slow_body="body = b (int64 n, bool c, float[1,4] v) => (bool d, float[1,4] u) { d = Identity (c) z = ReduceMax (v) big = Expand (z, i) w = Expand (z, k) $hours u = ReduceMax (p) }"
model_of in/inside.onnx "<$hours_shapes, int64 m = {2}, bool t = {1}> { y = Loop <$slow_body> (m, t, x) }"
tells "a step inside a Loop" "(Conv, output 1x1x3001x3001) has been running for" run in/inside.onnx $data
begins run in/hours.onnx $data --quiet
once "a convolution of hours, before it is done" says_of_hours
kill -TERM $pid
ends "a convolution of hours, before it is done" 130
finish
