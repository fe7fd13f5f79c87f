#!/bin/sh
# A file that a command reads is never written by it, under any name and also with --overwrite; nor is one file
# written by two options.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${MAKE_FILES:?the program that makes files}"

printf '<ir_version: 8, opset_import: ["" : 13]> g (float[1,4] x) => (float[1,4] y)
  <float[4,4] w = {1,2,0,0, 0,1,0,5, 0,3,1,0, 0,0,0,1}> { y = MatMul (x, w) }' | "$WRITE_MODEL" in/m.onnx
mkdir in/rows
"$MAKE_FILES" npy in/x.npy 4,4 1
"$MAKE_FILES" npy in/y.npy 4,4 2
"$MAKE_FILES" rows in/x.npy in/rows
run calibrate in/m.onnx --data in/x.npy --quiet -o in/t.dct
run cache export in/t.dct -o in/t.cache
echo '{"y": {"calibrator": "max"}}' >in/o.json
echo '' >in/c.toml
echo 'file,label' >in/labels.csv
ln in/m.onnx in/hard.onnx
ln -s m.onnx in/soft.onnx
ln -s . in/folder
find in -type f -exec md5sum {} + | sort >before

# same SENTENCE ARG...: refused with --overwrite and without, and all files are unchanged.
same() {
  sentence=$1
  shift
  refuses "$sentence" 15 ' names ' "$@"
  refuses "$sentence, --overwrite" 15 ' names ' "$@" --overwrite
  find in -type f -exec md5sum {} + | sort | cmp -s - before || fail "$sentence: a file was changed"
}
quantize="quantize in/m.onnx --quiet --data in/x.npy"
for name in m hard soft folder/m; do
  same "quantize onto its model ($name)" $quantize -o in/$name.onnx
  same "a report onto the model ($name)" $quantize -o out/q.onnx --json=in/$name.onnx
  same "calibrate onto its model ($name)" calibrate in/m.onnx --quiet --data in/x.npy -o in/$name.onnx
  same "cast onto its model ($name)" cast in/m.onnx --quiet --data in/x.npy --float-type fp16 -o in/$name.onnx
  same "plan onto its model ($name)" plan in/m.onnx --json=in/$name.onnx --html out/p.html
  same "lint onto its model ($name)" lint in/m.onnx --html in/$name.onnx
  same "inspect onto its model ($name)" inspect in/m.onnx --json=in/$name.onnx
done
same "quantize onto its table" quantize in/m.onnx --quiet --table in/t.dct -o in/t.dct
same "quantize onto its overrides" $quantize --override in/o.json -o in/o.json
same "quantize onto its data" $quantize -o in/x.npy
same "quantize onto named data" quantize in/m.onnx --quiet --data x=in/x.npy -o in/x.npy
same "quantize onto its configuration" --config in/c.toml $quantize -o in/c.toml
same "quantize onto a sample" quantize in/m.onnx --quiet --data in/rows -o in/rows/1.npy
same "a report onto the evaluation data" $quantize --eval in/y.npy -o out/q.onnx --html in/y.npy
same "compare onto its labels" compare in/m.onnx --quiet --data in/x.npy --eval in/y.npy --labels in/labels.csv --html in/labels.csv
same "sensitivity onto its data" sensitivity in/m.onnx --quiet --data in/x.npy --eval in/y.npy --json=in/x.npy
same "merge onto one of its tables" merge in/t.dct in/t.dct -o in/t.dct
same "cache export onto its table" cache export in/t.dct -o in/t.dct
same "cache import onto its cache" cache import in/t.cache --model in/m.onnx -o in/t.cache
same "cache import onto its model" cache import in/t.cache --model in/m.onnx -o in/m.onnx
same "run into its samples" run in/m.onnx --quiet --data in/rows -o in/rows
same "two reports in one file" $quantize -o out/q.onnx --html out/r --json=out/r
same "model and report in one file" $quantize -o out/q.onnx --html "$work/out/q.onnx"

# An output of the model called like its data.
printf '<ir_version: 8, opset_import: ["" : 13]> g (float[1,4] a) => (float[1,4] x) { x = Relu (a) }' | "$WRITE_MODEL" in/n.onnx
cp in/x.npy out/x.npy
run run in/n.onnx --quiet --data out/x.npy -o out --overwrite
[ "$code" -eq 15 ] || fail "run onto its data: exit $code, expected 15"
says "run onto its data" 'which --data reads'
cmp -s in/x.npy out/x.npy || fail "run onto its data: it was changed"
rm out/x.npy

# Files that are no input: beside it, among the samples with another ending, devices.
for file in in/q.onnx in/rows/q.onnx; do
  accepts "a new $file" quantize in/m.onnx --quiet --data in/rows -o $file
  accepts "$file again" quantize in/m.onnx --quiet --data in/rows -o $file --overwrite
done
accepts "run beside its data" run in/m.onnx --quiet --data in/x.npy -o in/run
accepts "two reports to nowhere" plan in/m.onnx --json=/dev/null --html /dev/null
finish
