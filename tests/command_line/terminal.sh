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

# A terminal shows the verdict with the next command first, the rest below a rule; colours unless NO_COLOR is set.
export TERM=xterm NO_COLOR=1
on 80 "$quantize -o in/first.onnx"
head -n 1 stdout | grep -q '^verdict: ' || fail "a terminal does not begin with the verdict: $(head -n 1 stdout)"
grep -n '^--------' stdout | grep -q . || fail "no rule stands between the verdict and the rest"
rule=$(grep -n '^--------' stdout | cut -d : -f 1)
[ "$(grep -n '^wrote ' stdout | cut -d : -f 1)" -lt "$rule" ] || fail "the written file stands below the rule"
[ "$(grep -n '^kept float: ' stdout | head -n 1 | cut -d : -f 1)" -gt "$rule" ] || fail "a detail stands above the rule"
grep -q "$(printf '\033')" stdout && fail "NO_COLOR is set, and there are colours"
grep -q '^took [0-9.]* s: ' stdout || fail "nothing accounts for the seconds"
unset NO_COLOR
on 80 "$quantize -o in/colours.onnx"
grep -q "$(printf '\033\\[2m')" stdout || fail "the rest is not quieter"
accepts "a file has no colours" quantize "$model" --data "$sample/calib" --preprocess $preprocess --limit 8 --accuracy fast --quiet \
  --target onnxruntime -o in/plain.onnx
grep -q "$(printf '\033')" stdout && fail "a file has colours"
tail -n 2 stdout | grep -q -e '^verdict: ' -e '^  ' || fail "a file does not end with the verdict"
finish
