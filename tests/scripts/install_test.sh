#!/bin/sh
# usage: install_test.sh SOURCE BUILD
# `cmake --install` into an empty folder, which is then moved: the program there reads images, and says what is
# missing if the module of image codecs is gone. It looks for the module beside itself and in the installed place
# only, and refuses one of another version. The JSON Schemas lie beside it. Line tables come with the component
# `debug`, if the build made them: with them a place in the stripped program has a name, without them it has none.
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "install_test: $*" >&2
  exit 1
}
. "$source/tests/scripts/debug_files.sh"
sample=$source/datasets/samples/shapes_unet
calibrate() {
  "$work/moved/bin/detent" calibrate "$sample/model_opset13.onnx" --data "$sample/calib" --preprocess imagenet,resize=128x128,crop=128 \
    --limit 2 --quiet -o "$work/$1.dct" >"$work/log" 2>&1
}

cmake --install "$build" --prefix "$work/here" >"$work/log" || fail "cannot be installed: $(cat "$work/log")"
mv "$work/here" "$work/moved"
diff -r "$build/reports/schemas" "$work/moved/share/detent/schemas" || fail "the JSON Schemas are not installed"
calibrate first || fail "the installed program: $(cat "$work/log")"
module=$(find "$work/moved" -name libdetent_codecs.so)
below=${module#"$work"/moved/}
mkdir -p "$work/$(dirname "$below")" "$work/kept"
mv "$module" "$work/kept/"
cp "$work/kept/libdetent_codecs.so" "$work/$below"  # in the same place below a folder above the prefix
if (cd "$work/kept" && LD_LIBRARY_PATH=$work/kept calibrate second); then fail "images were read without $module"; fi
grep -q "libdetent_codecs.so is neither in $work/moved/bin nor in $(dirname "$module")" "$work/log" ||
  fail "the missing module is not named: $(cat "$work/log")"
cp "$work/kept/libdetent_codecs.so" "$work/moved/bin/"
calibrate third || fail "a module beside the program: $(cat "$work/log")"
rm "$work/moved/bin/libdetent_codecs.so"
LC_ALL=C sed 's/\(.\x00\)tneted/\1tneteD/' "$work/kept/libdetent_codecs.so" >"$module"
if cmp -s "$module" "$work/kept/libdetent_codecs.so"; then fail "the module has no version word"; fi
if calibrate fourth; then fail "a module of another version was loaded"; fi
grep -q "$module is of another version" "$work/log" || fail "the other version is not named: $(cat "$work/log")"

grep -q '^DETENT_DEBUG_FILES:.*=ON' "$build/CMakeCache.txt" || exit 0
program=$work/moved/bin/detent
expect_stripped "$program"
address=$(address_of "$build/detent.debug" detent::quantize_model)
[ -n "$address" ] || fail "quantize_model is not in detent.debug"
expect_no_line "$program" "$address"
cmake --install "$build" --component debug --prefix "$work/moved" >"$work/log" || fail "the component debug: $(cat "$work/log")"
expect_line "$program" "$address" detent::quantize_model src/pipeline/quantize_model.cpp
library=$(find "$work/moved" -name 'libdetent.so.*.debug')
[ -s "$library" ] || fail "the library has no debug file"
