#!/bin/sh
# engines_asked_twins_test.sh ROOT: engines_asked_test.sh passes a copy of ROOT's sources, and names each planted
# violation. Every violation is removed before the next, and the copy must pass again at the end.
set -eu
checker=$1/tests/scripts/engines_asked_test.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
fail() { echo "FAILED: $1"; failures=1; }

for folder in src include calibrators datasets tests; do
  (cd "$1" && find "$folder" \( -name '*.cpp' -o -name '*.h' -o -name '*.txt' \) ! -path '*/samples/*') |
    tar -C "$1" -cf - -T - | tar -C "$tree" -xf -
done

# found FILE SED_SCRIPT TEXT: with the file changed so, the checker fails and says TEXT. FILE may be new.
found() {
  [ ! -e "$tree/$1" ] || cp "$tree/$1" "$tree/kept"
  if [ -e "$tree/$1" ]; then sed -i -E "$2" "$tree/$1"; else printf '%s\n' "$2" >"$tree/$1"; fi
  if [ -e "$tree/kept" ] && cmp -s "$tree/$1" "$tree/kept"; then fail "nothing was planted in $1: $2"; fi
  if sh "$checker" "$tree" >"$tree/out" 2>&1; then fail "no violation in $1: $2"; fi
  grep -qF -- "$3" "$tree/out" || { fail "not said of $1: $3"; cat "$tree/out"; }
  if [ -e "$tree/kept" ]; then mv "$tree/kept" "$tree/$1"; else rm "$tree/$1"; fi
}
passes() { sh "$checker" "$tree" >"$tree/out" 2>&1 || { fail "$1 is refused:"; cat "$tree/out"; }; }
passes "the copy"

# An engine's name in code of another room, in each form.
asked=src/rewrite/planted.cpp
found $asked 'bool f(const Target& t) { return t.engine.id == Engine::Qnn; }' 'asked for by its id'
found include/detent/planted.h 'inline bool f(Engine e) { return e == Engine::TensorRT; }' 'asked for by its id'
found $asked 'bool f(std::string_view s) { return s.starts_with("tensorrt"); }' 'recognized by its name'
found $asked 'bool f(std::string_view name) { return name == "qnn"; }' 'recognized by its name'
found $asked 'bool f(const Target& t) { return t.spec() != "openvino:gpu"; }' 'recognized by its name'
found $asked 'const Target& f() { return find_target("onnxruntime"); }' 'a target is chosen by its name'

# Homes and the list of engines may name them.
for home in src/place/engines/qnn src/lint/engines/qnn src/pipeline/engines/dla; do
  echo 'bool f(Engine e) { return e == Engine::Qnn; }' >"$tree/$home/planted.cpp"
  passes "a name in $home"
  rm "$tree/$home/planted.cpp"
done

# Capabilities.
engine=src/place/engines/engine.h target=src/place/engines/target.h lint=src/lint/view/lint_engine.h
found $engine 's/^( +)Decided<bool> fast_in_half;/&\n\1Decided<int> is_openvino;/' "a capability has an engine's name: is_openvino"
found $target 's/^( +)Decided<bool> strongly_typed;/&\n\1Decided<int> qnn_level;/' "a capability has an engine's name: qnn_level"
found $lint 's/^( +)Decided<FindingText> fp8_refused;/&\n\1Decided<int> tensorrt_note;/' "a capability has an engine's name: tensorrt_note"
found $engine 's/^( +)Decided<bool> fast_in_half;/&\n\1Decided<bool> sings;/' 'has no row for sings'
found $target 's/^( +)Decided<bool> strongly_typed;/&\n\1Decided<bool> sings;/' 'has no row for sings'
table=tests/place/engines/engine/capabilities_test.cpp
found $table '/::whole_graph,/d' 'has no row for whole_graph'
found $table '/::strongly_typed,/d' 'has no row for strongly_typed'
found $table 's/(::whole_graph, *"qnn)\.[A-Za-z0-9_]+/\1.NoSuchCase/' 'whole_graph: no test qnn.NoSuchCase'

# A checker that finds nothing to read must not pass.
found src/place/engines/engine_list.h '/each\(/d' 'names no engine'
found $lint '/Decided</d' 'has no members'
passes "the mended copy"

[ "$failures" -ne 0 ] || echo "engines: every planted question is found"
exit "$failures"
