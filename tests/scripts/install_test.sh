#!/bin/sh
# usage: install_test.sh SOURCE BUILD
# `cmake --install` into an empty folder, which is then moved: the program there reads images, and says what is missing where
# the module of image codecs is not. The JSON Schemas lie beside it.
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "install_test: $*" >&2
  exit 1
}
sample=$source/datasets/samples/shapes_unet
calibrate() {
  "$work/moved/bin/detent" calibrate "$sample/model_opset13.onnx" --data "$sample/calib" --preprocess imagenet,resize=128x128,crop=128 \
    --limit 2 --quiet -o "$work/$1.dct" >"$work/log" 2>&1
}

cmake --install "$build" --prefix "$work/here" >"$work/log" || fail "cannot be installed: $(cat "$work/log")"
mv "$work/here" "$work/moved"
diff -r "$source/src/report/json/schemas" "$work/moved/share/detent/schemas" || fail "the JSON Schemas are not installed"
calibrate first || fail "the installed program: $(cat "$work/log")"
module=$(find "$work/moved" -name libdetent_codecs.so)
rm "$module"
if calibrate second; then fail "images were read without $module"; fi
grep -q "libdetent_codecs.so" "$work/log" || fail "the missing module is not named: $(cat "$work/log")"
