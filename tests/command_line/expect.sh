# shellcheck shell=sh
# Sourced by the tests of this folder. Each runs the program as a user would (environment DETENT) in an empty folder of
# its own, and checks exit code, messages and what lies there afterwards.
set -u
: "${DETENT:?the program under test}"
here=$(cd "$(dirname "$0")" && pwd)
sample=$(cd "$here/../../datasets/samples/shapes_unet" && pwd)
model=$sample/model_opset13.onnx
preprocess=unit,mean=.485/.456/.406,std=.229/.224/.225
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out"
cd "$work" || exit 1
failures=0
cases=0

fail() {
  echo "FAILED: $*"
  sed 's/^/    | /' stdout stderr 2>/dev/null | head -n 20
  failures=$((failures + 1))
}

# run ARG...: leaves stdout, stderr and $code.
run() {
  cases=$((cases + 1))
  code=0
  "$DETENT" "$@" >stdout 2>stderr </dev/null || code=$?
}

# accepts SENTENCE ARG...: exit 0.
accepts() {
  sentence=$1
  shift
  run "$@"
  [ "$code" -eq 0 ] || fail "$sentence: exit $code, expected 0"
}

# refuses SENTENCE CODE TEXT ARG...: this exit code, one line "detent: ..." that contains TEXT (hints may follow it), and
# nothing left in out/.
refuses() {
  sentence=$1 expected=$2 text=$3
  shift 3
  run "$@"
  [ "$code" -eq "$expected" ] || fail "$sentence: exit $code, expected $expected"
  says "$sentence" "$text"
  leaves_nothing "$sentence"
}

# says SENTENCE TEXT: stderr is one line "detent: ...", besides warnings, hints, what a slow machine says of slow steps, and what clang's
# OpenMP library (sanitizer builds) says where no file may grow; TEXT stands in it or in the hint.
says() {
  [ "$(grep -c '^detent: ' stderr)" -eq 1 ] || fail "$1: not exactly one line that begins 'detent: '"
  if grep -v -e '^detent: ' -e '^hint: ' -e '^  ' -e ' has been running for [0-9]* s$' -e '^OMP: Warning #179: ' stderr | grep -q .; then fail "$1: other lines on stderr"; fi
  grep -qF -e "$2" stderr || fail "$1: the message does not say '$2'"
}

leaves_nothing() {
  [ -z "$(ls -A out)" ] || fail "$1: left in the output folder: $(ls -A out)"
}

# quantize_sample ARG...: the arguments of an ordinary run over four images, besides what the test adds.
quantize_sample="quantize $model --quiet --data $sample/calib --preprocess $preprocess --limit 4"

finish() {
  [ "$failures" -eq 0 ] && echo "$cases cases as expected"
  exit "$((failures > 0))"
}
