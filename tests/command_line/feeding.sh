#!/bin/sh
# The axis of an array that counts samples: inputs without a batch axis, fixed batches, and unusual domains and
# outputs.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
samples() { sed -n 's/.*calibrated \([0-9]*\) samples.*/\1/p' stdout; }
# measured N: the table of the last run holds N samples.
measured() { detent_samples=$("$DETENT" inspect "$1" --json | sed -n 's/^ *"samples": \([0-9]*\),*$/\1/p' | head -n 1); }

# A policy without a batch axis: every output depends on every feature.
network policy "(float[6] obs) => (float[2] act)" "$(weight w 6,2 12) act = MatMul (obs, w)"
array obs 8,6 1
array one 6 2
accepts "stacked samples of [6]" calibrate in/policy.onnx --quiet --data in/obs.npy -o in/policy.dct
measured in/policy.dct
[ "$detent_samples" = 8 ] || fail "an array [8,6] for an input [6] is $detent_samples samples, not 8"
accepts "one sample of [6]" calibrate in/policy.onnx --quiet --data in/one.npy -o in/one.dct
measured in/one.dct
[ "$detent_samples" = 1 ] || fail "an array [6] for an input [6] is $detent_samples samples, not 1"
accepts "shuffled" calibrate in/policy.onnx --quiet --data in/obs.npy --shuffle 5 -o in/shuffled.dct
cmp in/policy.dct in/shuffled.dct || fail "--shuffle mixes features"
"$MAKE_FILES" rows in/one.npy in/scalars
refuses "numbers for an input [6]" 12 "wants 6" calibrate in/policy.onnx --quiet --data in/scalars -o out/t.dct

# Tokens that attend to each other are one sample; rows that do not are a batch, which the model computes alike.
network tokens "(float[4, 3] x) => (float[4, 4] y)" "t = Transpose (x) y = MatMul (x, t)"
network rows "(float[4, 3] x) => (float[4, 2] y)" "$(weight w 3,2 6) y = MatMul (x, w)"
array stack 5,4,3 3
array flat 4,3 4
array long 8,3 5
accepts "a stack of token matrices" calibrate in/tokens.onnx --quiet --data in/stack.npy -o in/tokens.dct
measured in/tokens.dct
[ "$detent_samples" = 5 ] || fail "an array [5,4,3] for an input [4,3] is $detent_samples samples, not 5"
accepts "one token matrix" calibrate in/tokens.onnx --quiet --data in/flat.npy -o in/flat.dct
measured in/flat.dct
[ "$detent_samples" = 1 ] || fail "an array [4,3] for an input [4,3] without a batch is $detent_samples samples, not 1"
refuses "rows for a token matrix" 12 "no batch axis" calibrate in/tokens.onnx --quiet --data in/long.npy -o out/t.dct
says "the way out" "--batch-axis x=0"
accepts "rows for a token matrix, named" calibrate in/tokens.onnx --quiet --data in/long.npy --batch-axis x=0 -o in/named.dct
accepts "rows of a fixed batch" calibrate in/rows.onnx --quiet --data in/long.npy -o in/rows.dct
measured in/rows.dct
[ "$detent_samples" = 8 ] || fail "an array [8,3] for a fixed batch of 4 is $detent_samples samples, not 8"
refuses "a batch that is denied" 12 "no batch axis" calibrate in/rows.onnx --quiet --data in/long.npy --batch-axis x=none -o out/t.dct

# Of two readings the one that fits up to a later axis says what is wrong.
network images "(float[4, 3, 6, 6] x) => (float[4, 3, 6, 6] y)" "y = Relu (x)"
array image 3,6,7 6
array batches 5,4,3,6,7 7
refuses "one image of a batch, too wide" 12 "the array has shape 3x6x7" calibrate in/images.onnx --quiet --data in/image.npy -o out/t.dct
says "the reading that fits longest" "axis 0 of an array holds the samples"
refuses "whole batches, too wide" 12 "the array has shape 5x4x3x6x7" calibrate in/images.onnx --quiet --data in/batches.npy -o out/t.dct
says "the reading that fits longest" "the input has no batch axis"

# Nodes with edges, and frames below a window, are parts of one sample: each file is one.
network graph "(float[N, 3] nodes, int64[E] from) => (float[N, 3] y)" "$(weight w 3,3 9) a = Gather (nodes, from)
  m = ReduceSum <keepdims = 1> (a) h = Add (nodes, m) y = MatMul (h, w)"
network frames "(float[T, 3] x) => (float[1, 1, U, 3] y)" "$(weight k 1,1,3,1 3) s = Constant <value = int64[4] {1, 1, -1, 3}> ()
  r = Reshape (x, s) y = Conv (r, k)"
array nodes 8,3 8
array from 5 9 int64
accepts "a graph" calibrate in/graph.onnx --quiet --data nodes=in/nodes.npy --data from=in/from.npy -o in/graph.dct
measured in/graph.dct
[ "$detent_samples" = 1 ] || fail "8 nodes of one graph are $detent_samples samples, not 1"
accepts "frames" calibrate in/frames.onnx --quiet --data in/nodes.npy -o in/frames.dct
measured in/frames.dct
[ "$detent_samples" = 1 ] || fail "8 frames of one recording are $detent_samples samples, not 1"

