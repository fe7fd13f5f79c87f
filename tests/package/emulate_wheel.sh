#!/bin/sh
# usage: emulate_wheel.sh SOURCE BUILD
# Makes the wheel of Python 3.11 for aarch64, and installs it with NumPy 1.26 and 2. In the emulator the program and
# the module quantize the sample as the program in BUILD does, and the module reads FLAC files. Every file asks for
# glibc 2.28 at most and needs no library except glibc. 77: skipped.
set -eu
source=$1 build=$2
skip() {
  echo "package.wheel_aarch64 SKIPPED: $*"
  exit 77
}
fail() {
  echo "package.wheel_aarch64: $*" >&2
  exit 1
}
command -v mvn >/dev/null && command -v qemu-aarch64 >/dev/null || skip "scripts/setup --wheel was not run"
[ "$(uname -m)" != aarch64 ] || skip "package.wheel makes this machine's wheels"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

begun=$(date +%s)
"$source/scripts/wheel" --arch aarch64 --output "$work" 3.11 || fail "scripts/wheel failed"
echo "scripts/wheel took $(($(date +%s) - begun)) s"
wheel=$(echo "$work"/detent_ptq-*-cp311-*_aarch64.whl)
[ "$(stat -c %s "$wheel")" -lt 40000000 ] || fail "$wheel is too large"
dependencies=$source/build/wheel-deps/aarch64
python=$dependencies/python/3.11/bin/python3.11

sample=$source/datasets/samples/shapes_unet
mkdir "$work/images"
cp "$sample"/calib/00[0-3].png "$work/images" # four of 24, for the emulator's sake
# quantize OUTPUT CALIBRATOR DETENT...: prints the SQNR in dB.
quantize() {
  output=$1 calibrator=$2
  shift 2
  "$@" quantize "$sample/model_opset13.onnx" --data "$work/images" --preprocess imagenet,resize=128x128,crop=128 --quiet \
    --calibrator "$calibrator" -o "$output" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["error"]["sqnr_db"])'
}
# same WHO SQNR FILE: fails unless both are this machine's within rounding, which differs with the vectors.
same() {
  awk -v a="$2" -v b="$expected" 'BEGIN { d = a - b; exit !(d < 0.1 && d > -0.1) }' ||
    fail "$1: SQNR $2 dB, the build's is $expected dB"
  pairs=$(python3 "$source/tests/package/same_pairs.py" "$work/build.onnx" "$3" 2>&1) || fail "$1: $pairs"
  echo "$1: SQNR $2 dB, the build's is $expected dB; $pairs"
}
expected=$(quantize "$work/build.onnx" percentile "$build/detent")
quantize "$work/max.onnx" max "$build/detent" >/dev/null
! python3 "$source/tests/package/same_pairs.py" "$work/build.onnx" "$work/max.onnx" 2>/dev/null ||
  fail "same_pairs takes the ranges of another calibrator"
for numpy in 1.26 2; do
  site=$work/site-$numpy
  python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$site" --only-binary :all: \
    --python-version 3.11 --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
    --platform manylinux2014_aarch64 "numpy==$numpy.*" "$wheel" || fail "pip refuses $wheel"
  begun=$(date +%s)
  export PYTHONPATH="$site"
  "$python" "$source/tests/package/flac_folder.py" || fail "NumPy $numpy: FLAC"
  found=$("$python" - "$sample" "$work/images" "$work/module.onnx" <<'END'
import sys
import detent
sample, images, output = sys.argv[1:]
options = {"calibrator": "percentile", "preprocess": "imagenet,resize=128x128,crop=128", "overwrite": True}
report = detent.quantize(sample + "/model_opset13.onnx", output, images, **options)
print(report.error.sqnr_db)
END
  ) || fail "NumPy $numpy: the module"
  unset PYTHONPATH
  same "Python 3.11, NumPy $numpy, aarch64, $(($(date +%s) - begun)) s" "$found" "$work/module.onnx"
done
found=$(quantize "$work/program.onnx" percentile qemu-aarch64 -L "$dependencies/system" "$site/detent/detent")
same "the program, aarch64" "$found" "$work/program.onnx"

for file in "$site"/detent/*.so "$site/detent/detent" "$site"/detent.libs/*; do
  readelf -h "$file" | grep -q 'Machine: *AArch64' || fail "$file is not for aarch64"
  foreign=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -v -E '^((libc|libm|libdl|librt|libpthread|ld-linux-aarch64)[.]so[.]|libomp-)' || :)
  [ -z "$foreign" ] || fail "$file needs $foreign"
  newest=$(readelf -VW "$file" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1)
  [ "$(printf 'GLIBC_2.28\n%s\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || fail "$file asks for $newest"
done
