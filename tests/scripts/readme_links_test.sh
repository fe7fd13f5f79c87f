#!/bin/sh
# readme_links_test.sh ROOT: every link of every *.md below ROOT leads to a file, and to a heading in it if the link
# has a #. Every path in backquotes that begins with a folder of the top level exists. README.md shows a picture that
# is in the repository, and fits two screens. Each page of src/decisions has 7 kB at most, and each of its sections a
# screen; their sum is free.
set -eu
cd "$1"
most_lines=120
most_bytes=150000
most_decision_page=7000
most_section_lines=30
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checked=0

fail() {
  echo "$1"
  failures=$((failures + 1))
}

# anchors FILE: prints its headings as they stand behind a #: lower case, without punctuation, hyphens for blanks.
anchors() {
  sed -nE '/^```/,/^```/! s/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# links FILE: the targets of [text](target), ![text](target) and src="target", one a line.
links() {
  grep -oE '\]\([^() ]+\)|src="[^"]+"' "$1" | sed -E 's/^\]\((.*)\)$/\1/; s/^src="(.*)"$/\1/'
}

# paths FILE: prints the paths in backquotes that begin with a top-level folder; a pattern (*, NAME) is none.
paths() {
  grep -oE '`(\.\./)?(src|include|calibrators|datasets|tests|bench|scripts)/[A-Za-z0-9_./-]*' "$1" | sed 's/^`//; s/[.]$//' |
    grep -vE '(/|_)[A-Z]{2,}([._/]|$)' || true
}

find . \( -name .git -o -name build \) -prune -o -name '*.md' -print | LC_ALL=C sort >"$work/pages"
while read -r page; do
  folder=$(dirname "$page")
  links "$page" >"$work/links" || true
  while read -r link; do
    case "$link" in http://* | https://* | mailto:*) continue ;; esac
    checked=$((checked + 1))
    target=${link%%#*}
    file=$page
    [ -z "$target" ] || file=$folder/$target
    if ! [ -e "$file" ]; then
      fail "$page: link to $target, which is not there"
      continue
    fi
    case "$link" in *\#*) ;; *) continue ;; esac
    anchors "$file" | grep -qxF -- "${link#*#}" || fail "$page: link to $link, but no heading makes that anchor"
  done <"$work/links"
  paths "$page" >"$work/paths"
  while read -r path; do
    checked=$((checked + 1))
    case "$path" in ../*) file=$folder/$path ;; *) file=$path ;; esac
    [ -e "$file" ] || fail "$page: names $path, which is not there"
  done <"$work/paths"
done <"$work/pages"
[ "$checked" -gt 0 ] || fail "no link was found in $(wc -l <"$work/pages") pages"

# The picture: a PNG, small, and not only on this disk.
picture=$(links README.md | grep '\.png$' || true)
case "$picture" in
  '') fail "README.md shows no picture" ;;
  *)
    for file in $picture; do
      [ "$(head -c 4 "$file" | tail -c 3)" = PNG ] || fail "$file is not a PNG"
      [ "$(wc -c <"$file")" -lt "$most_bytes" ] || fail "$file has $(wc -c <"$file") bytes, at most $most_bytes"
      if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files --error-unmatch "$file" >/dev/null 2>&1 || fail "$file is not in the repository"
      fi
    done
    ;;
esac
for page in src/DECISIONS.md src/decisions/*.md; do
  bytes=$(wc -c <"$page")
  [ "$bytes" -le "$most_decision_page" ] || fail "$page has $bytes bytes, at most $most_decision_page: split it by subject"
  long=$(awk -v most="$most_section_lines" '/^## / { lines = 0; title = $0 } { if (++lines == most + 1) print title }' "$page")
  [ -z "$long" ] || fail "$page: more than $most_section_lines lines: $long"
done
lines=$(wc -l <README.md)
[ "$lines" -le "$most_lines" ] || fail "README.md has $lines lines, at most $most_lines"

echo "$checked links and paths checked, $failures wrong"
[ "$failures" -eq 0 ]
