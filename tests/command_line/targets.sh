#!/bin/sh
# Several targets: files that a run for each alone writes, one document, a page each, one table, refusals before work.
. "$(dirname "$0")/expect.sh"
both="--target tensorrt --target onnxruntime"
files="out/m.tensorrt.onnx out/m.onnxruntime.onnx"

accepts "two targets" $quantize_sample --calibrator mse $both -o out/m.onnx --json out/m.json --html out/m.html
[ "$(cd out && echo *)" = "m.json m.onnxruntime.html m.onnxruntime.onnx m.tensorrt.html m.tensorrt.onnx" ] || fail "other files: $(ls out)"
for line in '^wrote out/m.tensorrt.onnx .* for tensorrt:' '^wrote out/m.onnxruntime.onnx .* for onnxruntime:' '^2 targets in '; do
  grep -q -e "$line" stdout || fail "the text lacks '$line'"
done
grep -q '"schema": "urn:detent:quantize-targets:' out/m.json || fail "--json is another document"
[ "$(grep -c '"schema": "urn:detent:quantize:' out/m.json)" -eq 2 ] || fail "--json lacks a target"
for target in tensorrt onnxruntime; do
  accepts "$target alone" $quantize_sample --calibrator mse --target $target -o in/alone.onnx --overwrite
  cmp -s in/alone.onnx out/m.$target.onnx || fail "$target: a run alone writes other bytes"
  grep -q "for $target:" out/m.$target.html || grep -q "target $target:" out/m.$target.html || fail "$target: its page is of another target"
done
refuses_all() {
  sentence=$1 expected=$2 text=$3
  shift 3
  find out -type f -exec md5sum {} + | sort >before
  run "$@"
  [ "$code" -eq "$expected" ] || fail "$sentence: exit $code, expected $expected"
  says "$sentence" "$text"
  find out -type f -exec md5sum {} + | sort | cmp -s - before || fail "$sentence: a file was changed"
}
refuses_all "files that exist" 15 'm.tensorrt.onnx: exists already' $quantize_sample $both -o out/m.onnx
rm out/m.tensorrt.onnx
refuses_all "the second file exists" 15 'm.onnxruntime.onnx: exists already' $quantize_sample $both -o out/m.onnx
refuses_all "a page that exists" 15 'm.tensorrt.html: exists already' $quantize_sample $both -o out/new.onnx --html out/m.html
accepts "--overwrite" $quantize_sample --calibrator mse $both -o out/m.onnx --html out/m.html --overwrite
rm -f out/*

# One target: the name as given, also in a configuration.
accepts "one target" $quantize_sample --calibrator max --target onnxruntime -o out/one.int8
[ "$(ls out)" = one.int8 ] || fail "one target: other files"
rm out/*
accepts "a version" $quantize_sample --calibrator max --target tensorrt:8.6 --target tensorrt:11 -o out/v.onnx
[ "$(cd out && echo *)" = "v.tensorrt-11.onnx v.tensorrt-8.6.onnx" ] || fail "other names of versions: $(ls out)"
rm out/*
printf '[quantize]\ntarget = ["tensorrt", "onnxruntime"]\n' >in/config.toml
accepts "targets of a configuration" $quantize_sample --calibrator max -o out/m.onnx --config in/config.toml
[ "$(cd out && echo *)" = "m.onnxruntime.onnx m.tensorrt.onnx" ] || fail "a configuration: other files"
rm out/*
# The worst target decides.
run $quantize_sample --calibrator mse $both --min-sqnr 36 --policy exclude-op=Conv --policy exclude-op=ConvTranspose -o out/m.onnx
[ "$code" -eq 0 ] || fail "nothing is quantized: exit $code"
rm out/*
run $quantize_sample --calibrator percentile:20 $both -o out/m.onnx
[ "$code" -eq 1 ] || fail "broken models: exit $code"
says "broken models" 'target tensorrt:'
rm out/*

# refuses_option SENTENCE ARG...: int16 is warned of for onnxruntime and refused for tensorrt, before any work.
refuses_option() {
  sentence=$1
  shift
  run "$@" --activation int16
  [ "$code" -eq 13 ] || fail "$sentence: exit $code, expected 13"
  sed -i '/^detent: warning: int16 activations on onnxruntime/d' stderr
  says "$sentence" 'target tensorrt: '
  leaves_nothing "$sentence"
}
refuses "the same target twice" 2 'names tensorrt twice' $quantize_sample --target tensorrt --target tensorrt -o out/m.onnx
refuses "two spellings of a target" 2 'are the same target' $quantize_sample --target tensorrt --target tensorrt:10.13 -o out/m.onnx
refuses "an output without .onnx" 2 'must end in .onnx' $quantize_sample $both -o out/m
refuses "an unknown target" 2 "there is no target 'tensort'" $quantize_sample --target onnxruntime --target tensort -o out/m.onnx
refuses_option "an option that the second target refuses" $quantize_sample --target onnxruntime --target tensorrt -o out/m.onnx
refuses "--stop-after" 2 'takes one --target' $quantize_sample $both --stop-after plan -o out/m.onnx
cp "$model" in/own.tensorrt.onnx
refuses "the model in place of an output" 15 'reads' quantize in/own.tensorrt.onnx --quiet --data "$six" --preprocess $preprocess $both -o in/own.onnx --overwrite
cmp -s "$model" in/own.tensorrt.onnx || fail "the model was replaced"

# Ctrl-C: no file of the set is left.
begins quantize "$model" --quiet --data $endless $both -o out/m.onnx
once "endless samples" computes
kill -INT $pid
ends "endless samples" 130
leaves_nothing "endless samples"
echo old >out/m.tensorrt.onnx
begins quantize "$model" --quiet --data $endless $both -o out/m.onnx --overwrite
once "endless samples over an older file" computes
kill -HUP $pid
ends "endless samples over an older file" 130
[ "$(ls out)" = m.tensorrt.onnx ] && [ "$(cat out/m.tensorrt.onnx)" = old ] || fail "the older file is not the only one: $(ls -A out)"
rm -f out/*
# An output of one target that is another output of the run.
for one in "--json=out/m.tensorrt.onnx" "--html out/m.onnx --json=out/m.tensorrt.html"; do
  # shellcheck disable=SC2086
  refuses "two outputs of one name: $one" 15 'names what' $quantize_sample $both -o out/m.onnx $one
done

# compare --targets.
judged="compare $model --quiet --data $six --preprocess $preprocess --eval $sample/eval/images --eval-limit 4"
accepts "a table of targets" $judged --targets tensorrt,onnxruntime --json out/c.json --html out/c.html
for line in 'judged 2 targets on 4 samples' '^tensorrt:.* weighted layers INT8' '^kept float: ' '^  Target .* INT8 MACs  INT8 layers  Float$' \
  '^[ *] tensorrt:[0-9.]* (.*)' '^[ *] onnxruntime:[0-9.]* (.*)' '^\* best by SQNR: [a-z]*:[0-9.]*$'; do
  grep -q -e "$line" stdout || fail "the table lacks '$line'"
done
for key in '"schema": "urn:detent:compare-targets:' '"float_layers"' '"coverage"' '"size_bytes"'; do
  grep -q -e "$key" out/c.json || fail "--json lacks $key"
done
for word in 'Comparison of targets' 'stay float'; do grep -q -e "$word" out/c.html || fail "the page lacks '$word'"; done
rm out/*
accepts "targets and calibrators" $judged --targets tensorrt,onnxruntime --calibrators max,mse
grep -q 'judged 4 variants of 2 targets' stdout || fail "not every target has every calibrator"
refuses "a target twice" 2 'names tensorrt twice' $judged --targets tensorrt,tensorrt
refuses "--target beside --targets" 2 'does not go with --targets' $judged --targets tensorrt,onnxruntime --target onnxruntime
refuses "--layers beside --targets" 2 'does not apply to --targets' $judged --targets tensorrt,onnxruntime --layers 2
refuses_option "an option that the second target refuses" $judged --targets onnxruntime,tensorrt

finish
