#!/bin/sh
# usage: install_deb.sh BUILD
# Makes the packages and installs the .deb into a fresh root (a copy of this machine's, which is removed). There an
# ordinary user runs the main job, builds the examples against the installed library, runs them, and imports the Python
# module. Removes the package and looks for remaining files. Needs root for the mount; 77 means skipped.
set -eu
build=$1
skip() {
  echo "package.install SKIPPED: $*"
  exit 77
}
fail() {
  echo "package.install: $*" >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || skip "only root may mount"
command -v cpack >/dev/null && command -v dpkg-shlibdeps >/dev/null || skip "cpack or dpkg-dev is not installed"
work=$(mktemp -d)
cleanup() {
  umount -l "$work/root" 2>/dev/null || :
  umount -l "$work/layer" 2>/dev/null || :
  rm -rf --one-file-system "$work" # never into /dev, if it is still mounted
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

. "$(dirname "$0")/../scripts/debug_files.sh"
grep -q '^DETENT_DEBUG_FILES:.*=ON' "$build/CMakeCache.txt" || skip "the build makes no debug files: cmake --preset release"
# The archive of debug files takes 50 s of CPU and is the component that scripts.install installs, so it is left out
# here.
(cd "$build" && cpack -G DEB -B "$work/packages" >"$work/log" 2>&1 &&
  cpack -G TXZ -D CPACK_DETENT_DEBUG_FILES=OFF -B "$work/packages" >"$work/log" 2>&1) || fail "cpack: $(tail -n 20 "$work/log")"
for package in "$work"/packages/*.deb "$work"/packages/*.tar.xz; do
  echo "$(basename "$package") $(($(stat -c %s "$package") / 1024)) KiB"
done
deb=$(echo "$work"/packages/detent_*.deb)
dbgsym=$(echo "$work"/packages/detent-dbgsym_*.deb)
archive=$(echo "$work"/packages/detent-*-x86_64.tar.xz)

if command -v lintian >/dev/null; then
  lintian --fail-on error "$deb" "$dbgsym" >"$work/lintian" 2>&1 || fail "lintian: $(cat "$work/lintian")"
  echo "lintian: $(grep -c '^W' "$work/lintian" || :) warnings"
else
  echo "lintian SKIPPED, it is not installed"
fi

# The archive may be moved to any place.
mkdir -p "$work/moved"
tar -C "$work/moved" --strip-components=1 -xf "$archive"
"$work/moved/bin/detent" --version >/dev/null || fail "the program of the archive does not start"

expect_stripped "$work/moved/bin/detent"
address=$(address_of "$build/detent.debug" detent::quantize_model)
[ -n "$address" ] || fail "quantize_model is not in detent.debug"

mkdir -p "$work/layer" "$work/root"
mount -t tmpfs tmpfs "$work/layer" 2>/dev/null || skip "no mounts here"
mkdir "$work/layer/up" "$work/layer/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layer/up,workdir=$work/layer/work" "$work/root" 2>/dev/null ||
  skip "no overlay of / here"
cp "$deb" "$work/root/tmp/detent.deb"
inside() { chroot "$work/root" "$@"; }
inside dpkg -i /tmp/detent.deb >"$work/log" 2>&1 || fail "dpkg -i: $(cat "$work/log")"
inside dpkg -L detent | sort >"$work/files"

cat >"$work/root/tmp/as_user.sh" <<'USER'
set -eu
cd "$(mktemp -d)"
examples=/usr/share/doc/detent/examples
sample=$examples/shapes_unet
detent quantize $sample/model_opset13.onnx --data $sample/calib --preprocess imagenet,resize=128x128,crop=128 --quiet -o int8.onnx
detent lint int8.onnx --target tensorrt --strict --shape image=1,3,128,128 >lint.txt
test -s /usr/share/man/man1/detent-quantize.1 -o -s /usr/share/man/man1/detent-quantize.1.gz
for example in calibrate_tensors lint_gate; do
  cmake -S $examples/$example -B $example >log 2>&1 || { cat log; exit 1; }
  cmake --build $example >log 2>&1 || { cat log; exit 1; }
done
calibrate_tensors/calibrate_tensors $sample/model_opset13.onnx tensors.onnx | tail -n 1
lint_gate/lint_gate tensors.onnx tensorrt 0.9
if lint_gate/lint_gate $sample/model_opset13.onnx tensorrt 0.9 >/dev/null; then
  echo "a float model passes the gate"
  exit 1
fi
echo '#include <detent/base/version.h>
#include <cstdio>
int main() { std::puts(detent::version_number().c_str()); }' >version.cpp
g++ -std=c++20 version.cpp $(pkg-config --cflags --libs detent) -o version
test "detent $(./version)" = "$(detent --version | head -n 1)"
if python3 -c 'import numpy' 2>/dev/null; then
  python3 - $sample <<'PYTHON'
import detent, numpy, sys
images = numpy.random.default_rng(1).normal(size=(4, 3, 128, 128)).astype("float32")
report = detent.quantize(sys.argv[1] + "/model_opset13.onnx", "python.onnx", images)
print("python:", len(report["values"]), "values, verdict", report["verdict"])
detent.quantize(sys.argv[1] + "/model_opset13.onnx", "images.onnx", sys.argv[1] + "/calib", preprocess="imagenet,resize=128x128,crop=128", limit=2)
PYTHON
fi
USER
chmod 755 "$work/root/tmp" && chmod 1777 "$work/root/tmp"
for place in dev proc; do mount --rbind "/$place" "$work/root/$place" 2>/dev/null || :; done
code=0
chroot --userspec=65534:65534 "$work/root" env HOME=/tmp sh /tmp/as_user.sh >"$work/log" 2>&1 || code=$?
for place in dev proc; do umount -l "$work/root/$place" 2>/dev/null || :; done
[ $code -eq 0 ] || fail "as an ordinary user: $(tail -n 30 "$work/log")"
cat "$work/log"

# A stack trace has names and lines only with detent-dbgsym.
expect_no_line "$work/root/usr/bin/detent" "$address"
cp "$dbgsym" "$work/root/tmp/dbgsym.deb"
inside dpkg -i /tmp/dbgsym.deb >"$work/log" 2>&1 || fail "dpkg -i detent-dbgsym: $(cat "$work/log")"
there=$(inside addr2line -f -C -e /usr/bin/detent "$address" | paste -s -d ' ')
case "$there" in
  "detent::quantize_model("*" ./src/pipeline/quantize_model.cpp:"[1-9]*) echo "detent-dbgsym: $there" ;;
  *) fail "with detent-dbgsym $address is '$there'" ;;
esac
inside dpkg --purge detent-dbgsym >"$work/log" 2>&1 || fail "dpkg --purge detent-dbgsym: $(cat "$work/log")"

inside dpkg --purge detent >"$work/log" 2>&1 || fail "dpkg --purge: $(cat "$work/log")"
left=$(find "$work/layer/up" -name '*detent*' -not -path "*/up/tmp/*" -not -path '*/var/*' -type f)
[ -z "$left" ] || fail "left behind: $left"
while read -r file; do
  [ ! -f "$work/root$file" ] || fail "left behind: $file"
done <"$work/files"
echo "removed without leftovers"
