#!/bin/sh
# Networks with a signal front end, HardSwish as its formula, and Casts between the halves of a pair, on the command
# line.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

# Frames, power, bands, logarithm, two layers: the nodes of the spectrum stay float, the layers do not.
# bands NAME COUNT: weights without a negative one.
bands() { weight "$1" "$2" "$3" | sed 's/-0\./0./g'; }
# spectrum NAME BEHIND: BEHIND are the nodes behind the sum of squares `e`.
spectrum() {
  network "$1" "(float[N, 1, 1024] x) => (float[N, 16, F] y)" "
    $(weight basis 66,1,64 4224) $(bands mel 16,33,1 528) $(weight w1 32,16,3 1536) $(weight w2 16,32,3 1536)
    eps = Constant <value = float {0.00001}> () halves = Constant <value = int64[2] {33, 33}> ()
    f = Conv <strides = [32]> (x, basis)
    re, im = Split <axis = 1> (f, halves)
    rr = Mul (re, re)
    ii = Mul (im, im)
    p = Add (rr, ii)
    $2
    a = Conv (l, w1)
    r = Relu (a)
    b = Conv (r, w2)
    y = Tanh (b)"
}
spectrum mel "m = Conv (p, mel) e = Add (m, eps) l = Log (e)"
for target in tensorrt onnxruntime; do
  accepts "a spectrum on $target" quantize in/mel.onnx --quiet --data random:normal,n=16 --target $target -o in/mel.$target.onnx
  grep -q '^kept float: .*(Conv)  R14' stdout || fail "$target: the spectrum is not kept float by its rule"
  grep -q '^2 of 4 weighted layers INT8' stdout || fail "$target: not just the two layers behind the spectrum are INT8"
  grep -q '^verdict: good' stdout || fail "$target: the network with a spectrum is not good"
done
accepts "a spectrum that is wanted in INT8" quantize in/mel.onnx --quiet --data random:normal,n=16 --include . --accept-broken -o in/all.onnx
grep -q '^4 of 4 weighted layers INT8' stdout || fail "--include does not overrule R14"
spectrum none "m = Conv (p, mel) l = Relu (m)"
sed 's/rr = Mul (re, re)/rr = Relu (re)/; s/ii = Mul (im, im)/ii = Relu (im)/' in/none.txt >in/plain.txt
"$MAKE_FILES" model in/plain.txt in/plain.onnx || fail "the test's network without squares cannot be made"
accepts "no squares, no logarithm" plan in/plain.onnx
if grep -q R14 stdout; then fail "a network without a spectrum has one"; fi

# act evens out HardSwish in the orders that exporters write; a product that is divided behind counts with its
# quotient.
# swish NAME BODY: BODY makes h of c.
swish() {
  network "$1" "(float[1, 16, 8, 8] x) => (float[1, 16, 8, 8] y)" "
    $(weight w 16,16,3,3 2304) $(weight v 16,16,1,1 256)
    three = Constant <value = float {3}> () zero = Constant <value = float {0}> () six = Constant <value = float {6}> ()
    sixth = Constant <value = float {0.16666667}> ()
    c = Conv <pads = [1, 1, 1, 1]> (x, w)
    $2
    y = Conv (h, v)"
}
clip="a = Add (c, three) k = Clip (a, zero, six)"
swish product_first "$clip m = Mul (c, k) h = Div (m, six)"
swish quotient_first "$clip d = Div (k, six) h = Mul (c, d)"
swish sixth "$clip d = Mul (k, sixth) h = Mul (d, c)"
for order in product_first quotient_first sixth; do
  accepts "HardSwish, $order" plan in/$order.onnx
  grep -q '^equalizable: [12] values\{0,1\} after Silu or HardSwish (--equalize act)' stdout || fail "$order: act finds no HardSwish"
done
swish other "a = Add (c, six) k = Clip (a, zero, six) m = Mul (c, k) h = Div (m, six)"
accepts "another formula" plan in/other.onnx
if grep -q HardSwish stdout; then fail "another formula is taken for HardSwish"; fi

# A Cast between the halves of a pair: its layers are INT8 or named, not lost.
network cast "(float[1, 16, 8, 8] x) => (float[1, 16, 8, 8] y)" "$(weight w 16,16,3,3 2304) y = Conv <pads = [1, 1, 1, 1]> (x, w)"
accepts "an ordinary pair" quantize in/cast.onnx --quiet --data random:normal,n=16 --calibrator max -o in/paired.onnx
accepts "lint of it" lint in/paired.onnx
grep -q '1 of 1 weighted layers INT8' stdout || fail "lint does not find the layer"
network casts "(float[1, 16, 8, 8] x) => (float[1, 16, 8, 8] y)" "
  $(weight wf 16,16,3,3 2304) s = Constant <value = float {0.02}> () z = Constant <value = int8 {0}> () sw = Constant <value = float {0.004}> ()
  q = QuantizeLinear (x, s, z)
  wide = Cast <to = 6> (q)
  narrow = Cast <to = 3> (wide)
  d = DequantizeLinear (narrow, s, z)
  wq = QuantizeLinear (wf, sw, z)
  w = DequantizeLinear (wq, sw, z)
  y = Conv <pads = [1, 1, 1, 1]> (d, w)"
accepts "lint across Casts" lint in/casts.onnx
grep -qi 'cast' stdout || fail "lint says nothing of the Casts between the halves of a pair"
grep -q '; 1 value with pairs' stdout || fail "lint does not follow the codes through the Casts"
finish
