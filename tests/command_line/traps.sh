#!/bin/sh
# Options that look right and would do something else.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
network net "(float[N, 3] x) => (float[N, 2] y)" "$(weight w 3,2 6) y = MatMul (x, w)"
array x 16,3 1
array eval 8,3 2

# Counts.
for option in --limit --threads; do
  refuses "$option -3" 2 "$option" calibrate in/net.onnx --quiet --data in/x.npy $option -3 -o out/t.dct
  refuses "$option 0" 2 "$option" calibrate in/net.onnx --quiet --data in/x.npy $option 0 -o out/t.dct
done
refuses "a count in words" 2 "--limit: 'all' is not a whole number from 1 on" calibrate in/net.onnx --quiet --data in/x.npy --limit all \
  -o out/t.dct
refuses "a broken count" 2 "--limit: '2.5' is not" calibrate in/net.onnx --quiet --data in/x.npy --limit 2.5 -o out/t.dct
refuses "--eval-limit -1" 2 "--eval-limit" sensitivity in/net.onnx --quiet --data in/x.npy --eval in/eval.npy --eval-limit -1
refuses "--top -1" 2 "--top" sensitivity in/net.onnx --quiet --data in/x.npy --eval in/eval.npy --top -1
accepts "--limit 3" calibrate in/net.onnx --quiet --data in/x.npy --limit 3 -o in/t.dct

# --preprocess does not apply to arrays.
accepts "--preprocess beside .npy" calibrate in/net.onnx --quiet --data in/x.npy --preprocess imagenet -o in/unused.dct
grep -q "warning: --preprocess imagenet is not used" stderr || fail "an unused --preprocess is not told"
accepts "no --preprocess" calibrate in/net.onnx --quiet --data in/x.npy -o in/used.dct
cmp in/unused.dct in/used.dct || fail "--preprocess changes arrays"
accepts "--preprocess for images" run "$model" --quiet --data "$sample/calib" --preprocess "$preprocess" --limit 1 -o in/run
grep -q "not used" stderr && fail "a --preprocess that is used is called unused"

# Pixels that an integer input cannot hold.
network bytes "(uint8[N, 3, 8, 8] image) => (float[N, 3, 8, 8] y)" "y = Cast <to = 1> (image)"
for spec in unit imagenet,resize=8x8,crop=8x8; do
  refuses "$spec for a uint8 input" 13 "is uint8" run in/bytes.onnx --quiet --data "$sample/calib" --preprocess $spec -o out/run
  says "what to use" "--preprocess raw"
done
accepts "raw for a uint8 input" run in/bytes.onnx --quiet --data "$sample/calib" --preprocess raw --limit 2 -o in/bytes
network floats "(float[N, 3, 8, 8] image) => (float[N, 3, 8, 8] y)" "y = Relu (image)"
accepts "unit for a float input" run in/floats.onnx --quiet --data "$sample/calib" --preprocess unit --limit 2 -o in/floats

# A preset of 224 pixels on a model of 32: the hint keeps the visible part of the picture, and works.
network small "(float[N, 3, 32, 32] image) => (float[N, 3, 32, 32] y)" "y = Relu (image)"
refuses "imagenet on 32 x 32" 12 "224x224" run in/small.onnx --quiet --data "$sample/calib" --preprocess imagenet -o out/run
says "a hint that resizes too" "resize=37,crop=32x32"
says "the other way" "resize=32x32,crop=32x32"
for sizes in resize=37,crop=32x32 resize=32x32,crop=32x32; do
  accepts "the hint $sizes" run in/small.onnx --quiet --data "$sample/calib" --preprocess "imagenet,$sizes" --limit 1 -o "in/$sizes"
done

# A bad file is reported once in any number of passes.
mkdir in/mixed
cp "$sample"/calib/00*.png in/mixed
: >in/mixed/bad.png
accepts "--skip-bad-data" quantize "$model" --quiet --data in/mixed --preprocess "$preprocess" --skip-bad-data -o in/q.onnx
[ "$(grep -c "skipped: .*bad.png" stderr)" = 1 ] || fail "a bad file is reported $(grep -c "skipped: .*bad.png" stderr) times"

# --eval-limit takes samples spread over all, not the first names: of classes 0 and 1 in this order, both.
network classes "(float[N, 2] x) => (float[N, 2] y)" "y = Relu (x)"
network layer "(float[N, 2] x) => (float[N, 2] y)" "$(weight w 2,2 4) y = MatMul (x, w)"
mkdir in/judged
array judged 8,2 5
"$MAKE_FILES" rows in/judged.npy in/judged
{ echo file,label; for i in 0 1 2 3; do echo "$i.npy,0"; done; } >in/first.csv
cp in/first.csv in/labels.csv
for i in 4 5 6 7; do echo "$i.npy,1" >>in/labels.csv; done
array data 8,2 6
set -- compare in/layer.onnx --quiet --data in/data.npy --eval in/judged --calibrators max --policy small-layers=quantize
accepts "labels of all" "$@" --labels in/labels.csv --eval-limit 4
refuses "labels of the first names only" 12 "label" "$@" --labels in/first.csv --eval-limit 4
finish
