#!/bin/sh
# External data: beside the model, or in a folder that --allow-external names, and in no other place.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}" "${EDIT_MODEL:?the program that breaks them}"

printf '<ir_version: 8, opset_import: ["" : 13]> g (float[1,4] x) => (float[1,4] y)
  <float[4,4] w = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}> { y = MatMul (x, w) }' | "$WRITE_MODEL" in/whole.onnx
mkdir in/model in/store in/other
{ printf '%0128d' 0; printf '%0256d' 0; } | tr 0 a >in/store/w.bin # 64 bytes are wanted, all floats of 'aaaa'
cp in/store/w.bin in/other/w.bin
cp in/store/w.bin in/store-2.bin
ln -s ../store/w.bin in/model/link.bin
ln -s ../other/w.bin in/store/away.bin
ln -s store in/store-link
ln -s /dev/zero in/store/device.bin
mkfifo in/store/pipe.bin
# at NAME LOCATION [LENGTH]: in/model/NAME.onnx, whose weights lie at LOCATION.
at() { "$EDIT_MODEL" in/whole.onnx "in/model/$1.onnx" external w "$2" 0 "${3-64}" || fail "in/model/$1.onnx cannot be made"; }
at relative ../store/w.bin
at absolute "$work/in/store/w.bin"
at link link.bin
at prefix ../store-2.bin
at away ../store/away.bin
at other ../other/w.bin
at missing ../store/none.bin
at beyond ../store/../other/w.bin
at folder ../store
at pipe ../store/pipe.bin
at device ../store/device.bin
at zero /dev/zero
at long ../store/w.bin 1000000000000

outside="lies outside the model's folder"
for name in relative absolute link prefix away other missing beyond folder pipe device zero; do
  refuses "$name, nothing allowed" 10 "$outside" inspect in/model/$name.onnx
  grep -q -e '^hint: --allow-external DIR' stderr || fail "$name: no hint at --allow-external"
done
for name in relative absolute link; do
  accepts "$name, its folder allowed" inspect in/model/$name.onnx --allow-external in/store
  accepts "$name, a link to its folder allowed" inspect in/model/$name.onnx --allow-external in/store-link
  accepts "$name, the folder above allowed" inspect in/model/$name.onnx --allow-external in
  refuses "$name, another folder allowed" 10 "$outside" inspect in/model/$name.onnx --allow-external in/other
  accepts "$name, both allowed" inspect in/model/$name.onnx --allow-external in/other --allow-external in/store
done
# Paths that only look as if they lay in the allowed folder.
for name in prefix away other beyond zero; do
  refuses "$name, in/store allowed" 10 "$outside" inspect in/model/$name.onnx --allow-external in/store
done
accepts "a link from one allowed folder into another" inspect in/model/away.onnx --allow-external in/store --allow-external in/other
refuses "data missing from the allowed folder" 10 "'../store/none.bin' is missing" inspect in/model/missing.onnx --allow-external in/store
for name in folder pipe; do
  refuses "a $name as data" 10 'is not a regular file' inspect in/model/$name.onnx --allow-external in
done
refuses "a device as data, its folder allowed" 10 'is not a regular file' inspect in/model/zero.onnx --allow-external /dev
refuses "a link to a device" 10 'is not a regular file' inspect in/model/device.onnx --allow-external in/store --allow-external /dev
refuses "more data than the file has" 10 'is too short' inspect in/model/long.onnx --allow-external in/store
refuses "a folder that is not there" 2 "--allow-external: 'in/none'" inspect in/model/relative.onnx --allow-external in/none
refuses "a file for a folder" 2 "--allow-external: 'in/whole.onnx' is not a folder" inspect in/model/relative.onnx \
  --allow-external in/whole.onnx

