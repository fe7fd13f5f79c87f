#!/bin/sh
# install_test.sh: an engine that cannot be installed is named; it is a skip, and for OpenVINO a failure under CI=true.
# Nothing is left of it. An environment that is there is left alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
DETENT_ENGINES=$(mktemp -d)
export DETENT_ENGINES
trap 'rm -rf "$DETENT_ENGINES"' EXIT
failures=0

# ends CODE CI PATTERN ARGUMENT...: install.sh exits with CODE and says a line that fits PATTERN.
ends() {
  wanted=$1 ci=$2 pattern=$3 code=0
  shift 3
  said=$(CI=$ci DETENT_PYTHON=${python-false} DETENT_NPM=${npm-false} "$here/install.sh" "$@" 2>&1) || code=$?
  [ "$code" -eq "$wanted" ] || { echo "CI=$ci install.sh $*: exit $code, not $wanted" && failures=1; }
  echo "$said" | grep -qx "$pattern" || { echo "CI=$ci install.sh $*: no line '$pattern' in '$said'" && failures=1; }
}
ends 77 false "engines: openvino cannot be installed.*" openvino
ends 1 true "engines: openvino cannot be installed.*" openvino
ends 77 true "engines: qnn cannot be installed.*" qnn
ends 1 true "engines: qnn cannot be installed.*"  # all: the worst
ends 2 false "install.sh: no engine 'tensorflow'.*" tensorflow
[ -z "$(ls "$DETENT_ENGINES")" ] || { echo "left behind: $(ls "$DETENT_ENGINES")" && failures=1; }

folder=$("$here/install.sh" --path qnn)
mkdir -p "$folder/bin"
printf '#!/bin/sh\n' >"$folder/bin/python"
chmod +x "$folder/bin/python"
ends 0 true "" qnn  # silent: `false` would have failed

# Modules are installed by the list beside them, and only once.
npm=$DETENT_ENGINES/npm
# shellcheck disable=SC2016 # the stub expands it
printf '#!/bin/sh\n[ -f "$2/package-lock.json" ] && mkdir -p "$2/node_modules/onnxruntime-web"\n' >"$npm"
chmod +x "$npm"
ends 0 true "engines: installing web" web
unset npm
ends 0 true "" web

skip() { CI=$1 "$here/run_test.sh" openvino judge.py >/dev/null 2>&1 || echo $?; }
[ "$(skip false)" = 77 ] || { echo "run_test.sh does not skip without its engine" && failures=1; }
[ "$(skip true)" = 1 ] || { echo "run_test.sh accepts CI without OpenVINO" && failures=1; }
exit $failures
