#!/bin/sh
# SIGBUS: a mapped file that becomes shorter gives a message; every other SIGBUS ends the program as the system does.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${EDIT_MODEL:?the program that breaks them}"
ulimit -c 0

# Every trip of the Loop reads 4 MB of weights from their file: the model, or the data beside it.
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,1] x) => (float[N] y)
 <int64 m = {1099511627776}, bool t = {1}, float[1,1] w = {1}, int64[2] s = {1024, 1024}> {
   big = Expand (x, s)
   y = Loop <body = b (int64 i, bool c, float[1024,1024] v) => (bool d, float[1024,1024] u) { d = Identity (c) u = Add (v, w) }> (m, t, big) }' |
  "$WRITE_MODEL" in/one.onnx
"$EDIT_MODEL" in/one.onnx in/dims.onnx dims w 1024,1024
"$EDIT_MODEL" in/dims.onnx in/beside.onnx external w w.bin 0 4194304
head -c 4194304 /dev/zero | tr '\000' '<' >in/w.bin
loop() { begins run "$1" --data random:normal,n=2 --threads 1 --quiet -o out && once "a Loop of 2^40 trips" computes; }

loop in/beside.onnx
kill -BUS $pid
ends "a signal of another process" 135
[ ! -s stderr ] || fail "a signal of another process gives: $(cat stderr)"
rm -rf out/* out/.[!.]* # no program cleans up behind such an end

loop in/beside.onnx
: >in/w.bin
ends "a data file that is cut" 10
says "a data file that is cut" "became shorter"
leaves_nothing "a data file that is cut"
finish
