#!/bin/sh
# NaN and Inf in activations: named with node and sample, left out; a value without finite elements is an error.
. "$(dirname "$0")/expect.sh"

# A .npy file of float32 with shape (1, 3, 128, 128) and zeros behind the first elements, given as octal bytes.
header="{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 128, 128), }"
array() {
  { printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"; printf "$2"; head -c $((196608 - $3)) /dev/zero; } >"$1"
}
one='\000\000\200\077' nan='\000\000\300\177' infinity='\000\000\200\177'

# A sample of ones first, so that the broken one is not the first.
mkdir in/data in/nan in/inf
array in/data/0_good.npy "$one" 4
cp in/data/0_good.npy in/nan
cp in/data/0_good.npy in/inf
array in/nan/1_nan.npy "$nan$one$nan" 12
array in/inf/1_inf.npy "$infinity" 4
for calibrator in max percentile entropy mse; do
  accepts "NaN with $calibrator" quantize "$model" --data in/nan --calibrator $calibrator --quiet --accept-broken -o out/m.onnx --overwrite
  grep -q "value 'image' held 2 NaN and 0 Inf, first in sample '.*1_nan.npy'; they are left out" stderr ||
    fail "$calibrator: the NaN of the input are not named"
  accepts "Inf with $calibrator" quantize "$model" --data in/inf --calibrator $calibrator --quiet --accept-broken -o out/m.onnx --overwrite
  grep -q "value 'image' held 0 NaN and 1 Inf, first in sample '.*1_inf.npy'" stderr ||
    fail "$calibrator: the Inf of the input is not named"
  grep -q "value '.*' of node '/d.0/d.0.2/Relu' (Relu) held 0 NaN and .* Inf, first in sample '1_inf.npy'" stderr ||
    fail "$calibrator: no node is named"
done
rm -f out/*

mkdir in/only
array in/only/nothing.npy '' 0
accepts "one sample of zeros" quantize "$model" --data in/only --quiet --accept-broken -o out/m.onnx
grep -q "value 'image' was 0 in every sample; its scale is the default" stderr || fail "zeros are not named"
rm -f out/* in/only/*
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"
  head -c 196608 /dev/zero | LC_ALL=C tr '\000' '\377'; } >in/only/nothing.npy
refuses "a value with nothing finite" 12 "nothing finite" quantize "$model" --data in/only --quiet -o out/m.onnx
says "a value with nothing finite" "value 'image'"
says "a value with nothing finite" nothing.npy
finish
