#!/bin/sh
# Installs the pinned ONNX Runtime for Node.js, once for each lock file, without install scripts: the CPU library is
# in the package, and the script would only fetch the GPU one.
set -eu
cd "$(dirname "$0")"
if cmp -s package-lock.json node_modules/.installed-lock.json; then exit 0; fi
if ! command -v npm >/dev/null; then
  echo "onnxruntime-node: no npm, the tests that need it will be skipped" >&2
  exit 1
fi
if ! npm ci --ignore-scripts --silent </dev/null; then
  echo "onnxruntime-node: npm ci failed, the tests that need it will be skipped" >&2
  exit 1
fi
cp package-lock.json node_modules/.installed-lock.json
