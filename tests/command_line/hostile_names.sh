#!/bin/sh
# Harmful names, files and calls: shown escaped, kept in their folder, refused with the bound that they break.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

head='<ir_version: 8, opset_import: ["" : 13, "f" : 1]>'
write() { printf '%s %s' "$head" "$2" | "$WRITE_MODEL" "in/$1.onnx" || fail "in/$1.onnx cannot be made"; }
# patch FROM TO NAME: the same model with another name of as many bytes, which the text form cannot hold.
patch() { LC_ALL=C sed "s|$1|$2|g" in/plain.onnx >"in/$3.onnx"; }
random='--data random:normal,n=2 --quiet -o out/run'
escape=$(printf '\033')

# Names of outputs as files.
write plain 'g (float[1,4] x) => (float[1,4] first__, float[1,4] second_) { first__ = Relu (x) second_ = Sqrt (x) }'
accepts "ordinary names" run in/plain.onnx $random
[ "$(ls out/run | tr '\n' ' ')" = 'first__.npy second_.npy ' ] || fail "ordinary names: $(ls out/run)"
rm -rf out/*
patch first__ '../../x' up
accepts "a name that climbs" run in/up.onnx $random
[ "$(ls out/run | tr '\n' ' ')" = '.._.._x.npy second_.npy ' ] || [ -e out/run/.._.._x.npy ] || fail "a name that climbs: $(ls -A out/run)"
[ ! -e x.npy ] || fail "a name that climbs left the folder"
rm -rf out/*
patch first__ '/tmp/zz' absolute
accepts "an absolute name" run in/absolute.onnx $random
[ -e out/run/_tmp_zz.npy ] || fail "an absolute name: $(ls -A out/run)"
rm -rf out/*
patch first__ 'second/' collision
accepts "names that are the same as files" run in/collision.onnx $random
[ "$(ls out/run | LC_ALL=C sort | tr '\n' ' ')" = 'second_.npy second__2.npy ' ] || fail "names that are the same as files: $(ls out/run)"
cmp -s out/run/second_.npy out/run/second__2.npy && fail "names that are the same as files: one output twice"
rm -rf out/*
long=$(printf '%0300d' 0 | tr 0 n)
write long "g (float[1,4] x) => (float[1,4] $long) { $long = Relu (x) }"
accepts "a name of 300 characters" run in/long.onnx $random
[ "$(ls out/run | wc -l)" -eq 1 ] || fail "a name of 300 characters: $(ls out/run)"
rm -rf out/*

# Control sequences of a terminal.
patch first__ "$escape[31mAB" colour
accepts "a name that colours the terminal" plan in/colour.onnx
grep -q "$escape" stdout && fail "plan wrote a terminal escape"
LC_ALL=C sed "s/Relu/R$escape[m/" in/plain.onnx >in/operator.onnx
refuses "an operator that colours the terminal" 11 'R\x1b[m' run in/operator.onnx $random
grep -q "$escape" stderr && fail "an error message wrote a terminal escape"

# Pipes and devices.
mkfifo in/pipe
refuses "a pipe as a model" 10 'not a regular file' inspect in/pipe
refuses "a device as a model" 10 'not a regular file' plan /dev/zero
mkfifo in/pipe.npy
refuses "a pipe as data" 12 'not a regular file' run in/plain.onnx --data in/pipe.npy --quiet -o out/run
refuses "a pipe as a table" 12 'is not a regular file' quantize "$model" --table in/pipe --quiet -o out/model.onnx

# Calls of functions.
function() { printf ' <domain: "f", opset_import: ["" : 13, "f" : 1]> %s (a) => (b) { %s }' "$1" "$2"; }
call='g (float[1,4] x) => (float[1,4] y) { y = f.f0 (x) }'
write once "$call$(function f0 'b = f.f1 (a)')$(function f1 'b = Relu (a)')"
accepts "a function in a function" inspect in/once.onnx
write circle "$call$(function f0 'b = f.f1 (a)')$(function f1 'b = f.f0 (a)')"
refuses "functions in a circle" 10 'calls itself' inspect in/circle.onnx
chain() { # DEPTH BODY: f0 calls f1 ..., each by BODY
  text=$call i=0
  while [ "$i" -lt "$1" ]; do
    text="$text$(function "f$i" "$(echo "$2" | sed "s/NEXT/f$((i + 1))/g")")"
    i=$((i + 1))
  done
  echo "$text$(function "f$1" 'b = Relu (a)')"
}
write near "$(chain 99 'b = f.NEXT (a)')"
accepts "functions 100 deep" inspect in/near.onnx
write deep "$(chain 100 'b = f.NEXT (a)')"
refuses "functions 101 deep" 10 'deeper than 100' inspect in/deep.onnx
write doubled "$(chain 30 't = f.NEXT (a) b = f.NEXT (t)')"
refuses "functions that double thirty times" 10 'more than 1000000 nodes' inspect in/doubled.onnx
write sixfold "$(chain 6 't = f.NEXT (a) b = f.NEXT (t)')"
accepts "functions that double six times" inspect in/sixfold.onnx

# Brackets.
accepts "no overrides" quantize "$model" --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 1 \
  --calibrator max -o out/model.onnx
rm -rf out/*
printf '%0100000d' 0 | tr 0 '[' >in/deep.json
refuses "brackets 100 000 deep" 13 'deeper than 100' quantize "$model" --quiet --data "$sample/calib" \
  --preprocess "$preprocess" --limit 1 --override in/deep.json -o out/model.onnx
printf '[plan]\ntarget = "onnxruntime"\n' >in/flat.toml
accepts "a section" plan in/plain.onnx --config in/flat.toml
{ printf '[a'; printf '%0100000d' 0 | sed 's/0/.a/g'; printf ']\nx = 1\n'; } >in/deep.toml
refuses "sections 100 000 deep" 2 'nested deeper than 2' plan in/plain.onnx --config in/deep.toml
finish
