#!/bin/sh
# usage: rpath_test.sh FILE...
# No program or library of the build tree looks for libraries in the current folder: its RPATH has no empty element.
set -eu
fail() {
  echo "rpath_test: $*" >&2
  exit 1
}
has_empty_element() {
  case ":$1:" in *::*) return 0 ;; esac
  return 1
}
for bad in /a: :/a /a::/b; do
  has_empty_element "$bad" || fail "'$bad' is taken for a whole path"
done
if has_empty_element /a:/b; then fail "'/a:/b' has no empty element"; fi
for file; do
  path=$(readelf -d "$file" | sed -n 's/.*(R\(UN\)\{0,1\}PATH).*\[\(.*\)\]/\2/p')
  if [ -n "$path" ] && has_empty_element "$path"; then fail "$file: RPATH '$path'"; fi
done
