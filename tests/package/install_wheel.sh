#!/bin/sh
# usage: install_wheel.sh SOURCE BUILD
# Makes the wheel and installs it with pip into a fresh environment, which has only NumPy. There the program writes the
# same file as the one in BUILD, and the module passes its tests. No library comes from the system except glibc's and
# the compiler's. cv2, onnx and torch work in the same process whichever is imported first. Does the same in a bare root
# if mmdebstrap can make one. 77 means skipped.
set -eu
source=$1 build=$2
skip() {
  echo "package.wheel SKIPPED: $*"
  exit 77
}
fail() {
  echo "package.wheel: $*" >&2
  exit 1
}
python=/usr/bin/python3
command -v patchelf >/dev/null || skip "patchelf is not installed"
$python -c 'import wheel.wheelfile, numpy, venv, ensurepip' 2>/dev/null ||
  skip "python3-wheel, python3-numpy or python3-venv is not installed"
ls "$build"/python/detent/_detent.*.so >/dev/null 2>&1 || skip "the build has no Python module"
work=$(mktemp -d)
cleanup() {
  for place in proc dev; do umount -l "$work/root/$place" 2>/dev/null || :; done
  rm -rf --one-file-system "$work" # never into /dev, if it is still mounted
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

"$source/scripts/wheel" --build "$build" --output "$work" || fail "scripts/wheel failed"
wheel=$(echo "$work"/detent-*.whl)
sample=$source/datasets/samples/shapes_unet
images="--data $sample/calib --preprocess imagenet,resize=128x128,crop=128 --quiet"

# ---- An environment of this machine's Python ------------------------------------------------------------------------
$python -m venv --system-site-packages "$work/env" # NumPy is this machine's
"$work/env/bin/pip" install -q --no-index "$wheel" || fail "pip refuses $wheel"
site=$(echo "$work"/env/lib/python3*/site-packages)
# shellcheck disable=SC2086 # a list of words
"$work/env/bin/detent" quantize "$sample/model_opset13.onnx" $images -o "$work/wheel.onnx"
# shellcheck disable=SC2086
"$build/detent" quantize "$sample/model_opset13.onnx" $images -o "$work/build.onnx"
cmp "$work/wheel.onnx" "$work/build.onnx" || fail "the wheel's program writes another file than the build's"
code=0
"$work/env/bin/detent" no_command 2>/dev/null || code=$?
[ $code -eq 2 ] || fail "the exit code of a wrong command is $code"
for name in module data reports; do
  "$work/env/bin/python" "$source/tests/python/test_$name.py" "$source" 2>"$work/log" ||
    fail "test_$name.py: $(tail -n 30 "$work/log")"
done

# foreign_libraries: prints each library that a file of the wheel finds outside of the wheel, with glibc's and the
# compiler's left out, or does not find.
foreign_libraries() {
  for file in "$site"/detent/*.so "$site/detent/detent" "$site"/detent.libs/*; do ldd "$file"; done |
    grep -v -e "/detent[.]libs/" -e linux-vdso -e '/ld-linux' |
    grep -v -E '\b(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc[+][+])[.]so[.]' | sort -u
}
[ -z "$(foreign_libraries)" ] || fail "libraries from outside: $(foreign_libraries)"
# unique_symbols FOLDER: counts the symbols that all copies of a library in a process would share.
unique_symbols() { nm -D --defined-only "$1"/*.so* 2>/dev/null | grep -c ' u ' || :; }
[ "$(unique_symbols "$site/detent.libs")" -eq 0 ] || fail "a bundled library has unique symbols"
[ "$(nm -D --defined-only "$site"/detent/_detent*.so | wc -l)" -eq 1 ] || fail "the module shows more than PyInit__detent"
# Both checks can fail.
mv "$site"/detent.libs/libpugixml* "$work"
foreign_libraries | grep -q 'libpugixml.* not found' || fail "a library that is missing is not noticed"
mv "$work"/libpugixml* "$site/detent.libs"
mkdir "$work/original"
cp "$(ldd "$build/detent" | awk '/libprotobuf/ { print $3 }')" "$work/original/libprotobuf.so"
[ "$(unique_symbols "$work/original")" -gt 0 ] || fail "Debian's protobuf has no unique symbols: drop make_symbols_ordinary"
for package in libdnnl libprotobuf libopencv-core common-licenses/Apache-2.0; do
  ls "$site"/detent-*.dist-info/licenses/"$package"* >/dev/null || fail "no licence of $package"
done

# ---- Beside other modules -------------------------------------------------------------------------------------------
others=""
for module in cv2 onnx torch; do
  if "$work/env/bin/python" -c "import $module" 2>/dev/null; then others="$others $module"; else
    echo "beside $module SKIPPED, it is not installed"
  fi
done
for order in "detent$others" "${others# } detent"; do
  # shellcheck disable=SC2086
  "$work/env/bin/python" "$source/tests/package/beside_others.py" "$sample" "$work/beside.onnx" $order ||
    fail "imports in the order $order"
  cmp "$work/beside.onnx" "$work/build.onnx" || fail "the result is another after imports in the order $order"
  echo "imports in the order $order: the same result"
done

# ---- A bare Debian --------------------------------------------------------------------------------------------------
bare() {
  if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then return 1; fi
  mmdebstrap --quiet --variant=minbase --include=python3,python3-numpy,python3-venv \
    --aptopt='Apt::Install-Recommends "false"' "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/root" \
    >"$work/log" 2>&1 || return 1
  for place in proc dev; do mount --rbind "/$place" "$work/root/$place" 2>/dev/null || return 1; done
}
if bare; then
  mkdir -p "$work/root/source/datasets/samples" "$work/root/source/tests"
  cp -r "$sample" "$work/root/source/datasets/samples"
  cp -r "$source/tests/python" "$work/root/source/tests"
  cp "$wheel" "$work/root/tmp"
  chroot "$work/root" sh -euc '
    export HOME=/tmp
    python3 -m venv --system-site-packages /tmp/env
    /tmp/env/bin/pip install -q --no-index /tmp/*.whl
    PATH=/tmp/env/bin:$PATH
    detent --version | head -n 1
    detent quantize /source/datasets/samples/shapes_unet/model_opset13.onnx --quiet -o /tmp/out.onnx \
      --data /source/datasets/samples/shapes_unet/calib --preprocess imagenet,resize=128x128,crop=128
    for name in module data reports; do python /source/tests/python/test_$name.py /source; done' >"$work/log" 2>&1 || fail "in a bare root: $(tail -n 30 "$work/log")"
  cmp "$work/root/tmp/out.onnx" "$work/build.onnx" || fail "the result is another in a bare root"
  echo "in a bare root of $(chroot "$work/root" dpkg-query -W | wc -l) packages: the same result"
else
  echo "the bare root is SKIPPED: mmdebstrap makes none here"
fi
