#!/bin/sh
# A model that leaves height and width open: plan and lint work without sizes and say what --shape would add; quantize takes
# real data of any size, and says what random data would need.
. "$(dirname "$0")/expect.sh"

# The sample with both extents of 128 (dim_value, 08 80 01) replaced by a name (dim_param "h", 12 01 68) of the same length. Each follows a
# byte 0a, which ends a line for sed.
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
