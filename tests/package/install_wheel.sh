#!/bin/sh
# usage: install_wheel.sh SOURCE BUILD
# Makes the wheels and installs each with pip into fresh environments, which have only NumPy: 1.26 and 2. There the
# program quantizes the sample as well as the one in BUILD, and the module passes its tests and reads FLAC files. Every
# file asks for glibc 2.28 at most, and no library comes from the system except glibc, and GCC's for oneDNN's binary.
# cv2, onnx, onnxruntime and torch work in the same process whichever is imported first. Does the same in a bare, older
# root if mmdebstrap can make one. 77: skipped.
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
command -v mvn >/dev/null && command -v nasm >/dev/null || skip "scripts/setup --wheel was not run"
work=$(mktemp -d)
cleanup() {
  for place in proc dev; do umount -l "$work/root/$place" 2>/dev/null || :; done
  rm -rf --one-file-system "$work" # never into /dev, if it is still mounted
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

begun=$(date +%s)
"$source/scripts/wheel" --output "$work" || fail "scripts/wheel failed"
echo "scripts/wheel took $(($(date +%s) - begun)) s"
sample=$source/datasets/samples/shapes_unet
images="--data $sample/calib --preprocess imagenet,resize=128x128,crop=128 --quiet"

# ---- Each Python with each NumPy ------------------------------------------------------------------------------------
# quantize DETENT OUTPUT: prints the SQNR in dB.
quantize() {
  # shellcheck disable=SC2086 # a list of words
  "$1" quantize "$sample/model_opset13.onnx" $images -o "$2" --overwrite --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["error"]["sqnr_db"])'
}
expected=$(quantize "$build/detent" "$work/build.onnx")
# NumPy 1.26 is older than Python 3.13.
for pair in 3.10:1.26 3.10:2 3.11:1.26 3.11:2 3.12:1.26 3.12:2 3.13:2; do
  python=${pair%:*} numpy=${pair#*:}
  env=$work/env-$python-$numpy
  wheel=$(echo "$work"/detent_ptq-*-cp"$(echo "$python" | tr -d .)"-*.whl)
  [ "$(stat -c %s "$wheel")" -lt 40000000 ] || fail "$wheel is too large"
  begun=$(date +%s)
  "$source/build/wheel-deps/$(uname -m)/python/$python/bin/python$python" -m venv "$env"
  "$env/bin/pip" install -q --disable-pip-version-check "numpy==$numpy.*" "$wheel" || fail "pip refuses $wheel"
  "$env/bin/detent" --version >/dev/null
  found=$(quantize "$env/bin/detent" "$work/wheel.onnx")
  # Another compiler rounds otherwise.
  awk -v a="$found" -v b="$expected" 'BEGIN { d = a - b; exit !(d < 0.1 && d > -0.1) }' ||
    fail "Python $python, NumPy $numpy: SQNR $found dB, the build's is $expected dB"
  for test in python/test_module python/test_data python/test_reports package/flac_folder; do
    "$env/bin/python" "$source/tests/$test.py" "$source" 2>"$work/log" ||
      fail "Python $python, NumPy $numpy: $test.py: $(tail -n 30 "$work/log")"
  done
  echo "Python $python, NumPy $("$env/bin/python" -c 'import numpy; print(numpy.__version__)'):" \
    "SQNR $found dB, the module's tests pass, $(($(date +%s) - begun)) s"
done

# ---- An environment of this machine's Python ------------------------------------------------------------------------
machine=$(/usr/bin/python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
wheel=$(echo "$work"/detent_ptq-*-cp"$machine"-*.whl)
[ -e "$wheel" ] || { echo "the rest is SKIPPED: no wheel for this machine's Python $machine" && exit 0; }
/usr/bin/python3 -m venv --system-site-packages "$work/env" # with this machine's torch, if there is one
"$work/env/bin/pip" install -q --no-index "$wheel" || fail "pip refuses $wheel"
site=$(echo "$work"/env/lib/python3*/site-packages)
quantize "$work/env/bin/detent" "$work/wheel.onnx" >/dev/null
code=0
"$work/env/bin/detent" no_command 2>/dev/null || code=$?
[ $code -eq 2 ] || fail "the exit code of a wrong command is $code"

# foreign_libraries: prints each library that a file of the wheel needs and the wheel has not, or that is not found. It
# leaves out glibc's, and GCC's of oneDNN.
foreign_libraries() {
  for file in "$site"/detent/*.so "$site/detent/detent" "$site"/detent.libs/*; do
    ldd "$file" | grep 'not found' || :
    gcc=-
    case "$file" in */libdnnl-*) gcc='^(libgcc_s|libstdc[+][+])[.]so[.]' ;; esac
    for library in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
      [ -e "$site/detent.libs/$library" ] || echo "$library"
    done | grep -v -E -e '^(libc|libm|libdl|librt|libpthread|ld-linux-x86-64)[.]so[.]' -e "$gcc" || :
  done | sort -u
}
[ -z "$(foreign_libraries)" ] || fail "libraries from outside: $(foreign_libraries)"
# newest_glibc FILE...: prints the newest version of glibc that the files ask for.
newest_glibc() { readelf -VW "$@" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1; }
for file in "$site"/detent/*.so "$site/detent/detent" "$site"/detent.libs/*; do
  [ "$(printf 'GLIBC_2.28\n%s\n' "$(newest_glibc "$file")" | sort -V | tail -n 1)" = GLIBC_2.28 ] ||
    fail "$file asks for $(newest_glibc "$file")"
done
# unique_symbols FILE...: counts the symbols that all copies of a library in a process would share.
unique_symbols() { nm -D --defined-only "$@" 2>/dev/null | grep -c ' u ' || :; }
[ "$(unique_symbols "$site"/detent.libs/*)" -eq 0 ] || fail "a bundled library has unique symbols"
[ "$(nm -D --defined-only "$site"/detent/_detent*.so | wc -l)" -eq 1 ] || fail "the module shows more than PyInit__detent"
# The checks can fail.
mv "$site"/detent.libs/libomp* "$work"
foreign_libraries | grep -q 'libomp.* not found' || fail "a library that is missing is not noticed"
mv "$work"/libomp* "$site/detent.libs"
[ "$(newest_glibc "$build/detent")" != GLIBC_2.28 ] || fail "newest_glibc says 2.28 of this machine's program"
# licensed: all that is compiled in, copied beside it, or refers to a common text.
licensed="detent onednn onednn-third-parties pybind11 libcxx compiler-rt glibc common-licenses/Apache-2.0 libeigen3-dev libcli11-dev nlohmann-json3-dev"
for package in $licensed zlib zip utf8proc pcre2 pugixml fmt hwy tbb omp protobuf onnx jpeg png webp tiff flac opencv; do
  [ -s "$site"/detent_ptq-*.dist-info/licenses/"$package" ] || fail "no licence of $package"
done

# ---- Beside other modules -------------------------------------------------------------------------------------------
# beside ENV MODULE...: Detent imported before and after those modules that the environment has.
beside() {
  env=$1 others=""
  shift
  for module; do
    if "$env/bin/python" -c "import $module" 2>/dev/null; then others="$others $module"; else
      echo "beside $module SKIPPED, it is not installed"
    fi
  done
  [ -n "$others" ] || return 0
  for order in "detent$others" "${others# } detent"; do
    # shellcheck disable=SC2086
    "$env/bin/python" "$source/tests/package/beside_others.py" "$sample" "$work/beside.onnx" $order ||
      fail "imports in the order $order"
    cmp "$work/beside.onnx" "$work/wheel.onnx" || fail "the result is another after imports in the order $order"
    echo "imports in the order $order: the same result"
  done
}
"$work/env-3.11-2/bin/pip" install -q --disable-pip-version-check -r "$source/tests/package/beside_wheel.txt" ||
  echo "tests/package/beside_wheel.txt cannot be installed"
beside "$work/env-3.11-2" cv2 onnx onnxruntime
beside "$work/env" torch # Debian's, because the index has it for x86-64 only with CUDA: 3 GB

# ---- A bare Debian 11, whose glibc 2.31 is the oldest that can be had ------------------------------------------------
bare() {
  if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then return 1; fi
  mmdebstrap --quiet --variant=minbase bullseye "$work/root" >"$work/log" 2>&1 || return 1
  for place in proc dev; do mount --rbind "/$place" "$work/root/$place" 2>/dev/null || return 1; done
}
if bare; then
  mkdir -p "$work/root/source/datasets/samples" "$work/root/source/tests"
  cp -r "$sample" "$work/root/source/datasets/samples"
  cp -r "$source/tests/python" "$source/tests/package" "$work/root/source/tests"
  cp -r "$source/build/wheel-deps/$(uname -m)/python/3.11" "$work/root/python"
  cp -r "$work/env-3.11-2/lib/python3.11/site-packages" "$work/root/site"
  chroot "$work/root" sh -euc '
    export HOME=/tmp PYTHONPATH=/site
    /site/detent/detent quantize /source/datasets/samples/shapes_unet/model_opset13.onnx --quiet -o /tmp/out.onnx \
      --data /source/datasets/samples/shapes_unet/calib --preprocess imagenet,resize=128x128,crop=128
    for test in python/test_module python/test_data python/test_reports package/flac_folder; do
      /python/bin/python3.11 /source/tests/$test.py /source
    done' \
    >"$work/log" 2>&1 || fail "in a bare root: $(tail -n 30 "$work/log")"
  cmp "$work/root/tmp/out.onnx" "$work/wheel.onnx" || fail "the result is another in a bare root"
  echo "in a bare root, $(chroot "$work/root" ldd --version | head -n 1): the same result"
else
  echo "the bare root is SKIPPED: mmdebstrap makes none here"
fi
