#!/bin/sh
# NaN and Inf. In the data: refused with the sample's name, or skipped. In activations: named with node and sample, left
# out.
. "$(dirname "$0")/expect.sh"

# A .npy file of float32 with shape (1, 3, 128, 128) and zeros behind the first elements, given as octal bytes.
header="{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 128, 128), }"
array() {
  { printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"; printf "$2"; head -c $((196608 - $3)) /dev/zero; } >"$1"
}
one='\000\000\200\077' nan='\000\000\300\177' infinity='\000\000\200\177' minus='\000\000\200\377'

# A sample of ones first, so that the broken one is not the first.
mkdir in/nan in/inf in/minus
array in/nan/0_good.npy "$one" 4
cp in/nan/0_good.npy in/inf
cp in/nan/0_good.npy in/minus
array in/nan/1_nan.npy "$nan$one$nan" 12
array in/inf/1_inf.npy "$infinity" 4
array in/minus/1_minus.npy "$minus" 4
refuses "NaN" 12 "sample '1_nan.npy': input 'image' holds NaN in 2 of 49152 elements" \
  quantize "$model" --data in/nan --quiet -o out/m.onnx
says "NaN" "--skip-bad-data"
refuses "Inf" 12 "sample '1_inf.npy': input 'image' holds +inf in 1 of 49152" quantize "$model" --data in/inf --quiet -o out/m.onnx
refuses "-Inf that is no mask" 12 "holds -inf in 1 of 49152 elements, and is no mask" quantize "$model" --data in/minus --quiet -o out/m.onnx
refuses "calibrate" 12 "1_nan.npy" calibrate "$model" --data in/nan --quiet -o out/t.dct
refuses "evaluation samples" 12 "1_nan.npy" compare "$model" --data in/nan/0_good.npy --eval in/nan --quiet
for bad in nan inf minus; do
  accepts "--skip-bad-data $bad" quantize "$model" --data in/$bad --skip-bad-data --accuracy fast --accept-broken -o in/m.onnx --overwrite
  grep -q "skipped: .*1_$bad.npy" stderr || fail "$bad: the skipped sample is not named"
done
mkdir in/only
cp in/nan/1_nan.npy in/only
refuses "no other sample" 12 "" quantize "$model" --data in/only --skip-bad-data --quiet -o out/m.onnx
accepts "a model that is only run" run "$model" --data in/nan --quiet -o in/outputs

# The largest float is finite; the sums of the first layers are not.
mkdir in/huge
cp in/nan/0_good.npy in/huge
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$header"
  head -c 49152 /dev/zero | LC_ALL=C sed 's/\x00/\xff\xff\x7f\x7f/g'; } >in/huge/1_huge.npy
for calibrator in max percentile entropy mse; do
  accepts "an overflow with $calibrator" quantize "$model" --data in/huge --calibrator $calibrator --accuracy fast --quiet --accept-broken -o in/m.onnx --overwrite
  grep -q "value '.*' of node '.*' (.*) held .* Inf, first in sample '1_huge.npy'; they are left out" stderr ||
    fail "$calibrator: no node is named"
done

mkdir in/zeros
array in/zeros/nothing.npy '' 0
accepts "one sample of zeros" quantize "$model" --data in/zeros --accuracy fast --quiet --accept-broken -o out/m.onnx
grep -q "value 'image' was 0 in every sample; its scale is the default" stderr || fail "zeros are not named"
finish
