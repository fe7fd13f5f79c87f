#!/bin/sh
# Models whose names, lists and types no exporter would write: each is refused by name, or accepted by decision.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${EDIT_MODEL:?the program that breaks them}"

# Models that libonnx's checker reads first, and models that it does not know.
for opset in 13 22; do
  printf '<ir_version: %s, opset_import: ["" : %s]> g (float[1,4] x) => (float[1,4] y, float[1,4] z)
    <float[4,4] w = {1,2,0,0, 0,1,0,5, 0,3,1,0, 0,0,0,1}, float[4] b = {1,2,3,4}> {
      h = MatMul (x, w) c = Constant <value = float[4] {1,2,3,4}> () y = Add (h, b) z = Mul (y, c) }' \
    $((opset == 13 ? 8 : 10)) $opset | "$WRITE_MODEL" in/plain$opset.onnx
done
random='--data random:normal,n=2 --quiet'
# edit NAME EDIT...: in/NAME.onnx of in/plain.onnx.
edit() { name=$1; shift; "$EDIT_MODEL" in/plain$opset.onnx in/$name.onnx "$@" || fail "in/$name.onnx cannot be made"; }
# refused SENTENCE CODE TEXT FILE COMMAND...: the commands refuse it, and the message begins with the file.
refused() {
  sentence=$1 code=$2 text=$3 file=$4
  shift 4
  for command in "$@"; do
    name=${command%% *} rest=
    [ "$name" = "$command" ] || rest=${command#* }
    # shellcheck disable=SC2086
    refuses "$sentence, $name (opset $opset)" "$code" "$text" $name "$file" $rest
    grep -q "^detent: $file: " stderr || fail "$sentence, $name: the message does not begin with the file"
  done
}
# every SENTENCE CODE TEXT FILE: each command that reads a model. All read it in one place, so a few cases are enough.
every() {
  refused "$@" inspect plan lint "quantize $random -o out/q.onnx" "calibrate $random -o out/t.dct" \
    "cast $random --float-type fp16 -o out/h.onnx" "run $random -o out/run" \
    "compare $random --eval random:normal,n=1" "sensitivity $random --eval random:normal,n=1"
}
# some SENTENCE CODE TEXT FILE: one command that runs nothing and one that writes.
some() { refused "$@" plan "quantize $random -o out/q.onnx"; }

for opset in 13 22; do
  for command in inspect plan lint "quantize $random -o out/q.onnx" "run $random -o out/run"; do
    # shellcheck disable=SC2086
    accepts "the model as it was" $command in/plain$opset.onnx
  done
  rm -rf out/*

  # Lists.
  edit initializers again initializer w
  every "two initializers of one name" 10 "'w' is defined twice" in/initializers.onnx
  edit inputs again input x
  some "two inputs of one name" 10 "'x' is defined twice" in/inputs.onnx
  edit sparse sparse w 4,4
  some "a dense and a sparse initializer of one name" 10 "'w' is defined twice" in/sparse.onnx
  edit values output Add 0 h
  some "two nodes that write one value" 10 "output 'h' is already defined" in/values.onnx
  edit none drop initializer b
  some "a missing initializer" 10 "reads 'b', which nothing defines" in/none.onnx
  edit self input Add 0 y
  some "a node that reads its own result" 10 "node 'Add_2' (Add) reads its own result" in/self.onnx
  edit circle input MatMul 0 z
  some "a circle" 10 "the graph has a cycle" in/circle.onnx

  # Accepted: one value under two outputs, and two nodes of one name, of which the second is shown with a number.
  edit outputs again output y
  accepts "an output twice" run in/outputs.onnx $random -o out/run
  [ "$(ls out/run | tr '\n' ' ')" = 'y.npy y_2.npy z.npy ' ] || fail "an output twice: $(ls out/run)"
  cmp -s out/run/y.npy out/run/y_2.npy || fail "an output twice: two results"
  rm -rf out/*
  edit once node Add same
  "$EDIT_MODEL" in/once.onnx in/twice.onnx node Mul same
  accepts "two nodes of one name" plan in/twice.onnx --all
  grep -q same_1 stdout || fail "two nodes of one name: the second is not shown as same_1"

  # Types: strings, complex numbers, numbers that name none; 19 and up stand in no field of floats.
  for type in 14 15 29 99 -1; do
    edit input$type type x $type
    some "an input of type $type" 11 "value 'x': tensors of ONNX element type $type are not supported" in/input$type.onnx
    edit output$type type y $type
    some "an output of type $type" 11 "value 'y': tensors of ONNX element type $type are not supported" in/output$type.onnx
  done
done
edit names type x 8
refused "an input of strings" 11 "input 'x' holds strings" in/names.onnx plan "quantize $random -o out/q.onnx" "run $random -o out/run" \
  "calibrate $random -o out/t.dct"
for type in 0 14 15 29 99 -1; do
  edit weight$type type w $type
  some "an initializer of type $type" 11 "'w': tensors of ONNX element type $type are not supported" in/weight$type.onnx
  [ $type = -1 ] && continue
  edit constant$type constant Constant $type
  some "a Constant of type $type" 11 "tensors of ONNX element type $type are not supported" in/constant$type.onnx
done
edit strings type w 8
some "an initializer of strings" 11 "'w': tensors of strings are not supported" in/strings.onnx
for type in 19 21 23 28; do
  edit weight$type type w $type
  some "floats that claim type $type" 10 "initializer 'w': a tensor of shape 4x4 needs" in/weight$type.onnx
done

# Claimed sizes.
edit terabyte dims w 1000000,1000000
some "a terabyte that is not there" 10 "initializer 'w': a tensor of shape 1000000x1000000 needs" in/terabyte.onnx
edit negative dims w -1,4
some "a negative extent" 10 "initializer 'w': a tensor has the negative extent -1" in/negative.onnx
edit dropped drop initializer w
"$EDIT_MODEL" in/dropped.onnx in/sparse.onnx sparse w 1000000,1000000
every "a sparse terabyte" 11 "constant 'w': sparse tensors are not supported" in/sparse.onnx

# A line feed in a name would forge a line of a report.
forged=$(printf 'a\nverdict: good')
for value in x w h y; do
  edit feed value $value "$forged"
  some "a line feed in the name of $value" 10 "value 'a\\x0averdict: good': the name holds a line feed" in/feed.onnx
done
edit feed node Add "$forged"
every "a line feed in the name of a node" 10 "node 'a\\x0averdict: good': the name holds a line feed" in/feed.onnx
edit feed operator Add "$forged"
some "a line feed in an operator" 10 "operator 'a\\x0averdict: good': the name holds a line feed" in/feed.onnx

# Other control characters and HTML: shown escaped in text, JSON and pages.
escape=$(printf '\033')
evil="${escape}[31m\"<script>alert(1)</script>&"
edit evil1 value h "$evil h"
"$EDIT_MODEL" in/evil1.onnx in/evil2.onnx value y "$evil y"
"$EDIT_MODEL" in/evil2.onnx in/evil3.onnx value x "$evil x"
"$EDIT_MODEL" in/evil3.onnx in/evil.onnx node Add "$evil n"
for command in inspect "plan --all" lint "quantize $random -o out/q.onnx" "calibrate $random -o out/t.dct" \
  "cast $random --float-type fp16 -o out/h.onnx" "run $random -o out/run" \
  "compare $random --eval random:normal,n=1" "sensitivity $random --eval random:normal,n=1"; do
  name=${command%% *}
  page=
  case $name in plan | lint | quantize | compare | sensitivity) page="--html out/page.html" ;; esac
  # shellcheck disable=SC2086
  accepts "names of controls and HTML, $name" $command in/evil.onnx $page
  grep -q "$escape" stdout stderr && fail "$name wrote a terminal escape"
  if [ -n "$page" ] && grep -q -e '<script>alert' -e "$escape" out/page.html; then fail "$name: the page holds a name as it is"; fi
  case $name in calibrate) mv out/t.dct in ;; esac
  rm -rf out/*
  # shellcheck disable=SC2086
  accepts "names of controls and HTML, $name --json" $command in/evil.onnx --json=out/report.json
  grep -q "$escape" out/report.json && fail "$name: the JSON document holds a control character"
  rm -rf out/*
done
accepts "names of controls and HTML, a table" inspect in/t.dct
grep -q "$escape" stdout && fail "inspect of a table wrote a terminal escape"
accepts "names of controls and HTML, merge" merge in/t.dct -o out/t.dct
grep -q "$escape" stdout && fail "merge wrote a terminal escape"
mv out/t.dct in/merged.dct

# Operands that cannot fit each other whatever the data hold: the model is wrong. With an open size the data may be.
for size in 1 N; do
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[%s,4] x) => (float[M,4] y)
    <float[4,4] w = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}, int64[2] s = {-1, 2}> {
      m = MatMul (x, w) r = Reshape (m, s) y = MatMul (r, w) }' $size | "$WRITE_MODEL" in/misfit$size.onnx
done
opset=17
refused "operands that never fit" 10 "(MatMul, opset 17): cannot multiply 2x2 by 4x4" in/misfit1.onnx plan "run $random -o out/r" \
  "quantize $random -o out/q.onnx" "quantize-weights -o out/q.onnx"
refuses "operands that do not fit the data" 12 "cannot multiply 2x2 by 4x4" run in/misfitN.onnx $random -o out/r
finish
