#!/bin/sh
# The look at the input: what it says, and the command that it prints.
. "$(dirname "$0")/expect.sh"

# checked: the line of the look at the input, of inspect or of quantize.
checked() { grep '^ *input: ' stdout | head -n 1; }
# command: the command that it offers.
command_line() { sed -n 's/^ *next: //p' stdout | head -n 1; }

accepts "the preprocessing of the training" inspect "$model" --data $sample/calib --preprocess $preprocess
checked | grep -q 'input: good: answers tell 24 samples apart by [0-9.]* nats' || fail "right pixels are: $(checked)"
command_line | grep -q -- "--preprocess '*$preprocess" || fail "the command is: $(command_line)"

# Pixels of another scale: the command has the cure, and each key once.
accepts "pixels from 0 to 255, colours exchanged" inspect "$model" --data $sample/calib --preprocess unit,color=bgr,div=1
checked | grep -q 'input: wrong: the first normalizations saw other pixels in training: with ' || fail "wrong pixels are: $(checked)"
for key in color div mean std; do
  times=$(command_line | tr ', ' '\n\n' | grep -c "^$key=")
  [ "$times" -le 1 ] || fail "the command has $key $times times: $(command_line)"
done
cure=$(command_line | sed "s/.*--preprocess '*\([^ ']*\).*/\1/")
accepts "the cure" inspect "$model" --data $sample/calib --preprocess "$cure"
checked | grep -q 'input: good' || fail "the cure '$cure' is: $(checked)"

# Of several targets each report has it.
accepts "two targets" quantize "$model" --data $sample/calib --preprocess $preprocess --limit 12 --accuracy fast --target onnxruntime --target tensorrt --accept-broken --quiet -o out/m.onnx --json out/m.json
[ "$(grep -c '"input_check"' out/m.json)" -eq 2 ] || fail "$(grep -c '"input_check"' out/m.json) of two reports look at the input"
# A stage has no verdict, and needs no look.
accepts "a stage" quantize "$model" --data $sample/calib --preprocess $preprocess --limit 4 --stop-after ranges --quiet -o out/ranges.csv
finish
