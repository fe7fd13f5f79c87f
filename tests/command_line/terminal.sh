#!/bin/sh
# The text report fits a terminal, and stays one line a statement in a file or pipe.
. "$(dirname "$0")/expect.sh"
command -v script >/dev/null || { echo "skipped: no program 'script'"; exit 77; }

# on COLUMNS ARGUMENT... -> stdout: what a terminal of that width shows.
on() {
  columns=$1
  shift
  script -qec "stty cols $columns; '$DETENT' $*" /dev/null </dev/null | tr -d '\r' >stdout
}
quantize="quantize '$model' --data '$sample/calib' --preprocess $preprocess --limit 8 --accuracy fast --quiet --target onnxruntime"

on 60 "$quantize -o in/narrow.onnx"
[ "$(grep -v '   ' stdout | awk '{ if (length > most) most = length } END { print most }')" -le 60 ] ||
  fail "a line is wider than the terminal"
grep -q '^kept float: ' stdout || fail "the report is not shown"
accepts "the same in a file" quantize "$model" --data "$sample/calib" --preprocess $preprocess --limit 8 --accuracy fast --quiet \
  --target onnxruntime -o in/file.onnx
for line in 'kept float: .* (--policy small-layers=quantize overrides)$' '^verdict: .*)$'; do
  grep -q "$line" stdout || fail "a line of the file is broken: $line"
done

# A command to copy is not broken.
on 40 "quantize '$model' --data '$sample/calib' --preprocess $preprocess --accuracy fast --quiet -o in/engine.onnx"
grep -q '^  next: trtexec --onnx=in/engine.onnx --int8 --fp16 --saveEngine=in/engine.engine$' stdout || fail "the command is broken"
finish
