#!/bin/sh
# A model for DLA: the float model, a calibration cache of every value, and trtexec's arguments.
. "$(dirname "$0")/expect.sh"
data="--data $sample/calib --preprocess $preprocess"
# shellcheck disable=SC2086
accepts "quantize for DLA" quantize "$model" $data --limit 4 --target tensorrt:dla --quiet -o in/jetson.onnx --json in/jetson.json
grep -q '"cache": *"in/jetson.cache"' in/jetson.json || fail "the report does not name the cache"
grep -q '"arguments": *"in/jetson.dla.txt"' in/jetson.json || fail "the report does not name the arguments"
grep -q "note: DLA runs" stdout || fail "the report does not say what runs on DLA"
grep -q "note: DLA runs.*up to 10.7: DLA of 11.4.1 (Jetson AGX Orin, JetPack 7.2.2) is strongly typed" stdout ||
  fail "the report does not say which versions of TensorRT take the files"
grep -q '^# For TensorRT up to 10.7' in/jetson.dla.txt || fail "the arguments do not say which versions have them"
accepts "inspect of the file" inspect in/jetson.onnx
grep -q QuantizeLinear stdout && fail "the file has pairs"
[ "$(head -n 1 in/jetson.cache)" = TRT-100700-EntropyCalibration2 ] || fail "the cache begins with $(head -n 1 in/jetson.cache)"
[ -z "$(sed 1d in/jetson.cache | grep -vE ': [0-9a-f]{8}$')" ] || fail "the cache has lines without a scale"

# Every value of the float model has a scale: there are more values than layers.
grep '^--layerPrecisions=' in/jetson.dla.txt | tr ',' '\n' | grep -c . >in/layers
[ "$(sed 1d in/jetson.cache | wc -l)" -gt "$(cat in/layers)" ] || fail "fewer scales than layers"
for option in --onnx=jetson.onnx --calib=jetson.cache --int8 --fp16 --useDLACore=0 --allowGPUFallback; do
  grep -qx -- "$option" in/jetson.dla.txt || fail "trtexec's arguments lack $option"
done
grep -q '^--layerDeviceTypes=.*:DLA' in/jetson.dla.txt || fail "no layer runs on DLA"

# The file computes what the model computes.
# shellcheck disable=SC2086
accepts "run of the model" run "$model" $data --limit 1 --quiet -o in/before
# shellcheck disable=SC2086
accepts "run of the file" run in/jetson.onnx $data --limit 1 --quiet -o in/behind
# shellcheck disable=SC2086
accepts "plan for DLA" plan "$model" --target tensorrt:dla --shape image=1,3,128,128
grep -q "D1 DLA layer" stdout || fail "the plan does not name the rule"

# shellcheck disable=SC2086
accepts "calibrate" calibrate "$model" $data --limit 4 --quiet -o in/table.dct
accepts "cache export for DLA" cache export in/table.dct --dla "$model" -o in/exported.cache
[ "$(wc -l <in/exported.cache)" = "$(wc -l <in/jetson.cache)" ] || fail "the exported cache has other values"
[ -s in/exported.dla.txt ] || fail "trtexec's arguments are missing"
refuses "a cache for DLA without the model" 2 "--dla MODEL" cache export in/table.dct --target tensorrt:dla -o out/no.cache
refuses "a cache that exists" 15 --overwrite quantize "$model" --table in/table.dct --target tensorrt:dla -o in/exported.onnx
refuses "repair for DLA" 13 "takes no pairs" repair "$model" --target tensorrt:dla -o out/no.onnx
refuses "16-bit floats for DLA" 13 "FP32 model" quantize "$model" --table in/table.dct --target tensorrt:dla --float-type fp16 -o out/no.onnx
refuses "INT32 biases for DLA" 13 "float model" quantize "$model" --table in/table.dct --target tensorrt:dla --bias int32 -o out/no.onnx
accepts "quantize with pairs" quantize "$model" --table in/table.dct --quiet -o in/pairs.onnx
accepts "lint of pairs for DLA" lint in/pairs.onnx --target tensorrt:dla
grep -q pairs-for-dla stdout || fail "lint does not find the pairs"
finish