# A terabyte that was never written: the file is mapped, so its size costs nothing. Without a length the tensor takes
# what its shape needs, as ONNX Runtime reads it; a length must be the shape's.
truncate -s 1000000000000 in/store/huge.bin 2>/dev/null && {
  at huge ../store/huge.bin -
  accepts "a larger file without a length" inspect in/model/huge.onnx --allow-external in/store --max-memory 1G
  at huge ../store/huge.bin 1000000000000
  refuses "a terabyte of holes" 10 "'w': a tensor of shape 4x4 and type float needs 64 bytes but holds 1000000000000" \
    inspect in/model/huge.onnx --allow-external in/store --max-memory 1G
  rm in/store/huge.bin
}

# Every command that reads a model.
random='--data random:normal,n=4 --quiet'
model=in/model/relative.onnx
mkdir -p in/verify/test_data_set_0
cp $model in/verify/model.onnx
every() { # ARG...: with the folder and without
  refuses "$1 without --allow-external" 10 "$outside" "$@"
  accepts "$1 with --allow-external" "$@" --allow-external in/store
  mkdir -p made && cp -r out/. made/ && rm -rf out/*
}
every quantize $model $random -o out/q.onnx
every calibrate $model $random -o out/t.dct
every cast $model $random --float-type fp16 -o out/h.onnx
every plan $model
every lint $model
every compare $model $random --eval random:normal,n=2
every sensitivity $model $random --eval random:normal,n=2
every run $model $random -o out/run
accepts "verify without --allow-external" verify --help
run verify in/verify
[ "$code" -eq 1 ] && grep -q "$outside" stdout || fail "verify without --allow-external: exit $code"
run verify in/verify --allow-external in/store
grep -q "$outside" stdout && fail "verify with --allow-external still refuses"
for one in merge 'cache export'; do
  accepts "$one reads no model" $one --help
  grep -q -e --allow-external stdout && fail "$one offers --allow-external"
done

# A written model holds its weights: it needs neither the option nor the folder.
mv in/store in/gone
mkdir elsewhere && mv made/q.onnx made/h.onnx elsewhere
for file in q h; do
  accepts "$file.onnx, written elsewhere" run elsewhere/$file.onnx $random -o out/run
  rm -rf out/*
done

# External weights are folded, quantized and counted as those in the model are, to the byte.
quantized() { # NAME: out/NAME.onnx of in/model/NAME.onnx
  accepts "$1 with a folded weight" quantize "in/model/$1.onnx" --data random:normal,n=8 --calibrator max --policy small-layers=quantize \
    --allow-external in/store --accept-broken -o "out/$1.onnx"
  grep -qF '1 of 1 weighted layers INT8 (100 % of MACs)' stdout || fail "$1: the folded weight is not counted"
}
mv in/gone in/store
printf '<ir_version: 8, opset_import: ["" : 13]> g (float[N,4] x) => (float[N,4] y)
  <float[4,4] w = {1,0,2,0, 0,1,0,0, 0,0,1,0, 0,2,0,1}, float[1] s = {2}>
  { t = Transpose <perm = [1, 0]> (w) u = Mul (t, s) y = MatMul (x, u) }' | "$WRITE_MODEL" in/inside.onnx
for number in 1 0 2 0 0 1 0 0 0 0 1 0 0 2 0 1; do
  case $number in
    0) printf '\000\000\000\000' ;;
    1) printf '\000\000\200\077' ;;
    2) printf '\000\000\000\100' ;;
  esac
done >in/store/floats.bin
cp in/inside.onnx in/model/inside.onnx
"$EDIT_MODEL" in/inside.onnx in/model/computed.onnx external w ../store/floats.bin 0 64
quantized inside
quantized computed
"$DETENT" run out/inside.onnx --data random:normal,n=8 -o out/inside --quiet >stdout 2>stderr
"$DETENT" run out/computed.onnx --data random:normal,n=8 -o out/computed --quiet >stdout 2>stderr
cmp -s out/inside/y.npy out/computed/y.npy || fail "an external weight is folded otherwise than one in the model"
finish
