#!/bin/sh
# scripts/check_words finds each pattern where it applies, and passes the same sentence in plain words.
#   check_words_test.sh SOURCE_DIR
set -eu
script=$1/scripts/check_words
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# found NAME TEXT [FILE]: the file with this text is refused for this pattern. plain TEXT [FILE]: it passes.
found() {
  printf '%b\n' "$2" >"${3:-a.h}"
  "$script" "${3:-a.h}" >out && { echo "passed: $2"; exit 1; }
  grep -q ": $1: " out || { echo "not $1: $2"; cat out; exit 1; }
}
plain() {
  printf '%b\n' "$1" >"${2:-a.h}"
  "$script" "${2:-a.h}" >out || { echo "refused: $1"; cat out; exit 1; }
}

found headless '/// What the layer reads.'
found headless '/// Returns the scale.\n/// Where there is none, 1.'
found headless '| Those that are shared | x |' a.md
plain '/// Returns what the layer reads; 1 where there is none.'
plain '## What do I need?' a.md
plain 'std::string What = "Those";'
found joined '// Counts bins. So zeros are free.'
plain '// Counts bins; zeros are free.'
found 'but for' 'throw Error("all layers but for the first");'
found but '// It holds anything but text.'
found but '// Takes all axes but the last.'
plain '// Takes all axes except the last.'
found negation 'throw Error("it is not impossible");'
long='one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen'
found long "$long\n$long and twenty words more." a.md
plain "$long.\n$long and twenty words more." a.md
plain "* $long\n* $long and twenty words more." a.md
found picture '// Code that starts threads hands it on.'
found nobody '// Nobody reads it.'
plain '// No node reads it.'
found filler 'A scale of its own.' a.md
plain '```\nof its own\n```' a.md
found history '// As before, the range is kept: it used to be 1.'
wide=$(printf '%0121d' 0)
found wide "// $wide"
found wide "int a;  // $wide"
plain "const char* a = \"$wide\";"
found headless '# What a landing runs.' a.sh
