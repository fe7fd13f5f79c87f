#!/bin/sh
# rules_page_test.sh ROOT PROGRAM: the pages say of rules what the rules' files say, and nothing else;
# scripts/rules_page finds a file without its comment and a page that differs. src/place/RULES.md explains every finding
# that the program can print, with the finding's level, and no other. The help of `plan` and `lint` names the page.
set -eu
. "$(dirname "$0")/findings.sh"
root=$1
page=$root/src/place/RULES.md
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $1"
  failures=1
}

# same WHAT PAGE: the list of the program is the list of the page.
same() {
  sort "$work/program" >"$work/a"
  sort "$work/page" >"$work/b"
  [ -s "$work/a" ] || fail "the program names no $1"
  diff -u --label "the program's $1" --label "$2" "$work/a" "$work/b" || failures=1
}

"$root/scripts/rules_page" --check "$root" || failures=1
sed -n 's/^### //p' "$page" >"$work/program"
COLUMNS=200 "$program" help plan --long | sed -nE '/^Rules and scale groups/,$s/^  ([A-Z][0-9]+ [^:]+|known range): .*/\1/p' >"$work/page"
same rules "the manual of plan"

# A copy of the pages and the files with one fault.
# faulty EDIT FILE WORDS: --check fails on FILE changed by sed, and says WORDS.
faulty() {
  rm -rf "$work/copy"
  mkdir -p "$work/copy/src/manual/pages"
  cp -r "$root/src/place" "$work/copy/src"
  cp "$root/src/manual/pages/plan.md" "$work/copy/src/manual/pages"
  sed -i.old -E "$1" "$work/copy/$2"
  ! cmp -s "$work/copy/$2" "$work/copy/$2.old" || fail "'$1' changes nothing in $2"
  ! "$root/scripts/rules_page" --check "$work/copy" >"$work/said" || fail "'$1' in $2 is not found"
  grep -qF -- "$3" "$work/said" || { fail "'$1' in $2: the message lacks '$3'"; cat "$work/said"; }
}
rule=src/place/engines/tensorrt/residual_add.cpp
faulty '/^\/\//d' "$rule" "residual_add.cpp: the first line of the comment is no sentence that says what R4 residual add"
faulty '/^\/\/ \* Why/s/Why/Because/' "$rule" 'the comment of R4 residual add lacks'
faulty 's/"residual add"/"residual sum"/' "$rule" '+### R4 residual sum'
faulty 's/"R4"/"R5"/' "$rule" 'R5 is the number of src/place/engines/tensorrt/concat.cpp too'
faulty '/^\| R4 /s/float/INT8/' src/manual/pages/plan.md '-| R4 residual add | One input of a residual Add gets a pair, the other stays INT8. |'
faulty 's/^(### R4 .*)/\1, and more/' src/place/RULES.md '-### R4 residual add, and more'
faulty 's/^(<!-- rules: tensorrt.*) R11/\1/' src/place/RULES.md '-### R11 graph output'
faulty '/^<!-- rules: shared -->/d' src/place/RULES.md 'no comment takes R12 user of src/place/rules/user_choice.cpp'
faulty '/^<!-- end of rules -->/d' src/manual/pages/plan.md 'no "<!-- end of rules -->" follows'

# Without --check a page with a fault is written anew.
"$root/scripts/rules_page" "$work/copy" >/dev/null && fail "a page without an end is written"
faulty '/^\| R4 /d' src/manual/pages/plan.md '+| R4 residual add |'
"$root/scripts/rules_page" "$work/copy"
cmp "$work/copy/src/manual/pages/plan.md" "$root/src/manual/pages/plan.md" || fail "the page is not written"

findings_of "$program" >"$work/program"
findings_on "$page" >"$work/page"
same findings "$page"

for command in plan lint; do
  "$program" "$command" --help | grep -qF src/place/RULES.md || fail "detent $command --help does not name src/place/RULES.md"
done
[ "$failures" -eq 0 ] && echo "RULES.md: every rule and finding is explained"
exit "$failures"
