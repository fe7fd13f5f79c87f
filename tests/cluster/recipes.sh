# shellcheck shell=sh
# Sourced by the tests of this folder: they run the recipes of src/calibrate/CLUSTERS.md unchanged.
set -eu
: "${DETENT:?the program under test}"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
sample=$root/datasets/samples/shapes_unet
preprocess=unit,mean=.485/.456/.406,std=.229/.224/.225
copies=${COPIES:-4}
work=$(mktemp -d)
chmod 755 "$work" # munge refuses sockets below folders that other users cannot pass
cleanup() { rm -rf "$work"; }
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "FAILED: $*"
  exit 1
}

# needs PROGRAM...: the test is skipped, by name, without them.
needs() {
  PATH=$PATH:/usr/sbin
  for program in "$@"; do
    command -v "$program" >/dev/null && continue
    echo "SKIPPED: there is no $program (scripts/setup --test installs it)"
    exit 77
  done
}

# block HEADING NUMBER: that indented block below '## HEADING...' of the page, with this folder's model and data in it.
block() {
  python3 -c 'import re, sys
heading, wanted, page = sys.argv[1:]
section = open(page).read().split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
blocks = re.findall("(?:^    .*\n)+", section, re.MULTILINE)
print(re.sub("(?m)^    ", "", blocks[int(wanted) - 1]), end="")' "$1" "$2" "$root/src/calibrate/CLUSTERS.md" | sed "s|--preprocess imagenet|--preprocess $preprocess|" >block
  [ -s block ] || fail "CLUSTERS.md has no block $2 below '## $1'"
  cat block
}

# The sample's images several times under other names, and the table of one run.
cd "$work"
mkdir bin FOLDER
ln -s "$DETENT" bin/detent
PATH=$work/bin:$PATH
cp "$sample/model_opset13.onnx" MODEL.onnx
for copy in $(seq "$copies"); do
  for image in "$sample"/calib/*.png; do ln -s "$image" "FOLDER/$copy-$(basename "$image")"; done
done
detent calibrate MODEL.onnx --data FOLDER --preprocess "$preprocess" --quiet -o single.dct >/dev/null

# same SENTENCE: the merged table is that of the single run.
same() { cmp MODEL.dct single.dct || fail "$1: the merged table is not that of one run"; }
