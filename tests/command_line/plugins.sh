#!/bin/sh
# Nodes that Detent cannot run: plugins of an engine, at the end of a detector or in the middle of a network. Nodes in
# front are measured, quantized, cast and compared; nodes behind stay as they are, and reports say so.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"

body="$(weight w 32,32,3,3 9216) $(weight v 32,32,3,3 9216)
  a = Conv <pads = [1, 1, 1, 1]> (x, w) r = Relu (a) b = Conv <pads = [1, 1, 1, 1]> (r, v)"
tail="s = Sigmoid (b) n, k = OP <max = 5> (b, s)"
opset='"" : 17, "TRT" : 1'
network end "(float[N,32,8,8] x) => (int32[N,1] n, float[N,5] k)" "$body $(echo "$tail" | sed s/OP/TRT.EfficientNMS_TRT/)"
network plain "(float[N,32,8,8] x) => (int32[N,1] n, float[N,5] k)" "$body $(echo "$tail" | sed s/OP/EfficientNMS_TRT/)"
network middle "(float[N,32,8,8] x) => (float[N,32,8,8] y)" "$body p = TRT.ModulatedDeformConv2d (b, r, w)
  c = Relu (p) d = Conv <pads = [1, 1, 1, 1]> (c, v) e = Add (d, b) y = Relu (e)"
array x 8,32,8,8 1
data="--data in/x.npy"

for name in end plain middle; do
  for target in tensorrt tensorrt:11 tensorrt:dla onnxruntime openvino qnn; do
    what="$name for $target"
    rm -f in/q.onnx
    # shellcheck disable=SC2086
    accepts "quantize $what" quantize in/$name.onnx $data --target $target --quiet --overwrite --accept-broken -o in/q.onnx --json in/q.json
    grep -q "not compared: .*cannot run here (this operator is not supported); the last values in front were compared" stdout ||
      fail "$what: the report does not say what was not compared"
    grep -q '"not_compared": "' in/q.json || fail "$what: nor does the document"
    grep -q "verdict: good" stdout || fail "$what: the verdict of the values in front"
    grep -q '^detent: warning: .*cannot run here' stderr || fail "$what: no warning"
    if [ $target != tensorrt:dla ]; then accepts "lint $what" lint in/q.onnx --target $target; fi
    # shellcheck disable=SC2086
    accepts "plan $what" plan in/$name.onnx $data --target $target
  done
  # shellcheck disable=SC2086
  accepts "cast $name" cast in/$name.onnx $data --float-type fp16 --quiet -o in/$name.fp16.onnx
  grep -q "not compared: " stdout || fail "cast $name does not say what was not compared"
  accepts "cast $name again, by exclusion" cast in/$name.onnx --data in/x.npy --float-type fp16 --quiet --exclude '^Conv_' --json - -o in/excluded.onnx --overwrite
  grep -q '"rule": "user"' stdout || fail "cast --exclude names no rule"
  # shellcheck disable=SC2086
  accepts "calibrate $name" calibrate in/$name.onnx $data --quiet -o in/$name.dct
  accepts "calibrate $name for an engine" calibrate in/$name.onnx --data in/x.npy --target tensorrt --quiet -o in/$name.trt.dct
  accepts "quantize $name by its table" quantize in/$name.onnx --table in/$name.dct --quiet --overwrite -o in/t.onnx
  accepts "calibrate $name for 16 bits" calibrate in/$name.onnx --data in/x.npy --float-type fp16 --quiet -o in/$name.half.dct
  accepts "quantize $name in 16 bits by its table" quantize in/$name.onnx --table in/$name.half.dct --target tensorrt:11 --quiet --overwrite -o in/t.onnx
  # shellcheck disable=SC2086
  accepts "sensitivity of $name" sensitivity in/$name.onnx $data --eval in/x.npy --quiet
  # shellcheck disable=SC2086
  accepts "compare $name" compare in/$name.onnx $data --eval in/x.npy --calibrators max,mse --quiet
done

# The layer behind the plugin stays float, and what reads both sides too; what stands in front is INT8.
accepts "plan" plan in/middle.onnx --target onnxruntime --policy small-layers=quantize --all
grep -q "float  *Conv_[0-9]* .*R13 measured: no sample reaches it: ModulatedDeformConv2d" stdout || fail "the layer behind the plugin is not left float"
grep -q "2 of 3 weighted layers INT8" stdout || fail "the layers in front of the plugin are not INT8"
grep -q "1 layer behind it stays float, and MACs there are not counted" stdout || fail "MACs behind the plugin are not said to be missing"

# A range that is given needs no sample.
printf '{"c": {"amax": 4}}' >in/given.json
accepts "a given range" quantize in/middle.onnx --data in/x.npy --target tensorrt --override in/given.json --quiet --overwrite -o in/given.onnx
grep -q "3 of 3 weighted layers INT8" stdout || fail "the layer behind the plugin stays float although its range is given"

# Files with pairs: lint, repair and cast measure what stands in front.
accepts "quantize" quantize in/middle.onnx --data in/x.npy --quiet --overwrite -o in/q.onnx
accepts "lint with data" lint in/q.onnx --target tensorrt:11 --data in/x.npy
grep -q "cannot run here (this operator is not supported): nothing behind it is measured" stdout || fail "lint does not say what it did not look at"
accepts "cast of pairs with data" cast in/q.onnx --data in/x.npy --float-type fp16 --quiet -o in/q16.onnx
accepts "cast of pairs without data" cast in/q.onnx --float-type fp16 --quiet --overwrite -o in/q16.onnx
accepts "repair with data" repair in/q.onnx --target onnxruntime --data in/x.npy --quiet -o in/r.onnx
grep -q "not compared: " stdout || fail "repair does not say what was not compared"
accepts "repair again" repair in/r.onnx --target onnxruntime --quiet -o in/rr.onnx
cmp -s in/r.onnx in/rr.onnx || fail "a second repair changes the file"

# Expressions that match nothing, or are none.
refuses "an expression that matches nothing" 13 "matches no node" cast in/end.onnx --data in/x.npy -o out/c.onnx --exclude nothing_has_this_name
refuses "no expression" 13 "is not a regular expression" cast in/end.onnx --data in/x.npy -o out/c.onnx --exclude '('
refuses "run needs all nodes" 11 "cut the graph before them" run in/end.onnx --data in/x.npy -o out/r
finish
