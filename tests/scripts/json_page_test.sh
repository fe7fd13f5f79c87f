#!/bin/sh
# json_page_test.sh ROOT PROGRAM SCHEMAS: src/report/json/README.md names every command of the program with its
# schema, the version of the schemas and every finding of lint with its level; src/manual/pages/detent.md every exit
# code of include/detent/base/error.h. They name nothing else.
set -eu
. "$(dirname "$0")/findings.sh"
page=$1/src/report/json/README.md
schemas=$3
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# same WHAT: the list of the program is the list of the page.
same() {
  LC_ALL=C sort -u "$work/program" >"$work/a"
  LC_ALL=C sort -u "$work/page" >"$work/b"
  [ -s "$work/a" ] || { echo "FAILED: the program has no $1"; failures=1; }
  diff -u --label "the program's $1" --label "$page" "$work/a" "$work/b" || failures=1
}

# A row is "| `command`, `command` of ... | kind.schema.json | ...".
sed -n '/^| command | schema |/,/^$/p' "$page" | grep -oE '^[|] `[^|]*[|] [a-z-]+[.]schema[.]json [|]' >"$work/rows"
sed -E 's/.* ([a-z-]+)[.]schema[.]json [|]$/\1/' "$work/rows" >"$work/page"
find "$schemas" -name '*.schema.json' | sed 's|.*/||; s|[.].*||' | grep -vx parts >"$work/program"
same schemas
grep -oE '`[a-z]+' "$work/rows" | tr -d '`' >"$work/page"
"$program" --help | sed -n '/^Subcommands/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p' >"$work/program"
same commands

sed -n 's/.*"\$id": "urn:detent:[a-z-]*:\([0-9.]*\)".*/\1/p' "$schemas"/*.json >"$work/program"
sed -nE 's/.*: now ([0-9.]+)[.] A new member.*/\1/p; s/.*"urn:detent:[a-z-]*:([0-9.]*)".*/\1/p' "$page" >"$work/page"
same version

{ echo '0 '; sed -nE 's/^  ([A-Z][A-Za-z]+) = ([0-9]+),.*/\2 \1/p' "$1/include/detent/base/error.h"; } >"$work/program"
sed -nE 's/^\| ([0-9]+) ?([A-Za-z]*) ?\|.*/\1 \2/p' "$1/src/manual/pages/detent.md" >"$work/page"
same "exit codes"

findings_of "$program" >"$work/program"
findings_on "$page" >"$work/page"
same findings
[ "$failures" -eq 0 ] && echo "The pages of JSON and exit codes: commands, schemas, version, exit codes and findings are the program's"
exit "$failures"
