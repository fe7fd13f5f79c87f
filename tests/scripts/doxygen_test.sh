#!/bin/sh
# usage: doxygen_test.sh SOURCE
# doxygen makes pages of the public interface without a warning; a reference to an unknown name is one.
set -eu
command -v doxygen >/dev/null || { echo "doxygen SKIPPED, it is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/include" "$work/build" "$work/scripts"
cp -r "$1/include/detent" "$work/include/"
cd "$work"
doxygen "$1/scripts/packaging/Doxyfile" >log 2>&1 || { cat log; exit 1; }
printf '/// \\param nothing is not there\nvoid wrong(int number);\n' >include/detent/wrong.h
if doxygen "$1/scripts/packaging/Doxyfile" >log 2>&1; then
  echo "a wrong parameter passes"
  exit 1
fi
