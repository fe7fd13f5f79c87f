#!/bin/sh
# check_tests_test.sh ROOT: the checker passes ROOT's folders with one test of each form, and names each planted
# violation. Every case is removed before the next, and the tree must pass again at the end.
set -eu
checker=$1/scripts/check_tests
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

put() {
  for path; do
    mkdir -p "$tree/$(dirname "$path")"
    : >"$tree/$path"
  done
}

# says LINE: the checker fails and says only this.
says() {
  if "$checker" "$tree" >"$tree/out"; then echo "FAILED: it passes without: $1"; failures=1; fi
  [ "$(cat "$tree/out")" = "$1" ] || { echo "FAILED: instead of: $1"; cat "$tree/out"; failures=1; }
}

# expect PATH TEXT: with this file the checker says TEXT of it. The file is removed.
expect() {
  put "$1"
  says "$1: $2"
  rm "$tree/$1"
}

expect_clean() {
  "$checker" "$tree" >"$tree/out" || { echo "FAILED: $1 is refused:"; cat "$tree/out"; failures=1; }
}

# The exceptions must be there.
sed -n 's/^    "\([a-z_/]*\)": .*/\1/p' "$checker" | while read -r folder; do put "tests/$folder/helper.h"; done
sed -n 's/^    "\([a-z_/]*_test[.]cpp\)": .*/\1/p' "$checker" | while read -r file; do
  put "tests/$file"
  case "$file" in calibrators/*) ;; *) put "src/$(dirname "$file")/unit.cpp" ;; esac
done
put src/run/padding.cpp src/run/wide/wide.h calibrators/mse.cpp datasets/images/bmp.h
put tests/run/padding_test.cpp tests/run/shared_padding_test.cpp tests/run/padding/odd_sizes_test.cpp tests/run/wide/wide_test.cpp \
  tests/calibrators/mse_test.cpp tests/datasets/images/bmp_test.cpp tests/run/helper.h tests/command_line/any_test.cpp
expect_clean "a test of each form"

none="no source has this path and name"
expect tests/run/odd_sizes_test.cpp "$none"
expect tests/padding/padding_test.cpp "padding is neither a room nor a folder that check_tests knows"
expect tests/calibrators/padding_test.cpp "$none"
expect tests/run/wide/padding_test.cpp "$none"
expect tests/run/wide_test.cpp "$none"
expect tests/datasets/bmp_test.cpp "$none"
put src/ops/bounds.cpp
says "tests/ops/bounds_test.cpp: has a source, so it is no exception of check_tests"
rm "$tree/src/ops/bounds.cpp" "$tree/tests/cluster/helper.h"
says "tests/cluster: an exception of check_tests, is not there"
put tests/cluster/helper.h
expect_clean "the mended tree"

[ "$failures" -ne 0 ] || echo "check_tests: all cases as expected"
exit "$failures"
