#!/bin/sh
# detent verify on the trained models of the shared folder: PyTorch's outputs, within 1e-4 of the largest output.
. "$(dirname "$0")/expect.sh"
models=${DETENT_SHARED-}/models
if [ ! -d "$models" ]; then
  echo "SKIPPED verify_shared: no shared folder with models at '${DETENT_SHARED-}'"
  exit 77
fi

# folder NAME OPSET_FILE: a folder with this one model and its data.
folder() {
  mkdir -p "in/$1-$2"
  ln -s "$models/$1/$2.onnx" "$models/$1/test_data_set_0" "in/$1-$2"
}
folder shapes_unet model_opset13
folder shapes_unet model_opset20_dynamo
folder occupancy3d model_opset13
folder occupancy3d model_opset20_dynamo
accepts "verify" verify in/* --rtol 0 --atol 1e-4
[ "$(tail -n 1 stdout)" = "4 passed, 0 failed, 0 unsupported" ] || fail "verify closes with: $(tail -n 1 stdout)"
cat stdout

# The negative twin: other numbers are expected.
mkdir -p in/wrong/test_data_set_0
ln -s "$models/shapes_unet/model_opset13.onnx" in/wrong
cp "$models/shapes_unet/test_data_set_0/output_0.pb" in/wrong/test_data_set_0/output_0.pb
cp "$models/shapes_unet/test_data_set_0/input_0.pb" in/wrong/test_data_set_0/input_0.pb
# A float in the middle of the input becomes 100 (0x42c80000, little endian).
printf '\000\000\310\102' | dd of=in/wrong/test_data_set_0/input_0.pb bs=1 seek=99999 conv=notrunc 2>/dev/null ||
  fail "cannot change the input"
run verify in/wrong --rtol 0 --atol 1e-4
[ "$code" -eq 1 ] || fail "verify of other numbers: exit $code, expected 1"
[ "$(tail -n 1 stdout)" = "0 passed, 1 failed, 0 unsupported" ] || fail "verify of other numbers closes otherwise"
finish
