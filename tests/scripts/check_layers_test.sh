#!/bin/sh
# check_layers_test.sh ROOT: the checker passes a tree with one file in every room of ROOT's table, and names each
# planted violation. Every case is removed before the next, and the tree must pass again at the end.
set -eu
checker=$1/scripts/check_layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# put PATH LINE...: a file of these lines
put() {
  mkdir -p "$tree/$(dirname "$1")"
  path=$1
  shift
  printf '%s\n' "$@" >"$tree/$path"
}

fail() {
  echo "FAILED: $1"
  failures=1
}

# expect TEXT...: the checker fails and its lines hold each text; no line is about anything else.
expect() {
  if "$checker" "$tree" >"$tree/out"; then fail "no violation where '$1' was expected"; fi
  for text; do
    grep -qF "$text" "$tree/out" || { fail "no line says '$text':"; cat "$tree/out"; }
    grep -vF "$text" "$tree/out" >"$tree/rest" || true
    mv "$tree/rest" "$tree/out"
  done
  [ ! -s "$tree/out" ] || { fail "besides '$1' it says:"; cat "$tree/out"; }
}

expect_clean() {
  "$checker" "$tree" >"$tree/out" || { fail "$1 is refused:"; cat "$tree/out"; }
}

mkdir "$tree/src"
cp "$1/src/README.md" "$tree/src/README.md"
"$checker" --rooms "$1" >"$tree/rooms"
while read -r room headers; do
  for path in ${headers:-$room/first.h}; do
    case "$path" in include/* | calibrators/* | datasets/*) ;; *) path=src/$path ;; esac
    put "$path" '#include <vector>'
  done
done <"$tree/rooms"
expect_clean "one file in every room"

# Includes that the table allows, third parties and the system's headers.
put src/model/graph/graph.cpp '#include "model/graph/first.h"' '#include "detent/base/first.h"' '#include <unistd.h>' '#include <onnx/onnx_pb.h>'
put src/place/draft/draft.cpp '#include "place/plan/first.h"' '#include "ops/traits.h"' '#include "model/graph/first.h"'
put src/prepare/fold.cpp '#include <Eigen/Core>' '#include <onnx/defs/schema.h>'
put src/run/workers.cpp '#include <tbb/task_arena.h>' '#include "exec/first.h"' '#include "ops/first.h"'
put src/cli/main.cpp '#include <CLI/CLI.hpp>' '#include "report/json/first.h"'
expect_clean "what the table allows"

# Upwards: between rooms, between the folders of one room, past a neighbour.
put src/model/second.cpp '#include "ops/first.h"'
expect "src/model/second.cpp:1: model may not include ops (ops/first.h)"
put src/model/second.cpp '#include "detent/base/first.h"'
put src/ops/memory/second.cpp '#include <vector>' '#include "ops/window/first.h"'
expect "src/ops/memory/second.cpp:2: ops/memory may not include ops/window (ops/window/first.h)"
put src/ops/memory/second.cpp '#include "ops/first.h"'
put src/report/html/second.cpp '#include "report/text/first.h"'
expect "report/html may not include report/text (report/text/first.h)"
put src/report/html/second.cpp '#include "report/first.h"'
put calibrators/second.h '#include "model/first.h"'
expect "calibrators may not include model (model/first.h)"
put calibrators/second.h ''
put include/detent/second.h '#include "core/first.h"'
expect "include/detent may not include core (core/first.h)"
put include/detent/second.h '#include "detent/base/first.h"'
expect_clean "the tree after upward includes"

# placement, equalization, lint and rewriting see the traits of operators in ops, not their kernels.
for room in place/plan place/draft place/engines equalize lint/reading lint/findings rewrite; do
  put "src/$room/second.cpp" '#include "ops/first.h"'
  expect "src/$room/second.cpp:1: $room may not include ops (ops/first.h), there only traits"
  put "src/$room/second.cpp" '#include "ops/memory/first.h"'
  expect "$room may not include ops/memory (ops/memory/first.h)"
  put "src/$room/second.cpp" '#include "ops/traits.h"'
done
put src/ops/traits.h '#include "ops/first.h"'
expect "src/ops/traits.h:1: traits may not include ops (ops/first.h)"
put src/ops/traits.h '#include "model/graph/first.h"'
put src/exec/second.cpp '#include "ops/first.h"'
put src/tune/second.cpp '#include "detent/first.h"'
expect "tune may not include include/detent (detent/first.h)"
put src/tune/second.cpp '#include "detent/base/first.h"'
put src/report/json/second.cpp '#include "detent/first.h"'
put include/detent/detent.h '#include "detent/first.h"'
expect_clean "traits for those, kernels for exec, commands for reports"
put src/report/json/second.cpp ''

# Third parties.
put src/model/second.cpp '#include <vector>' '  #  include <opencv2/core.hpp>'
expect "src/model/second.cpp:2: OpenCV (opencv2/core.hpp) is not for model, only for datasets"
put src/model/second.cpp '#include <Eigen/Core>'
expect "Eigen (Eigen/Core) is not for model, only for core, ops, prepare, rewrite"
put src/model/second.cpp '#include <boost/any.hpp>'
expect '"boost/any.hpp" is neither ours nor a third party'
put src/model/second.cpp '#include "model/gone.h"'
expect '"model/gone.h" is neither ours nor a third party'
put src/model/second.cpp '#include <onnx/onnx_pb.h>'
put src/ops/onednn/second.cpp "#include <dnnl.hpp>"
expect_clean "third parties behind their fences"

# Circles of folders.
put src/exec/second.cpp '#include "observe/first.h"'
put src/observe/first.h '#include "exec/first.h"'
expect "src/exec/second.cpp:1: exec may not include observe (observe/first.h)" \
  "folders include each other: exec -> observe (src/exec/second.cpp:1) -> exec (src/observe/first.h:1)"
put src/exec/second.cpp ''
expect_clean "the tree after a circle of folders"

# Circles of units: of headers, through a .cpp, of three; a .cpp and its own header are one unit.
put src/core/b.h '#include "core/a.h"'
put src/core/a.h '#include "core/b.h"'
expect "src/core/a.h:1: units include each other: core/a -> core/b (src/core/a.h:1) -> core/a (src/core/b.h:1)"
put src/core/a.h ''
put src/core/a.cpp '#include <vector>' '#include "core/b.h"'
expect "units include each other: core/a -> core/b (src/core/a.cpp:2) -> core/a (src/core/b.h:1)"
put src/core/a.cpp '#include "core/a.h"' '#include "core/c.h"'
put src/core/c.h ''
put src/core/c.cpp '#include "core/c.h"' '#include "core/b.h"'
expect "core/a -> core/c (src/core/a.cpp:2) -> core/b (src/core/c.cpp:2) -> core/a (src/core/b.h:1)"
put src/core/c.cpp '#include "core/c.h"'
expect_clean "the tree after circles of units"

# The table itself.
put src/utils/strings.h '#include <string>'
expect 'src/utils/strings.h:1: folder "utils" has no row in src/README.md'
rm -r "$tree/src/utils"
rm -r "$tree/src/lint/view"
expect "room lint/view has no files"
put src/lint/view/first.h ''
rm "$tree/src/ops/traits.h"
expect "ops/traits.h is not there" '"ops/traits.h" is neither ours'
put src/ops/traits.h ''
# changed SED_SCRIPT TEXT...: with the table changed by the script, the checker says TEXT.
changed() {
  sed "$1" "$tree/src/README.md" >"$tree/README"
  mv "$tree/src/README.md" "$tree/kept"
  mv "$tree/README" "$tree/src/README.md"
  shift
  expect "$@"
  mv "$tree/kept" "$tree/src/README.md"
}
changed 's/^\(| `model\/graph` .*| \)`core\/files` |$/\1`core\/files`, `cellar` |/' 'model/graph uses "cellar", which is no room of the table'
changed 's/^| zlib .*$/| zlib | `cellar` |/' '"cellar" is no room of the table'
changed 's/^| zlib .*$/| abacus | `core` |/' 'check_layers knows no library abacus'
changed 's/^\(| `report` .*| \)`..\/include\/detent`, `core` |$/\1`report\/text` |/' 'by the table report uses itself in a circle' \
  'by the table report/document uses itself in a circle' 'by the table report/build uses itself in a circle' \
  'by the table report/text uses itself in a circle'
expect_clean "the mended tree"

[ "$failures" -ne 0 ] || echo "check_layers: all cases as expected"
exit "$failures"
