#!/bin/sh
# readme_files_twins.sh ROOT: readme_files_test.sh finds a file that no page names and a name without a file, and passes
# the same folder when the page is right.
set -eu
test=$1/tests/scripts/readme_files_test.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p room
touch room/a_b.h room/a_b.cpp room/cases_x.py room/list.txt

# outcome WORDS TEXT: with this page the test says WORDS; "0 wrong": it passes.
outcome() {
  printf '%b\n' "$2" >room/README.md
  code=0
  "$test" . >out 2>&1 || code=$?
  grep -qF "$1" out || { echo "not '$1': $2"; cat out; exit 1; }
  case "$1" in *" 0 wrong") want=0 ;; *) want=1 ;; esac
  [ "$code" -eq "$want" ] || { echo "exit $code: $2"; exit 1; }
}

outcome 'checked, 0 wrong' '`a_b.cpp`, `cases_AREA.py` and [the list](list.txt)'
outcome 'checked, 0 wrong' '`cmd room/a_b --x`, `cases_*.py`, `list`'
outcome 'does not name a_b' 'a_b.cpp, `cases_AREA.py`, `list`'
outcome 'does not name cases_x' '`a_b`, `list`, `CASES_X`'
outcome 'does not name list' '`a_b`, `cases_x`\n```\n`list.txt`\n```'
outcome 'names gone.h, which is not there' '`a_b`, `cases_x`, `list`, `gone.h`'
outcome 'names room/gone.h, which is not there' '`a_b`, `cases_x`, `list`, `room/gone.h`'
outcome 'checked, 0 wrong' '`a_b`, `cases_x`, `list`, `their/folder/file.h`'
