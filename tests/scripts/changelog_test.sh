#!/bin/sh
# changelog_test.sh ROOT PROGRAM: CHANGELOG.md begins with the version of the program, its versions are
# MAJOR.MINOR.PATCH and descend, and each row of its table of deprecations has a replacement and versions.
set -eu
page=$1/CHANGELOG.md
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
  echo "FAILED: $*"
  failures=1
}

version='[0-9]+[.][0-9]+[.][0-9]+'
sed -nE 's/^## ([0-9][^ ,]*).*/\1/p' "$page" >"$work/versions"
grep -vxE "$version" "$work/versions" && fail "a version is not MAJOR.MINOR.PATCH"
current=$("$program" --version | sed -n '1s/^detent //p')
[ "$(head -n 1 "$work/versions")" = "$current" ] || fail "the newest version is $(head -n 1 "$work/versions"), the program's $current"
sort -rV -u "$work/versions" | cmp -s - "$work/versions" || fail "the versions do not descend: $(tr '\n' ' ' <"$work/versions")"

sed -n '/^## Deprecated/,/^## /p' "$page" | sed -n '/^| ---/,$p' | sed 1d | grep '^|' >"$work/rows" || true
if [ -s "$work/rows" ]; then
  grep -vE "^\| [^|]+ \| $version \| [^|]+ \| $version \|\$" "$work/rows" && fail "a deprecation lacks a version or what to use instead"
else
  grep -q '^Nothing: ' "$page" || fail "the table of deprecations is empty, and the page does not say that nothing is deprecated"
fi
[ "$failures" -eq 0 ] && echo "CHANGELOG.md: $(wc -l <"$work/versions") versions, $(wc -l <"$work/rows") deprecations"
exit "$failures"
