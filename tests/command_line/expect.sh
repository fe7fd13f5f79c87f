# shellcheck shell=sh
# Sourced by the tests of this folder. Each runs the program as a user would (environment DETENT) in an empty folder,
# and checks exit code, messages and the remaining files.
set -u
: "${DETENT:?the program under test}"
here=$(cd "$(dirname "$0")" && pwd)
sample=$(cd "$here/../../datasets/samples/shapes_unet" && pwd)
model=$sample/model_opset13.onnx
preprocess=unit,mean=.485/.456/.406,std=.229/.224/.225
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out" "$work/tmp"
export TMPDIR="$work/tmp"
# By default OpenMP's threads spin while they wait, which is half of the CPU time of these tests.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY-passive}"
cd "$work" || exit 1
failures=0
cases=0

fail() {
  echo "FAILED: $*"
  sed 's/^/    | /' stdout stderr 2>/dev/null | head -n 20
  failures=$((failures + 1))
}

# uniform COUNT SEED: pseudo-random numbers between -0.5 and 0.5, comma separated.
uniform() {
  awk -v n="$1" -v s="$2" 'BEGIN { for (; i < n; ++i) { s = s * 16807 % 2147483647; printf "%s%.4f", i ? "," : "", s / 2147483647 - 0.5 } }'
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

# refuses SENTENCE CODE TEXT ARG...: this exit code, one line "detent: ..." that contains TEXT (hints may follow it),
# and no file in out/.
refuses() {
  sentence=$1 expected=$2 text=$3
  shift 3
  run "$@"
  [ "$code" -eq "$expected" ] || fail "$sentence: exit $code, expected $expected"
  says "$sentence" "$text"
  leaves_nothing "$sentence"
}

# says SENTENCE TEXT: stderr is one line "detent: ...", besides warnings, hints, messages about slow steps, and
# messages of clang's OpenMP library (sanitizer builds) if no file may grow; TEXT stands in it or in the hint.
says() {
  [ "$(grep '^detent: ' stderr | grep -vc ' the running step is finished first')" -eq 1 ] || fail "$1: not exactly one line that begins 'detent: '"
  if grep -v -e '^detent: ' -e '^hint: ' -e '^  ' -e ' has been running for [0-9]* s$' -e '^OMP: Warning #179: ' stderr | grep -q .; then fail "$1: other lines on stderr"; fi
  grep -qF -e "$2" stderr || fail "$1: the message does not say '$2'"
}

leaves_nothing() {
  [ -z "$(ls -A out)" ] || fail "$1: left in the output folder: $(ls -A out)"
}

# An interrupted run never ends by itself, and is signalled on an event, not after a time.
endless=random:normal,n=1000000000

# begins ARG...: the program in the background, its number in $pid.
begins() {
  cases=$((cases + 1))
  : >stderr # output of the last run is no event
  "$DETENT" "$@" >"${stdout-stdout}" 2>stderr </dev/null &
  pid=$!
}

# until_true COMMAND...: waits for an event. The limit only ends a test that hangs.
until_true() {
  tries=3000
  until "$@"; do
    tries=$((tries - 1))
    if [ $tries -eq 0 ]; then return 1; fi
    sleep 0.02
  done
}

# State of $pid: it has a handler of SIGXFSZ, which it sets after those of SIGTERM, SIGINT and SIGHUP; it has also
# computed for HUNDREDTHS of a second (0.2 s); it has ended.
obeys() { grep -qs '^SigCgt:.*[13579bdf]......$' "/proc/$pid/status"; }
computes() { obeys && sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk -v least="${1-20}" '{ exit $12 + $13 < least }'; }
is_gone() { [ ! -d "/proc/$pid" ] || grep -qs '^State:.*Z' "/proc/$pid/status"; }
happens() { "$@" || is_gone; }

# once SENTENCE COMMAND...: waits until COMMAND is true of $pid, which must not end before.
once() {
  sentence=$1
  shift
  until_true happens "$@" || fail "$sentence: this never came: $*"
  if is_gone; then fail "$sentence: it ended before this: $*"; fi
}

# ends SENTENCE CODE: $pid ends with this exit code, long before a minute has passed.
ends() {
  if ! until_true is_gone; then
    fail "$1: it goes on"
    kill -KILL $pid
  fi
  code=0
  wait $pid 2>/dev/null || code=$?
  clear_up_behind $pid
  pid=
  [ "$code" -eq "$2" ] || fail "$1: exit $code, expected $2"
}

# clear_up_behind PID: removes the empty file that clang's OpenMP library (sanitizer builds) leaves if a process ends
# without its destructors, or if no file may grow; a later process with the same number would die of it.
clear_up_behind() { rm -f "/dev/shm/__KMP_REGISTERED_LIB_$1_$(id -u)"; }

# Six of the sample's images: the error of a model is measured on samples beyond --limit, or on calibration samples.
six=$work/six
mkdir "$six"
for number in 0 1 2 3 4 5; do ln -s "$sample/calib/00$number.png" "$six"; done
# quantize_sample ARG...: the arguments of an ordinary run over four images, and those of the test.
quantize_sample="quantize $model --quiet --data $six --preprocess $preprocess --limit 4"

finish() {
  [ "$failures" -eq 0 ] && echo "$cases cases as expected"
  exit "$((failures > 0))"
}
