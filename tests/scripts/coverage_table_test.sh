#!/bin/sh
# coverage_table_test.sh SOURCE PROGRAM: the table over the bundled samples has a row for each file and target, with
# the numbers of the plan and the findings of lint, and a sum for each target; a folder without models gives a
# message.
set -eu
source=$1
DETENT=$2
export DETENT
fail() {
  echo "coverage_table: $1"
  exit 1
}
table=$("$source/scripts/coverage_table" "$source/datasets/samples") || fail "exit $?"
files=$(find "$source/datasets/samples" -name '*.onnx' | wc -l)
rows=$(echo "$table" | grep -v '^| all ' | grep -c -E '\| (tensorrt|onnxruntime|tensorrt:11) \|')
[ "$rows" -eq $((3 * files)) ] || fail "$rows rows for $files files"
echo "$table" | grep -q '| shapes_unet/model_opset13 | tensorrt | 18 | 18 | 100.0 / - / 0.0 % .* / - / .*| 24 | 0 | 0 |$' || fail "tensorrt: $table"
echo "$table" | grep -q '| shapes_unet/model_opset13 | tensorrt:11 | 18 | 18 | 100.0 / 0.0 / 0.0 % .*| 24 | 1 | 0.*|$' || fail "tensorrt:11: $table"
echo "$table" | grep 'model_opset13 | tensorrt:11' | grep -q -E '\| [1-9][0-9.]* / [1-9][0-9.]* / [0-9.]+ % \| 24' || fail "no bytes in halves: $table"
echo "$table" | grep -q '| shapes_unet/model_opset13 | onnxruntime | 18 | 13 | 94.*| 23 | 0 | 5, note |$' || fail "onnxruntime: $table"
for target in tensorrt onnxruntime tensorrt:11; do
  [ "$(echo "$table" | grep -c "^| all $files files | $target |")" -eq 1 ] || fail "no sum for $target: $table"
done
empty=$(mktemp -d)
trap 'rmdir "$empty"' EXIT
if "$source/scripts/coverage_table" "$empty" 2>/dev/null; then fail "an empty folder passes"; fi
