#!/bin/sh
# Tracked files have less than 1 MB, except the sample's model: weights that a tool leaves are not committed by mistake.
#   tracked_sizes_test.sh ROOT
set -eu
cd "$1"
large() { # lists tracked files of 1 MB and more
  git ls-files -z | xargs -0 -r stat -c '%s %n' -- | awk '$1 >= 1000000 { print }' | grep -v ' datasets/samples/' || true
}
git rev-parse --show-toplevel >/dev/null 2>&1 || {
  echo "SKIPPED: not a git checkout"
  exit 77
}
found=$(large)
[ -z "$found" ] || {
  echo "FAILED: tracked files of 1 MB and more:"
  echo "$found"
  exit 1
}

# The check finds one.
twin=$(mktemp -d)
trap 'rm -rf "$twin"' EXIT
cd "$twin"
git init -q .
head -c 1000000 /dev/zero >weights.bin
head -c 999999 /dev/zero >small.bin
git add .
[ "$(large)" = "1000000 weights.bin" ] || { echo "FAILED: the check finds '$(large)'"; exit 1; }
