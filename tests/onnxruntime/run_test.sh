#!/bin/sh
# run_test.sh FILE.test.mjs: runs a test file, or names what is missing and exits 77 (CTest: skipped).
# Environment: DETENT (the program), DETENT_MODELS (comma separated), DETENT_SHARED.
set -eu
cd "$(dirname "$0")"
skip() {
  echo "SKIPPED $1 (${DETENT_MODELS-all models}): $2"
  exit 77
}
command -v node >/dev/null || skip "$1" "Node.js is not installed"
[ -d node_modules/onnxruntime-node ] || skip "$1" "onnxruntime-node is not installed (tests/onnxruntime/install.sh)"
case "${DETENT_MODELS-}" in
  sample | sample,branching) ;;
  *) [ -d "${DETENT_SHARED-}/models" ] || skip "$1" "no shared folder with models at '${DETENT_SHARED-}'" ;;
esac
exec node "$1"
