#!/bin/sh
# No output of any command replaces a file of its input, under any name, with --overwrite or without; an equal file that
# is no input is replaced. The inputs include files that no option names: external data, and the samples of a list.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${MAKE_FILES:?the program that makes files}" "${EDIT_MODEL:?the program that breaks them}"

sample_model=$model
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,4] x) => (float[1,4] y)
  <float[4,4] w = {1,2,0,0, 0,1,0,5, 0,3,1,0, 0,0,0,1}> { y = MatMul (x, w) }' | "$WRITE_MODEL" in/whole.onnx
"$EDIT_MODEL" in/whole.onnx in/m.onnx external w w.bin 0 64
head -c 64 /dev/zero | tr '\0' '?' >in/w.bin # floats of 0.75
"$MAKE_FILES" npy in/x.npy 4,4 1
mkdir in/rows in/masks in/links in/sub
"$MAKE_FILES" rows in/x.npy in/rows
"$MAKE_FILES" rows in/x.npy in/listed
printf 'listed/1.npy\nlisted/2.npy\nlisted/0.npy\n' >in/list.txt
data="--quiet --data in/list.txt"
run calibrate in/m.onnx $data -o in/t.dct
[ "$code" -eq 0 ] || fail "calibrate: exit $code"
run cache export in/t.dct -o in/t.cache
run quantize in/m.onnx $data --accept-broken -o in/q.onnx
echo '{"y": {"calibrator": "max"}}' >in/o.json
echo '{"feeds": {"y": "x"}}' >in/state.json
echo 'file,label' >in/labels.csv
echo 'a b c d' >in/text.txt
echo a >in/vocab.txt
echo '[]' >in/layers.json
echo P2 >in/masks/0.pgm
echo '' >in/c.toml
mkdir in/tests in/tests/test_data_set_0 && cp in/whole.onnx in/tests/model.onnx && : >in/tests/test_data_set_0/input_0.pb
for file in in/*.* in/rows/*.npy in/listed/*.npy in/masks/* in/tests/model.onnx in/tests/test_data_set_0/*; do
  [ -f "$file" ] || continue
  name=$(echo "$file" | tr / _)
  ln "$file" "in/links/hard_$name" && ln -s "$work/$file" "in/links/soft_$name"
done
sums() { find in out -type f -exec md5sum {} + | sort; }
sums >before

# keeps INPUT ARG... with @ for the output: exit 15 for every name of the input.
keeps() {
  input=$1
  shift
  link=in/links/soft_$(echo "$input" | tr / _)
  for name in "$input" "./$input" "in/sub/../${input#in/}" "$link" "in/links/hard_${link#in/links/soft_}"; do
    for overwrite in "" --overwrite; do
      run $(echo "$* $overwrite" | sed "s|@|$name|")
      [ "$code" -eq 15 ] || fail "$* with $name $overwrite: exit $code, expected 15"
      says "$* with $name" "names '"
    done
  done
}
# outputs_of INPUTS ARG...: none of the inputs is replaced by a report, nor by -o @ if the arguments have it.
outputs_of() {
  inputs=$1
  shift
  for input in $inputs; do
    case $* in *@*) keeps "$input" "$@" ;; esac
    arguments=$(echo "$*" | sed 's|@|out/new|')
    for option in $reports; do keeps "$input" $arguments $option=@; done
  done
}
model="in/m.onnx in/w.bin"
samples="in/list.txt in/listed/2.npy"
reports="--json --html"
outputs_of "$model $samples in/x.npy in/o.json" quantize in/m.onnx $data --eval in/x.npy --override in/o.json -o @
outputs_of "$model in/t.dct in/c.toml" --config in/c.toml quantize in/m.onnx --table in/t.dct -o @
outputs_of "$model in/text.txt in/vocab.txt" quantize-weights in/m.onnx --data x=text:in/text.txt,vocab=in/vocab.txt -o @
outputs_of "in/q.onnx $samples" repair in/q.onnx $data -o @
outputs_of "$model in/rows/1.npy in/labels.csv" compare in/m.onnx --data x=in/rows --eval in/x.npy --labels in/labels.csv
outputs_of "in/masks/0.pgm in/state.json" compare-types in/m.onnx --types int8 $data --eval in/x.npy --masks in/masks --steps 2 --state in/state.json
outputs_of "$model in/x.npy" sensitivity in/m.onnx --data in/x.npy --eval in/x.npy
outputs_of "$model in/x.npy" plan in/m.onnx --data in/x.npy
outputs_of "$model in/x.npy" lint in/m.onnx --data in/x.npy
outputs_of "$model in/layers.json" explain in/layers.json --model in/m.onnx
reports=--json
outputs_of "$model $samples" calibrate in/m.onnx $data -o @
outputs_of "in/t.dct" merge in/t.dct -o @
outputs_of "$model $samples" cast in/m.onnx $data --float-type fp16 -o @
outputs_of "$model $samples" run in/m.onnx $data -o out/run
outputs_of "in/tests/model.onnx in/tests/test_data_set_0/input_0.pb" verify in/tests
outputs_of "$model" inspect in/m.onnx
outputs_of "$model in/t.dct" cache export in/t.dct --dla in/m.onnx -o @
outputs_of "$model in/t.cache" cache import in/t.cache --model in/m.onnx -o @
sums | cmp -s - before || fail "an input was changed"

# Names that Detent makes of OUT.
# derived SENTENCE FILE ARG...: refused, and FILE is unchanged.
derived() {
  sentence=$1 file=$2
  shift 2
  cp "$file" kept
  run "$@" --overwrite
  [ "$code" -eq 15 ] || fail "$sentence: exit $code, expected 15"
  says "$sentence" "reads"
  cmp -s "$file" kept || fail "$sentence: $file was changed"
}
ln in/t.dct out/q.onnxruntime.onnx
derived "OUT.TARGET.onnx" in/t.dct quantize in/m.onnx --quiet --table in/t.dct --target tensorrt --target onnxruntime -o out/q.onnx
ln in/o.json out/d.cache
derived "OUT.cache of DLA" in/o.json quantize in/m.onnx $data --override in/o.json --target tensorrt:dla -o out/d.onnx
cp in/whole.onnx in/t2.dct.partial
derived "TABLE.partial" in/t2.dct.partial calibrate in/t2.dct.partial $data -o in/t2.dct
mkdir out/run && ln in/listed/2.npy out/run/y.npy
derived "NAME.npy of run" in/listed/2.npy run in/m.onnx $data -o out/run
derived "a folder of samples" in/rows/0.npy run in/m.onnx --quiet --data in/rows -o in/sub/../rows
rm -r out/*

# The data of a replaced model stays while another model that is read needs it.
prepares="--quiet --data random:uniform,n=2 --stop-after prepare --format external-data=always"
accepts "weights beside the model" quantize "$sample_model" $prepares -o in/a.onnx
cp in/a.onnx in/b.onnx
weights=$(echo in/a.onnx.*.data)
derived "OUT.data, which would be the same again" "$weights" quantize in/b.onnx $prepares -o in/a.onnx
accepts "replace the first" cast in/b.onnx --quiet --data random:uniform,n=2 --float-type bf16 --format external-data=always -o in/a.onnx --overwrite
[ -s "$weights" ] || fail "the weights of a model that was read are gone"
accepts "the other is still read" run in/b.onnx --quiet --data random:uniform,n=2 -o in/run_b

# Equal files that are no input are replaced.
# replaces FILE ARG... with @ for the output.
replaces() {
  cp "$1" out/other
  cp "$1" kept
  shift
  arguments=$(echo "$*" | sed 's|@|out/other|')
  run $arguments
  [ "$code" -eq 15 ] || fail "$arguments: exit $code, expected 15"
  cmp -s out/other kept || fail "$arguments: replaced a file without --overwrite"
  accepts "$arguments --overwrite" $arguments --overwrite
  cmp -s out/other kept && fail "$arguments: did not replace the file"
  rm -r out/*
}
replaces in/w.bin quantize in/m.onnx $data --accept-broken -o @
replaces in/w.bin quantize in/m.onnx $data --accept-broken -o out/q.onnx --html=@
replaces in/w.bin quantize-weights in/m.onnx --quiet --accept-broken -o @
replaces in/m.onnx cast in/m.onnx $data --float-type fp16 -o @
replaces in/listed/2.npy calibrate in/m.onnx $data -o @
replaces in/list.txt plan in/m.onnx --json=@
replaces in/w.bin lint in/m.onnx --html=@
replaces in/t.dct inspect in/t.dct --json=@
replaces in/t.cache cache import in/t.cache --model in/m.onnx -o @
replaces in/t.dct merge in/t.dct -o out/sum --json=@
finish
