#!/bin/sh
# engines_asked_test.sh ROOT: outside an engine's home no code asks which engine it is. An engine's name in code there,
# or in the name of a capability, is an error; so is a capability without a test in which two engines differ.
# Twins: engines_asked_twins_test.sh.
set -eu
root=$1
failures=0
fail() { echo "FAILED: $1"; failures=1; }

cd "$root"
list=src/place/engines/engine_list.h
# each(TensorRT, tensorrt) -> "tensorrt", several on a line; names with and without "_" or "-"
homes=$(grep -oE 'each\([A-Za-z]+, [a-z_]+\)' "$list" | sed -E 's/.*, (.*)\)/\1/' | sort -u)
[ -n "$homes" ] || fail "$list names no engine"
words=$(echo "$homes" | sed 's/_/[_-]?/g' | paste -sd'|')

# sources: the product without the homes and the list.
sources() {
  find src include calibrators datasets -name '*.cpp' -o -name '*.h' |
    grep -vE '/engines/[a-z_]+/|^src/place/engines/engine_list\.h$'
}
# no PATTERN WHY
no() {
  found=$(sources | xargs grep -nE "$1" || true)
  [ -z "$found" ] || fail "$2:
$found"
}
no '\bEngine::[A-Z]' 'an engine is asked for by its id; ask a capability of EngineDef, Target or LintEngine'
no "starts_with\\(\"($words)" 'an engine is recognized by its name'
no "\\b(name|spec\\(\\)|target) *[!=]= *\"($words)" 'an engine is recognized by its name'
no "find_target\\(\"($words)" 'a target is chosen by its name; default_target() is the one of commands without --target'

# A capability says what an engine does, not which one does it.
members() { sed -nE 's/^ +Decided<.*> ([a-z0-9_, ]+);.*/\1/p' "$1" | tr -d ' ' | tr ',' '\n'; }
for file in src/place/engines/engine.h src/place/engines/target.h src/lint/view/lint_engine.h; do
  [ -n "$(members "$file")" ] || fail "$file has no members"
  bad=$(members "$file" | grep -iE "($words)" || true)
  [ -z "$bad" ] || fail "$file: a capability has an engine's name: $bad"
done

# Each yes or no is shown by a test that tests/place/engines/engine/capabilities_test.cpp names beside it.
table=tests/place/engines/engine/capabilities_test.cpp
for flag in $(sed -nE 's/^ +Decided<bool> ([a-z0-9_]+);.*/\1/p' src/place/engines/engine.h src/place/engines/target.h); do
  shown=$(tr '\n' ' ' <"$table" | grep -oE "::$flag, \"[A-Za-z0-9_]+\.[A-Za-z0-9_]+\"" | sed -E 's/.*"(.*)"/\1/' || true)
  if [ -z "$shown" ]; then
    fail "$table has no row for $flag"
    continue
  fi
  suite=${shown%%.*}
  name=${shown#*.}
  grep -rqE "TEST(_[FP])?\($suite, *$name\)|^case $name\$" tests --include='*.cpp' --include='*.txt' ||
    fail "$flag: no test $shown"
done
[ "$failures" -eq 0 ] && echo "engines: asked by their capabilities only"
exit "$failures"
