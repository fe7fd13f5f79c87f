#!/bin/sh
# rules_page_test.sh ROOT PROGRAM: src/place/RULES.md explains every rule and every finding that the program can
# print, with the finding's level, and no other; the manual of `plan` has every rule; the help of `plan` and `lint`
# names the page.
set -eu
. "$(dirname "$0")/findings.sh"
page=$1/src/place/RULES.md
names=$1/src/place/plan/rule_id.cpp
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# same WHAT PAGE: the list of the program is the list of the page.
same() {
  sort "$work/program" >"$work/a"
  sort "$work/page" >"$work/b"
  [ -s "$work/a" ] || { echo "FAILED: the program names no $1"; failures=1; }
  diff -u --label "the program's $1" --label "$2" "$work/a" "$work/b" || failures=1
}

# A rule is a heading "### R4 residual add"; without a number "### known range".
tr '\n' ' ' <"$names" | grep -oE 'RuleName\{[^}]*\}' |
  sed -E 's/^RuleName\{[^"]*"([^"]*)", *"([^"]*)".*/\1 \2/; s/^ +//' >"$work/program"
sed -n 's/^### //p' "$page" >"$work/page"
same rules "$page"
COLUMNS=200 "$program" help plan --long | sed -nE '/^Rules and scale groups/,$s/^  ([A-Z][0-9]+ [^:]+|known range): .*/\1/p' >"$work/page"
same rules "the manual of plan"

findings_of "$program" >"$work/program"
findings_on "$page" >"$work/page"
same findings "$page"

for command in plan lint; do
  "$program" "$command" --help | grep -qF src/place/RULES.md ||
    { echo "FAILED: detent $command --help does not name src/place/RULES.md"; failures=1; }
done
[ "$failures" -eq 0 ] && echo "RULES.md: every rule and finding is explained"
exit "$failures"
