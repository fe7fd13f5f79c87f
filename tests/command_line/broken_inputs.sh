#!/bin/sh
# Broken models and data: one clear line, the right exit code, no file.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
images="--data $sample/calib --preprocess $preprocess --limit 4 --quiet -o out/model.onnx"

head -c 500000 "$model" >in/truncated.onnx
refuses "a truncated model" 10 in/truncated.onnx quantize in/truncated.onnx $images
: >in/empty.onnx
refuses "an empty model file" 10 in/empty.onnx quantize in/empty.onnx $images
refuses "a model that is not there" 10 in/gone.onnx quantize in/gone.onnx $images
printf 'this is text, not protobuf\n' >in/text.onnx
refuses "a model that is text" 10 in/text.onnx quantize in/text.onnx $images
LC_ALL=C sed 's/LeakyRelu/LeakyRelX/g' "$model" >in/unknown.onnx
# It may be a plugin of the engine: what stands in front is quantized (plugins.sh).
accepts "an unknown operator" quantize in/unknown.onnx $images --accept-broken
grep -q "not compared: .*LeakyRelX" stdout || fail "an unknown operator: the report does not name it"
grep -q "warning: .*LeakyRelX.* cannot run here" stderr || fail "an unknown operator: there is no warning"
rm -f out/model.onnx
refuses "an unknown operator in run" 11 LeakyRelX run in/unknown.onnx --data "$sample/calib" \
  --preprocess "$preprocess" --quiet -o out/run

# libonnx does not know these opsets: only our signatures of operators check them.
opsets='<ir_version: 8, opset_import: ["" : 22, "f" : 1]>'
printf '%s g (float[1,3,4,4] x) => (float[N] y) { y = Conv (x) }' "$opsets" | "$WRITE_MODEL" in/few.onnx
refuses "a node of too few inputs" 10 'input 1 (W) is required' inspect in/few.onnx
printf '%s g (float[1,3,4,4] x) => (float[N] y) { y = Softmax <axis = "1"> (x) }' "$opsets" | "$WRITE_MODEL" in/type.onnx
refuses "an attribute of another type" 10 "attribute 'axis' is a string; it must be an integer" inspect in/type.onnx
printf '%s g (float[1,3,4,4] x) => (float[N] y) { y = f.half (x) } <domain: "f", opset_import: ["" : 22]> half (a) => (b) { b = Conv (a) }' \
  "$opsets" | "$WRITE_MODEL" in/function.onnx
refuses "such a node in a function" 10 'input 1 (W) is required' inspect in/function.onnx

set -- quantize "$model" --quiet -o out/model.onnx
mkdir in/none in/bad in/mixed
refuses "an empty folder" 12 in/none "$@" --data in/none --preprocess "$preprocess"
refuses "a folder that is not there" 12 in/gone "$@" --data in/gone --preprocess "$preprocess"
printf 'not an image\n' >in/bad/one.jpg
refuses "a .jpg that is not an image" 12 one.jpg "$@" --data in/bad --preprocess "$preprocess"
mkdir in/foreign in/lying
printf '\000\000\000\014jP  \r\n\207\n' >in/foreign/one.png
refuses "another format named .png" 12 "one.png: is JPEG 2000, which Detent does not read" "$@" --data in/foreign --preprocess "$preprocess"
{ head -c 8 "$sample/calib/000.png"; printf '\000\000\000\004abCdxxxx\000\000\000\000'; tail -c +9 "$sample/calib/000.png"; } >in/lying/one.png
refuses "a .png whose header is not in front" 12 "one.png: the PNG image is damaged: its first chunk, at byte 8, is no header (IHDR)" \
  "$@" --data in/lying --preprocess "$preprocess"
: >in/bad/one.jpg
refuses "a .jpg of zero bytes" 12 one.jpg "$@" --data in/bad --preprocess "$preprocess"
cp "$sample/calib/000.png" "$sample/calib/001.png" in/mixed
head -c 20000 "$sample/calib/002.png" >in/mixed/002.png
refuses "a truncated .png among good ones" 12 002.png "$@" --data in/mixed --preprocess "$preprocess"
accepts "--skip-bad-data goes on without it" "$@" --data in/mixed --preprocess "$preprocess" --skip-bad-data
[ -s out/model.onnx ] || fail "--skip-bad-data wrote no model"
rm -rf out/*

refuses "preprocessing to another size than the model's" 12 128 "$@" --data "$sample/calib" \
  --preprocess "$preprocess,resize=64x64"
# A .npy file of float32 zeros with shape (1, 3, 64, 64).
header="{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 64, 64), }"
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"; head -c 49152 /dev/zero; } >in/small.npy
refuses "an array of another size than the model's" 12 small.npy "$@" --data in/small.npy
head -c 1000 in/small.npy >in/cut.npy
refuses "a truncated array" 12 cut.npy "$@" --data in/cut.npy

refuses "images without --preprocess" 2 imagenet "$@" --data "$sample/calib"
refuses "an unknown preset" 2 nosuch "$@" --data "$sample/calib" --preprocess nosuch
refuses "an input that the model does not have" 13 nosuch "$@" --data "nosuch=$sample/calib" --preprocess "$preprocess"
refuses "neither data nor table" 2 --data "$@"
finish
