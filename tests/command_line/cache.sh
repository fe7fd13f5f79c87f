#!/bin/sh
# TensorRT calibration caches: exported, imported again, and one written by hand (a cache without data).
. "$(dirname "$0")/expect.sh"
accepts "calibrate" calibrate "$model" --data "$sample/calib" --preprocess "$preprocess" --limit 4 --quiet -o in/table.dct
accepts "cache export" cache export in/table.dct -o in/cache
[ "$(head -n 1 in/cache)" = TRT-101300-EntropyCalibration2 ] || fail "the cache begins with: $(head -n 1 in/cache)"
grep -qE '^image: [0-9a-f]{8}$' in/cache || fail "the cache has no scale for 'image'"
accepts "cache export for another version" cache export in/table.dct --calibrator max --target tensorrt:8.6 -o in/old
[ "$(head -n 1 in/old)" = TRT-8600-MinMaxCalibration ] || fail "the old cache begins with: $(head -n 1 in/old)"

accepts "cache import" cache import in/cache --model "$model" -o in/imported.dct
grep -q "every value" stdout || fail "the import does not say that nothing is missing"
accepts "quantize from the import" quantize "$model" --table in/imported.dct --quiet \
  --json in/imported.json -o in/imported.onnx
accepts "quantize from the table" quantize "$model" --table in/table.dct --quiet --json in/direct.json -o in/direct.onnx
# The files differ only in their entries about samples and ranges.
for from in imported direct; do
  grep '"scale"' in/$from.json >in/$from.scales
  accepts "run of the $from one" run in/$from.onnx --data "$sample/calib" --preprocess "$preprocess" --limit 2 --quiet \
    -o in/$from
done
cmp in/imported.scales in/direct.scales || fail "the imported scales are other ones"
cmp in/imported/logits.npy in/direct/logits.npy || fail "the imported scales give another model"
accepts "inspect of the imported one" inspect in/imported.onnx
grep -q "^  calibrated with  imported scales$" stdout || fail "inspect does not say that scales were imported"
accepts "cache export of the import" cache export in/imported.dct -o in/again
cmp in/again in/cache || fail "a cache does not come out as it went in"

# By hand: every scale 1/64, one unknown name, one value left out.
{ echo TRT-8601-EntropyCalibration2
  sed 1d in/cache | sed 's/: [0-9a-f]*$/: 3c800000/' | grep -v '^image: '
  echo 'no such tensor: 3f800000'; } >in/hand
accepts "import of a cache written by hand" cache import in/hand --model "$model" -o in/hand.dct
grep -qx '  no such tensor' stdout || fail "the import does not report the name that matches nothing"
grep -qx '  image' stdout || fail "the import does not report the value without a scale"
refuses "a cache that lacks a needed value" 14 "'image'" quantize "$model" --table in/hand.dct -o out/model.onnx
echo 'image: 3c800000' >>in/hand
accepts "import once more" cache import in/hand --model "$model" -o in/hand.dct --overwrite
accepts "C8: a cache and no data" quantize "$model" --table in/hand.dct --quiet --json in/report.json -o in/hand.onnx
grep -q '"scale": 0.015625' in/report.json || fail "the scale 1/64 did not arrive"
[ "$(grep -c '"scale"' in/report.json)" -eq "$(grep -c '"scale": 0.015625' in/report.json)" ] ||
  fail "not every scale is 1/64"

refuses "an export that exists" 15 --overwrite cache export in/table.dct -o in/cache
refuses "a cache for ONNX Runtime" 13 onnxruntime cache export in/table.dct --target onnxruntime -o out/cache
refuses "a cache without a version" 12 "line 1" cache import "$sample/../README.md" --model "$model" -o out/table.dct
printf 'TRT-8601-EntropyCalibration2\nimage: 3c80\n' >in/short
refuses "a scale of four digits" 12 "line 2" cache import in/short --model "$model" -o out/table.dct
printf 'TRT-8601-EntropyCalibration2\nx: 3c800000\n' >in/foreign
refuses "a cache of another network" 14 "none of its 1 names" cache import in/foreign --model "$model" -o out/table.dct
refuses "cache alone" 2 "" cache
accepts "cache import --help" cache import --help
tail -n 3 stdout | grep -q "detent cache import" || fail "cache import --help does not end with an example"
finish
