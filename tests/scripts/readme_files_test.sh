#!/bin/sh
# readme_files_test.sh ROOT: each README.md below ROOT names every file and folder beside it, in backquotes or in a
# link, and a file that it names is there. A name may lack its extension, X.h and X.cpp are one name, and upper case
# stands for any text (cases_AREA.py). README.md at the top, CMakeLists.txt is left out. Names in
# src/README.md are those of new files, so they need not exist.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
extension='([.]test)?(-inl)?[.](h|cpp|mjs|py|sh|cmake|csv|txt|svg)'
failures=0
checked=0

fail() {
  echo "$1"
  failures=$((failures + 1))
}

# words FILE: what stands in backquotes and as the target of a link, a word a line.
words() {
  sed '/^```/,/^```/d' "$1" | tr '\n' ' ' | grep -oE '`[^`]+`|\]\([^() ]+\)' | sed 's/^](//; s/)$//; s/#.*//' | tr -d '`' | tr ' ,' '\n\n' |
    sed 's/[.:;]$//' | grep -v '^$' || true
}

# listed FOLDER: the names beside its README.md. Without git, as in a package of the sources, those on the disk.
listed() {
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files "$1" | sed "s|^$1/||; s|/.*||"
  else
    ls "$1"
  fi | grep -vxE 'README\.md|CMakeLists\.txt|__pycache__' | LC_ALL=C sort -u
}

find . \( -name .git -o -name build \) -prune -o -name README.md -print | sed 's|^\./||' |
  grep / | LC_ALL=C sort >"$work/pages"
while read -r page; do
  folder=$(dirname "$page")
  words "$page" >"$work/words"
  # The last part of each path without its extension; a dot is a dot, upper case and * are any text.
  sed -E "s|/\$||; s|.*/||; s/$extension\$//" "$work/words" | grep -E '^[A-Za-z0-9_.*-]+$' | grep '[a-z]' |
    sed -E 's/[.]/[.]/g; s/[*]/.*/g; s/[A-Z]{3,}/.*/g' | grep -vxF '.*' >"$work/named" || true
  listed "$folder" | sed -E "s/$extension\$//" | LC_ALL=C sort -u >"$work/beside"
  checked=$((checked + $(wc -l <"$work/beside")))
  grep -vxEf "$work/named" "$work/beside" >"$work/missing" || true
  [ -s "$work/missing" ] && fail "$page does not name $(tr '\n' ' ' <"$work/missing")"
  [ "$page" = src/README.md ] && continue
  grep -xE '[a-z0-9_/-]+[.](h|cpp|mjs|sh)' "$work/words" >"$work/files" || true
  while read -r file; do
    ours=no
    checked=$((checked + 1))
    case "$file" in */*) ;; *) [ -e "$folder/$file" ] || fail "$page names $file, which is not there"; continue ;; esac
    for place in "$folder/" "" src/ include/; do
      [ -e "$place$file" ] && continue 2
      [ -e "$place${file%%/*}" ] && ours=yes
    done
    [ "$ours" = yes ] || continue
    fail "$page names $file, which is not there"
  done <"$work/files"
done <"$work/pages"
[ "$checked" -gt 0 ] || fail "no name was found in $(wc -l <"$work/pages") pages"

echo "$checked names checked, $failures wrong"
[ "$failures" -eq 0 ]
