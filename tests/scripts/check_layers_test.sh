#!/bin/sh
# check_layers_test.sh ROOT: the checker passes a small clean tree and names each kind of violation in a broken one.
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

# expect TEXT: the checker fails and prints a line with this text.
expect() {
  if "$checker" "$tree" >"$tree/out"; then fail "no violation where '$1' was expected"; fi
  grep -qF "$1" "$tree/out" || { fail "no line says '$1':"; cat "$tree/out"; }
}

put include/detent/tensor.h '#include <vector>'
put include/detent/quantize.h '#include "detent/tensor.h"'
put src/core/tensor.cpp '#include "detent/tensor.h"' '#include <cstring>' '#include <unistd.h>'
put src/model/graph.h '#include "detent/tensor.h"'
put src/model/graph.cpp '#include "model/graph.h"' '#include <onnx/onnx_pb.h>' '#include <Eigen/Core>'
put src/ops/operator.h '#include "model/graph.h"'
put src/ops/onednn.h '#include <dnnl.hpp>'
put src/place/rules/concat.cpp '#include "ops/operator.h"'
put src/pipeline/quantize.cpp '#include "detent/quantize.h"' '#include "calibrators/max.h"' '#include <tbb/task_arena.h>'
put calibrators/max.h '#include "detent/tensor.h"'
put src/cli/main.cpp '#include "detent/quantize.h"' '#include <CLI/CLI.hpp>'
"$checker" "$tree" >"$tree/out" || { fail "the clean tree is refused:"; cat "$tree/out"; }

put src/model/graph.cpp '#include "ops/operator.h"'
expect "src/model/graph.cpp:1: model may not include ops (ops/operator.h)"
put src/model/graph.cpp '#include <vector>' '  #  include <opencv2/core.hpp>'
expect "src/model/graph.cpp:2: OpenCV (opencv2/core.hpp) is not for model, only for datasets"
put src/model/graph.cpp '#include "model/gone.h"'
expect '"model/gone.h" is neither ours nor a third party in the table'
put src/model/graph.cpp '#include <boost/any.hpp>'
expect '"boost/any.hpp" is neither ours nor a third party in the table'
put src/model/graph.cpp '#include "detent/quantize.h"'
expect "model may not include api (detent/quantize.h)"
put src/model/graph.cpp ''

put include/detent/tensor.h '#include <Eigen/Core>'
expect "Eigen (Eigen/Core) is not for public"
put include/detent/tensor.h '#include "core/tensor_impl.h"'
put src/core/tensor_impl.h ''
expect "public may not include core (core/tensor_impl.h)"
put include/detent/tensor.h ''

put src/place/rules/concat.cpp '#include "ops/onednn.h"'
expect "place may include only the traits of ops, not ops/onednn.h"
put src/place/rules/concat.cpp ''
put calibrators/max.h '#include "model/graph.h"'
expect "calibrators may not include model (model/graph.h)"
put calibrators/max.h ''
put src/utils/strings.h '#include <string>'
expect 'folder "utils" is in no layer'
rm -r "$tree/src/utils"

"$checker" "$tree" >"$tree/out" || { fail "the mended tree is refused:"; cat "$tree/out"; }
[ "$failures" -eq 0 ] && echo "check_layers: all cases as expected"
exit "$failures"
