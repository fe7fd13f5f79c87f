#!/bin/sh
# A model that leaves height and width open: plan and lint work without sizes and say what --shape would add, plan
# lists the values that equalization could even out; quantize takes real data of any size, and names what random data
# would need.
. "$(dirname "$0")/expect.sh"

# The sample with both extents of 128 (dim_value, 08 80 01) replaced by a name (dim_param "h", 12 01 68) of the same
# length. Each follows a byte 0a, which ends a line for sed.
LC_ALL=C sed 's/^\x03\x08\x80\x01/\x03\x12\x01h/' "$model" >in/open.onnx
accepts "inspect" inspect in/open.onnx
grep -q "input   image  float ?x3x?x?" stdout || fail "the test's model has no open sizes"

# json KEY: the first value of "KEY":.
json() { sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}$/\1/p" stdout | head -n 1; }

hint="give --shape NAME=1,3,224,224 to have MACs and bytes counted"
accepts "plan without sizes" plan in/open.onnx
grep -q -e "$hint" stdout || fail "plan does not name --shape"
grep -q "18 of 18 weighted layers INT8;" stdout || fail "plan without sizes counts no layers, or counts MACs"
accepts "plan without sizes as JSON" plan in/open.onnx --json
[ "$(json int8_layers)" = 18 ] && [ "$(json macs)" = 0 ] || fail "the JSON of a plan without sizes"
accepts "plan with sizes" plan in/open.onnx --shape image=1,3,64,96
grep -q "18 of 18 weighted layers INT8 (100 % of MACs)" stdout || fail "plan with sizes counts no MACs"
grep -q -e "--shape" stdout && fail "plan with sizes asks for them"
for sizes in 64,96 128,192; do
  accepts "plan of $sizes as JSON" plan in/open.onnx --shape "image=1,3,$sizes" --json
  sed -n '/"coverage"/,$p' stdout >coverage && mv coverage stdout
  json macs >>in/macs
done
awk '{ macs[NR] = $1 } END { exit !(macs[1] > 0 && macs[2] == 4 * macs[1]) }' in/macs ||
  fail "four times the pixels are not four times the MACs: $(tr '\n' ' ' <in/macs)"

# The count of values for equalization does not depend on the sizes; the line is the same if they are fixed.
line="equalizable: 23 values around Relu or Clip (--equalize relu)"
equalizable() { sed -n '/"equalizable"/,/^  []]*,\{0,1\}$/p' stdout; }
for shape in "" "--shape image=1,3,64,96"; do
  accepts "plan, equalizable, $shape" plan in/open.onnx $shape
  grep -qx "$line" stdout || fail "plan of open sizes $shape does not say: $line"
  accepts "plan as JSON, equalizable, $shape" plan in/open.onnx $shape --json
  equalizable >>in/equalizable
done
accepts "plan of fixed sizes" plan "$model"
grep -qx "$line" stdout || fail "plan of fixed sizes does not say: $line"
[ "$(grep -c '"count": 23' in/equalizable)" = 2 ] || fail "the JSON of a plan does not list the 23 values"
[ "$(grep -c '"/d.0/d.0.2/Relu_output_0"' in/equalizable)" = 2 ] || fail "the JSON of a plan does not name them"

# The sample without the shape of its input: field 2 of the tensor's type as a field 3, which ONNX does not have. As
# opset 19, because libonnx's checker asks for a shape up to 17.
LC_ALL=C sed 's/^\x1b\x08\x01\x12\x17$/\x1b\x08\x01\x1a\x17/; $ s/\x10\x0d$/\x10\x13/' "$model" >in/rankless.onnx
accepts "plan without rank" plan in/rankless.onnx
grep -q "^note: which values can be equalized is not known: the model declares no rank for 'image'; --shape" stdout ||
  fail "plan does not say what is missing to know what could be equalized"
if grep -q "^equalizable" stdout; then fail "plan without rank counts what could be equalized"; fi
accepts "plan without rank as JSON" plan in/rankless.onnx --json
[ "$(json equalizable)" = null ] || fail "the JSON of a plan without rank does not say null"
accepts "plan of a rank that is given" plan in/rankless.onnx --shape image=1,3,64,96
grep -qx "$line" stdout || fail "plan of a given rank does not say: $line"
if grep -q "not known" stdout; then fail "plan of a given rank misses something"; fi

# y = Tanh(x), 1 x N: nothing to equalize.
type='\022\017\n\r\b\001\022\t\n\002\b\001\n\003\022\001N'
printf '\b\b:=\n\f\n\001x\022\001y"\004Tanh\022\001gZ\024\n\001x'"$type"'b\024\n\001y'"$type"'B\002\020\r' >in/tanh.onnx
accepts "plan of nothing to equalize" plan in/tanh.onnx
grep -qx "equalizable: nothing" stdout || fail "plan does not say that there is nothing to equalize"
accepts "plan of nothing to equalize as JSON" plan in/tanh.onnx --json
[ "$(json equalizable)" = "[]" ] || fail "the JSON of a plan of nothing to equalize is not an empty list"

refuses "sizes of another rank" 13 "the model declares rank 4" plan in/open.onnx --shape image=1,3,64
refuses "another number of channels" 13 "the model fixes 3" plan in/open.onnx --shape image=1,4,64,64
refuses "a size of 0" 2 "is not NAME=1,3,224,224" plan in/open.onnx --shape image=1,3,0,96
refuses "sizes that the network cannot join" 12 Concat plan in/open.onnx --shape image=1,3,63,63

refuses "random data" 13 "has an open size, so random data cannot be made for it" \
  quantize in/open.onnx --data random:normal,n=1 -o out/q.onnx
grep -q "^hint: .*resize=HxW" stderr || fail "no way out for random data"
refuses "images without a size" 13 "leaves its height or width open" \
  quantize in/open.onnx --data "$sample/calib" --preprocess unit -o out/q.onnx
grep -q "^hint: .*resize=HxW" stderr || fail "no way out for images"
accepts "images with a size" quantize in/open.onnx --quiet --data "$sample/calib" --preprocess unit,resize=64x96 --limit 2 \
  -o in/q.onnx

accepts "lint without sizes" lint in/q.onnx --strict
grep -q -e "$hint" stdout || fail "lint does not name --shape"
grep -q "0 errors, 0 warnings, 0 notes" stdout || fail "lint without sizes finds something"
accepts "lint with sizes" lint in/q.onnx --strict --shape image=1,3,64,96
grep -q "18 of 18 weighted layers INT8 (100 % of MACs)" stdout || fail "lint with sizes counts no MACs"
finish
