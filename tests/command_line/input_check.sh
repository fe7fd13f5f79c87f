#!/bin/sh
# The look at the input: what it says, and the command that it prints.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

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

# The command of quantize keeps what else was asked for, and runs.
accepts "another target" quantize "$model" --data $sample/calib --preprocess unit,div=1 --limit 12 --accuracy fast --target onnxruntime \
  --policy concat=inputs --exclude head --accept-broken --quiet -o out/raw.onnx
command_line | grep -q -- '--target onnxruntime --exclude head --policy concat=inputs -o' || fail "the command is: $(command_line)"
command_line | grep -q 'color=bgr' && fail "pictures that do not tell colours apart get others: $(command_line)"
eval "set -- $(command_line | sed 's/^detent //')"
accepts "the command that is offered" "$@" --quiet --overwrite
rm -f shapes_unet.int8.onnx "$(basename "$model" .onnx).int8.onnx" out/raw.onnx

# A network that paints pictures of 0 to 255 whatever comes, and its twin whose pictures have another scale.
# painter NAME FACTOR SHIFT
painter() {
  network "$1" "(float[1, 3, 128, 128] x) => (float[1, 3, 128, 128] y)" "
    mean = ReduceMean <axes = [1, 2, 3]> (x)
    apart = Sub (x, mean)
    square = Mul (apart, apart)
    variance = ReduceMean <axes = [1, 2, 3]> (square)
    deviation = Sqrt (variance)
    even = Div (apart, deviation)
    factor = Constant <value = float {$2}> ()
    shift = Constant <value = float {$3}> ()
    painted = Mul (even, factor)
    y = Add (painted, shift)"
}
painter painter 50 120
painter twin 0.2 0.5
accepts "pixels from 0 to 1 for pictures of 0 to 255" inspect in/painter.onnx --data $sample/calib --preprocess unit
checked | grep -q "input: doubtful: output 'y' is a picture of pixels from 0 to 255" || fail "a painter's input is: $(checked)"
command_line | grep -q 'div=1\|raw' || fail "the painter's command is: $(command_line)"
accepts "its own pixels" inspect in/painter.onnx --data $sample/calib --preprocess unit,div=1
checked | grep -q 'input: good' || fail "a painter's own input is: $(checked)"
accepts "pictures of another scale" inspect in/twin.onnx --data $sample/calib --preprocess unit
checked | grep -q 'input: good' || fail "the input of the painter's twin is: $(checked)"

# Pictures in grey have no colours to exchange, but scales.
network grey "(float[1, 1, 128, 128] x) => (float[1, 1, 128, 128] y)" "y = Tanh (x)"
accepts "grey pictures" inspect in/grey.onnx --data $sample/calib --preprocess unit,mean=.45,std=.22,color=gray
checked | grep -q 'input: good' || fail "grey pictures are: $(checked)"

# Of several targets each report has it.
accepts "two targets" quantize "$model" --data $sample/calib --preprocess $preprocess --limit 12 --accuracy fast --target onnxruntime --target tensorrt --accept-broken --quiet -o out/m.onnx --json out/m.json
[ "$(grep -c '"input_check"' out/m.json)" -eq 2 ] || fail "$(grep -c '"input_check"' out/m.json) of two reports look at the input"
# A stage has no verdict, and needs no look.
accepts "a stage" quantize "$model" --data $sample/calib --preprocess $preprocess --limit 4 --stop-after ranges --quiet -o out/ranges.csv
finish
