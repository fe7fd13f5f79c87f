#!/bin/sh
# run_test.sh ENGINE SCRIPT [ARGUMENT...]: runs a script in the environment of an engine (install.sh), or names what is
# missing and exits 77 (CTest: skipped). Under CI=true OpenVINO must be there: exit 1. Scripts of web run in Node and
# find its modules by DETENT_WEB; they name what is missing themselves.
set -eu
cd "$(dirname "$0")"
engine=$1
shift
if [ "$engine" = web ]; then
  command -v node >/dev/null || { echo "SKIPPED $*: node is not installed" && exit 77; }
  DETENT_WEB=${DETENT_WEB:-$(./install.sh --path web)} exec node "$@"
fi
python=$(./install.sh --path "$engine")/bin/python
if [ ! -x "$python" ]; then
  if [ "$engine" = openvino ] && [ "${CI-}" = true ]; then
    echo "FAILED $*: $engine is not installed (tests/engines/install.sh), and CI must not lose this judge" >&2
    exit 1
  fi
  echo "SKIPPED $*: $engine is not installed (tests/engines/install.sh)"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
exec "$python" "$@"