# The option that cures an axis taken for samples is named; not where it cures nothing, or is given.
network clip "(float[T, 1, 1, 3] x) => (float[1, 1, U, 3] y)" "$(weight k 1,1,3,1 3) s = Constant <value = int64[4] {1, 1, -1, 3}> ()
  r = Reshape (x, s) y = Conv (r, k)"
array clip 8,1,1,3 8
array short 2,1,1,3 8
for command in "calibrate in/clip.onnx --data in/clip.npy -o out/t.dct" "quantize in/clip.onnx --data in/clip.npy -o out/t.onnx" \
  "run in/clip.onnx --data in/clip.npy -o out/r" "inspect in/clip.onnx --data in/clip.npy"; do
  refuses "$command" 10 "the window of 3 is larger" $command
  says "the way out of $command" "--batch-axis x=none: the model runs with more than one of axis 0"
done
accepts "the hint" calibrate in/clip.onnx --quiet --data in/clip.npy --batch-axis x=none -o in/clip.dct
refuses "too few for any window" 10 "the window of 3 is larger" calibrate in/clip.onnx --quiet --data in/short.npy --batch-axis x=none -o out/t.dct
grep -q 'batch-axis' stderr && fail "an option that is given is named as the cure"
network apart "(float[N, 3] x) => (float[N, 2] y)" "$(weight w 4,2 8) y = MatMul (x, w)"
refuses "a model at odds with itself" 12 "MatMul" calibrate in/apart.onnx --quiet --data in/long.npy -o out/t.dct
grep -q 'batch-axis' stderr && fail "an axis is blamed for the model's own fault"

# A fixed batch of 1, an open batch, and model-ready samples stacked once more.
network single "(float[1, 3] x) => (float[1, 2] y)" "$(weight w 3,2 6) y = MatMul (x, w)"
network open "(float[N, 3] x) => (float[N, 2] y)" "$(weight w 3,2 6) y = MatMul (x, w)"
"$MAKE_FILES" reshape in/long.npy in/ready.npy 8,1,3
for name in single open; do
  mkdir -p in/ready in/plain
  cp in/ready.npy in/ready/x.npy && cp in/long.npy in/plain/x.npy
  for form in ready plain; do accepts "$form for $name" calibrate in/$name.onnx --quiet --data in/$form/x.npy -o in/$name-$form.dct; done
  cmp in/$name-ready.dct in/$name-plain.dct || fail "$name: [8,1,3] gives another table than [8,3]"
done

# A sampling rate beside clips: one set of three clips has one rate.
network clips "(float[N, 3] x, int64 rate) => (float[N, 2] y)" "$(weight w 3,2 6) k = Cast <to = 1> (rate) s = Mul (x, k) y = MatMul (s, w)"
array rate 8 6 int64
accepts "scalars by sample" calibrate in/clips.onnx --quiet --data x=in/long.npy --data rate=in/rate.npy -o in/clips.dct

# ai.onnx is the default domain.
opset='"ai.onnx" : 13' network spelled "(float[N, 3] x) => (float[N, 2] y)" "$(weight w 3,2 6) h = ai.onnx.MatMul (x, w) y = Relu (h)"
accepts "the domain ai.onnx" quantize in/spelled.onnx --quiet --data in/long.npy --policy small-layers=quantize --accept-broken -o in/spelled.q.onnx
grep -q "1 of 1 weighted layers INT8" stdout || fail "ai.onnx.MatMul is no weighted layer"
accepts "both spellings" run in/spelled.onnx --quiet --data in/long.npy -o in/spelled
opset='"custom" : 13' network foreign "(float[N, 3] x) => (float[N, 2] y)" "y = Relu (x)"
refuses "a domain that is not imported" 10 "does not import" run in/foreign.onnx --quiet --data in/long.npy -o out/run

# An output without type and shape.
cp in/open.onnx in/bare.onnx
"$MAKE_FILES" bare y in/bare.onnx
accepts "an output that declares nothing" quantize in/bare.onnx --quiet --data in/long.npy --policy small-layers=quantize --accept-broken \
  -o in/bare.q.onnx
accepts "its quantized model" run in/bare.q.onnx --quiet --data in/long.npy -o in/bare
[ -s in/bare/y.npy ] || fail "the quantized model writes no output"
accepts "inspect of an output that declares nothing" inspect in/bare.onnx
grep -q '^  output  *y  not declared, ' stdout || fail "inspect makes up a type or a shape"
accepts "its JSON" inspect in/bare.onnx --json
tr -d ' \n' <stdout | grep -q '"outputs":\[{"name":"y","type":"undefined","shape":null,' || fail "JSON makes up a shape"
network number "(float[3] x) => (float y)" "y = ReduceSum <keepdims = 0> (x)"
accepts "inspect of a scalar" inspect in/number.onnx
grep -q '^  output  *y  float scalar, ' stdout || fail "a scalar is not called that"
finish
