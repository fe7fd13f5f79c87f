#!/bin/sh
# contributing_test.sh ROOT: runs the commands of CONTRIBUTING.md's tables, in order. Commands
# that test everything, or install, are run by others, named here: a new one without a name runs here.
set -eu
cd "$1"
page=CONTRIBUTING.md
[ "$(wc -l <$page)" -le 60 ] || { echo "$page is longer than a screen"; exit 1; }
commands=$(sed -nE 's/^\|[^|]*\| `(([^`|]|\\\|)+)` \|.*/\1/p' $page | sed 's/\\|/|/g')
[ "$(printf '%s\n' "$commands" | wc -l)" -ge 12 ] || { echo "the tables of $page were not found"; exit 1; }
rm -rf build/dump build/outputs
failures=0
# run_by FILE COMMAND: fails unless the file runs the command.
run_by() { grep -qF -- "$2" "$1" || { echo "$1 does not run '$2'"; return 1; }; }
printf '%s\n' "$commands" | {
  while IFS= read -r command; do
    case "$command" in
      "scripts/setup --test") run_by scripts/test "$command" ;;
      "scripts/test --fast" | .ci/run) [ -x "${command%% *}" ] ;;  # the whole of what this test is a part of
      "ctest --preset release"*) ctest --preset release -N -R "$(echo "$command" | sed "s/.*-R '\(.*\)'/\1/")" | grep -q "scripts.tidy" ;;
      "scripts/same_bytes"*) run_by tests/scripts/CMakeLists.txt same_bytes_test.sh ;;
      bench/build_cost) run_by scripts/nightly "$command" ;;
      *) sh -c "$command" </dev/null >build/contributing.log 2>&1 ;;
    esac || { echo "'$command' fails:"; tail -n 5 build/contributing.log; failures=$((failures + 1)); }
  done
  [ -s build/dump/001-prepared.onnx ] && grep -q "^R[0-9]* .*: Conv .* runs in INT8: " build/dump/*-draft.txt ||
    { echo "no graph or no decision in build/dump"; failures=$((failures + 1)); }
  exit $((failures > 0))
}
