#!/bin/sh
# Written files appear whole or not at all.
. "$(dirname "$0")/expect.sh"

touch in/file
refuses "an output below a file" 15 in/file/model.onnx $quantize_sample -o in/file/model.onnx
mkdir out/model.onnx
run $quantize_sample -o out/model.onnx --overwrite
[ "$code" -eq 15 ] || fail "an output that is a folder: exit $code, expected 15"
says "an output that is a folder" out/model.onnx
rmdir out/model.onnx
leaves_nothing "an output that is a folder"

accepts "an ordinary run" $quantize_sample -o out/model.onnx
[ "$(ls -A out)" = model.onnx ] || fail "an ordinary run left: $(ls -A out)"
cp out/model.onnx in/first.onnx
run $quantize_sample -o out/model.onnx --calibrator max
[ "$code" -eq 15 ] || fail "an output that exists: exit $code, expected 15"
says "an output that exists" --overwrite
cmp -s out/model.onnx in/first.onnx || fail "an output that exists was changed"
accepts "--overwrite replaces it" $quantize_sample -o out/model.onnx --calibrator max --overwrite
cmp -s out/model.onnx in/first.onnx && fail "--overwrite did not replace the file"
rm out/*

# Model and reports appear together or not at all.
if [ -e /dev/full ]; then
  refuses "a report on a full disk" 15 /dev/full $quantize_sample -o out/model.onnx --json=/dev/full
fi
# Two outputs that have one name, also through links that lead nowhere yet.
ln -s "$work/in/same" in/link
for two in "-o in/link --json=in/same" "-o in/same --html in/link" "-o in/same --json=in/./same" \
  "-o in/same --json=in/same.0123456789abcdef.data"; do
  # shellcheck disable=SC2086
  refuses "two outputs of one name: $two" 15 'choose another name' $quantize_sample $two
done
refuses "the partial table" 15 'names what' calibrate "$model" --quiet --data "$six" --preprocess "$preprocess" \
  -o in/new.dct --json=in/new.dct.partial
refuses "trtexec's arguments for DLA" 15 'names what' $quantize_sample --target tensorrt:dla -o in/dla.onnx --json=in/dla.dla.txt
rm in/link

for target in tensorrt onnxruntime; do
  accepts "the $target model" $quantize_sample --target $target -o in/$target.onnx
  refuses "an already quantized model ($target)" 10 quantized quantize in/$target.onnx --quiet \
    --data "$sample/calib" --preprocess "$preprocess" -o out/again.onnx
  accepts "run of the $target model" run in/$target.onnx --data "$sample/calib" --preprocess "$preprocess" --limit 2 \
    --quiet -o out/run
  [ -s out/run/logits.npy ] || fail "run wrote no logits.npy"
  rm -rf out/*
done

# Contents of a profile: operators, nodes, and for a float model the collector.
accepts "run --profile" run "$model" --data "$sample/calib" --preprocess "$preprocess" --limit 2 --quiet --profile -o out/run
for word in operator node "of which the collector"; do
  grep -q "$word" stdout || fail "run --profile says nothing of '$word'"
done
rm -rf out/*

# Data that needs no reading.
begins quantize "$model" --data $endless --quiet -o out/model.onnx
once "Ctrl-C in the middle" computes
kill -INT $pid
ends "Ctrl-C in the middle" 130
leaves_nothing "Ctrl-C in the middle"
finish
