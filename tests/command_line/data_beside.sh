#!/bin/sh
# --format external-data=auto|always|never: the place of a written model's weights. The network is the same in each
# case.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${EDIT_MODEL:?the program that breaks them}"
data="--quiet --data $six --preprocess $preprocess --limit 2"

data_files() { find "${1%/*}" -maxdepth 1 -name "${1##*/}.*.data" | wc -l; }
# computes FILE: writes its outputs for the samples, under the file's name.
computes() { accepts "run $1" run "$1" $data -o "${1%.onnx}"; }

for command in "quantize --calibrator mse" "cast --float-type fp16"; do
  name=${command%% *}
  for where in auto always never; do
    accepts "$name, $where" $command "$model" $data --format external-data=$where -o in/$name.$where.onnx
    cp stdout in/$name.$where.txt
    computes in/$name.$where.onnx
    diff -r in/$name.auto in/$name.$where >/dev/null || fail "$name: $where computes something else than auto"
  done
  accepts "$name without the option" $command "$model" $data -o in/$name.onnx
  for where in auto never; do
    cmp in/$name.onnx in/$name.$where.onnx || fail "$name: a small model with $where is not what is written without the option"
    [ "$(data_files in/$name.$where.onnx)" -eq 0 ] || fail "$name: a small model with $where has a data file"
  done
  [ "$(data_files in/$name.always.onnx)" -eq 1 ] || fail "$name: always wrote no data file"
  beside=$(find in -name "$name.always.onnx.*.data")
  [ "$(wc -c <in/$name.always.onnx)" -lt "$(($(wc -c <in/$name.onnx) / 4))" ] || fail "$name: weights stayed in the model file"
  grep -aq "${beside#in/}" in/$name.always.onnx || fail "$name: the model does not name the data file beside it"
  grep -aoE 'offset.{2,4}[0-9]+' in/$name.always.onnx | grep -oE '[0-9]+$' >in/offsets
  [ "$(wc -l <in/offsets)" -gt 10 ] || fail "$name: few tensors lie beside the model"
  while read -r offset; do [ $((offset % 4096)) -eq 0 ] || fail "$name: a tensor lies at $offset"; done <in/offsets

  # Both files move and are replaced together.
  mkdir in/moved-$name && cp in/$name.always.onnx "$beside" in/moved-$name
  computes in/moved-$name/$name.always.onnx
  accepts "$name, always, again" $command "$model" $data --format external-data=always -o in/$name.always.onnx --overwrite
  cmp in/$name.always.onnx in/moved-$name/$name.always.onnx || fail "$name: the same model is another file"
  [ "$(data_files in/$name.always.onnx)" -eq 1 ] || fail "$name: a second data file"
  accepts "$name, never in its place" $command "$model" $data --format external-data=never -o in/$name.always.onnx --overwrite
  [ "$(data_files in/$name.always.onnx)" -eq 0 ] || fail "$name: the data of the model that was replaced is still there"
  refuses "$name, a word that is none" 2 'is not one of always, auto, never' $command "$model" $data --format external-data=beside -o out/q.onnx
done
# The reported size is that of both files.
size_of() { sed -n 's/^wrote .*(\([0-9.]*\) kB).*/\1/p' "$1"; }
awk -v a="$(size_of in/quantize.auto.txt)" -v b="$(size_of in/quantize.always.txt)" 'BEGIN { exit !(a > 0 && b >= a && b < a * 1.3) }' ||
  fail "always tells another size: $(size_of in/quantize.auto.txt) and $(size_of in/quantize.always.txt) kB"

# Tensors below 1 KiB stay in the model: 255 floats, and not 256.
for count in 255 256; do
  numbers=$(awk -v n=$count 'BEGIN { for (i = 0; i < n; ++i) printf "%s%d", i ? "," : "", i }')
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,%s] x) => (float[N,%s] y) <float[%s] w = {%s}> { y = Mul (x, w) }' \
    $count $count $count "$numbers" | "$WRITE_MODEL" in/w$count.onnx
  accepts "$count weights" cast in/w$count.onnx --quiet --data random:uniform,n=2 --float-type bf16 --format external-data=always -o in/c$count.onnx
done
[ "$(data_files in/c255.onnx)" -eq 0 ] || fail "510 bytes lie beside the model"
[ "$(data_files in/c256.onnx)" -eq 0 ] || fail "512 bytes lie beside the model"
accepts "512 weights" quantize in/w256.onnx --quiet --data random:uniform,n=2 --accept-broken --format external-data=always -o in/q256.onnx
[ "$(data_files in/q256.onnx)" -eq 1 ] || fail "1024 bytes of floats do not lie beside the model"
accepts "255 weights" quantize in/w255.onnx --quiet --data random:uniform,n=2 --accept-broken --format external-data=always -o in/q255.onnx
[ "$(data_files in/q255.onnx)" -eq 0 ] || fail "1020 bytes of floats lie beside the model"

# 2.4 GB of weights, holes of a file. As floats they do not fit into one file: reported before the first sample runs.
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[1,24500] x) => (float[1,24500] y) <float[1,1] w = {1}> { y = MatMul (x, w) }' |
  "$WRITE_MODEL" in/one.onnx
truncate -s 2401000000 in/w.bin 2>/dev/null && {
  "$EDIT_MODEL" in/one.onnx in/dims.onnx dims w 24500,24500 && "$EDIT_MODEL" in/dims.onnx in/large.onnx external w w.bin 0 2401000000
  large="in/large.onnx --data random:uniform,n=2"
  refuses "float weights in one file" 15 'takes 2.4 GB at least, and protobuf allows one file 2.1 GB' \
    quantize $large --format weights=fp32 --format external-data=never -o out/q.onnx
  if grep -q '^calibrating' stderr; then fail "calibrated before it was refused"; fi
}
finish
