#!/bin/sh
# Every command with every bound for every target, on small networks and on the sample: no signal, no internal error, no
# finding of a sanitizer, and a documented exit code. Other tests check the answers. Under the preset asan
# (scripts/nightly asan) this finds writes beyond memory that happen to do no harm.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

# A network with an embedding and positions, residual Adds and logits; and an image network with a branch.
printf '<ir_version: 8, opset_import: ["" : 17]> g (int64[N,8] ids) => (float[N,8,32] logits)
  <float[32,32] e = {%s}, float[8,32] p = {%s}, int64[8] at = {0,1,2,3,4,5,6,7}, float[32,32] w = {%s}, float[32,32] v = {%s}> {
  t = Gather (e, ids) q = Gather (p, at) x = Add (t, q) h = MatMul (x, w) r = Relu (h) s = Add (r, x)
  u = Transpose <perm = [1, 0]> (v) logits = MatMul (s, u) }' \
  "$(uniform 1024 5)" "$(uniform 256 6)" "$(uniform 1024 7)" "$(uniform 1024 8)" | "$WRITE_MODEL" in/tokens.onnx
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,3,8,8] x) => (float[N,4] y)
  <float[8,3,3,3] a = {%s}, float[8,8,1,1] b = {%s}, float[8,4] w = {%s}, int64[2] axes = {2,3}> {
  c = Conv <pads = [1,1,1,1]> (x, a) d = Relu (c) f = Conv (d, b) s = Add (f, d) z = Sigmoid (s) m = Mul (s, z)
  k = GlobalAveragePool (m) l = Flatten (k) y = MatMul (l, w) }' \
  "$(uniform 216 9)" "$(uniform 64 10)" "$(uniform 32 11)" | "$WRITE_MODEL" in/image.onnx

# sound ARG...: an exit code of cli's list without 20, and no report of a sanitizer.
sound() {
  run "$@"
  case $code in 0 | 1 | 2 | 10 | 11 | 12 | 13 | 14 | 15) ;; *) fail "$*: exit $code" ;; esac
  if grep -qE 'Sanitizer|runtime error:|double free|terminate called' stderr; then fail "$*: a finding"; fi
  case $code in 0 | 1) ended=$((ended + 1)) ;; esac
}
ended=0
targets="${TARGETS:-tensorrt tensorrt:8.6 tensorrt:11 tensorrt:dla onnxruntime openvino openvino:gpu openvino:npu qnn}"

# every NAME DATA BOUND...: each BOUND is "OPTIONS" with _ for blanks; "none" stands for no option.
every() {
  network=$1 data=$2
  shift 2
  sound calibrate $network --data $data --quiet -o in/t.dct --overwrite
  sound merge in/t.dct -o in/sum.dct --overwrite
  sound sensitivity $network --data $data --eval $data --quiet
  sound compare $network --data $data --eval $data --quiet --fail-below 200
  sound compare-types $network --types int8,fp8,int4 --data $data --eval $data --quiet --min-sqnr 20
  for type in fp16 bf16; do sound cast $network --data $data --float-type $type --quiet -o in/cast.onnx --overwrite; done
  for target in $targets; do
    sound plan $network --target $target
    sound quantize $network --table in/t.dct --target $target --quiet -o in/table.onnx --overwrite
    sound cache export in/t.dct --target $target -o in/c.cache --overwrite
    for bound; do
      options=$(echo "$bound" | sed 's/^none$//; s/_/ /g')
      sound quantize $network --data $data --target $target $options --quiet -o in/q.onnx --overwrite
      for type in int4 int8; do
        sound quantize-weights $network --type $type --data $data --target $target $options --quiet -o in/w.onnx --overwrite
      done
      sound lint in/w.onnx --target $target
    done
    sound quantize $network --data $data --target $target --accuracy best --quiet -o in/q.onnx --overwrite
    sound lint in/q.onnx --target $target
    sound inspect in/q.onnx
    sound run in/q.onnx --data $data --quiet -o in/run --overwrite
    for other in $targets; do sound repair in/q.onnx --target $other --data $data --quiet -o in/repaired.onnx --overwrite; done
    sound sensitivity $network --data $data --eval $data --target $target --quiet
    sound compare $network --data $data --eval $data --target $target --quiet
  done
}
tokens=random:uniform,n=9
every in/tokens.onnx $tokens none --min-sqnr_10 --min-sqnr_200 "--next-token_--eval_${tokens}_--max-drop_0" "--next-token_--eval_${tokens}_--max-drop_9"
every in/image.onnx random:normal,n=9 none --min-sqnr_10 --min-sqnr_200
echo "$ended of $cases runs gave a result"
[ $((ended * 2)) -gt $cases ] || fail "most runs were refused: $ended of $cases gave a result"

# The sample, with a task.
for target in $targets; do
  for command in "quantize" "quantize-weights --type int8"; do
    sound $command "$model" --data "$six" --preprocess "$preprocess" --limit 2 --eval "$sample/eval/images" --eval-limit 2 \
      --masks "$sample/eval/masks" --max-drop 0.00001 --target $target --quiet -o in/sample.onnx --overwrite
  done
done
finish
