#!/bin/sh
# Models with several outputs, and with integers for outputs: every output is listed, the worst one decides.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

layers="c = Conv (x, w)  r = Relu (c)  mask = Conv (r, v)"
weights="float[4,4,1,1] w = {0.5,-0.25,0.125,0.75, -0.5,0.375,0.25,-0.125, 0.625,0.5,-0.75,0.25, -0.25,0.125,0.5,0.375},
 float[4,4,1,1] v = {0.25,0.5,-0.375,0.125, 0.75,-0.25,0.5,0.625, -0.125,0.375,0.25,-0.5, 0.5,0.25,-0.625,0.375}"
# write NAME OUTPUTS NODES: the model in/NAME.onnx.
write() {
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,4,6,6] x) => (%s) <%s, int64[1] three = {3}, float no = {0}> { %s %s }' \
    "$2" "$weights" "$layers" "$3" | "$WRITE_MODEL" "in/$1.onnx" || fail "the model $1 was not written"
}
write one "float[N,4,6,6] mask" ""
write two "float[N,4,6,6] mask, float[N,4,6,6] copy" "copy = Abs (x)"
write exact "float[N,4,6,6] copy, float[N,4,6,6] none" "copy = Abs (x)  none = Mul (x, no)"
write class "int64[N] class" \
  "p = ReduceMean <axes = [2, 3], keepdims = 0> (mask)  class = ArgMax <axis = 1, keepdims = 0> (p)"
write top "int64[N,3,6,6] top" "best, top = TopK <axis = 1> (mask, three)"
options="--data random:normal,n=32,seed=1 --calibrator max --policy small-layers=quantize --quiet"

# One exact output does not hide the other.
run quantize in/two.onnx $options --min-sqnr 90 -o out/two.onnx
[ "$code" -eq 1 ] || fail "--min-sqnr 90 is met by an exact output: exit $code, expected 1"
grep -q 'NOT MET: SQNR .* dB at the worst output' stdout || fail "the bound is not told at the worst output"
rm -f out/*
accepts "a bound that the worst output meets" quantize in/two.onnx $options --min-sqnr 20 -o out/two.onnx --json out/two.json
grep -q "^error against FP32 on 32 samples: SQNR [0-9.]* dB at 'mask', the worst of 2 outputs" stdout ||
  fail "the worst output is not named"
grep -qE '^  mask +[0-9.]* dB +0[.][0-9]*' stdout || fail "an output has no line"
grep -qE '^  copy +exact .*exact$' stdout || fail "an exact output is not called exact"
grep -q "^verdict: good (SQNR [0-9.]* dB at 'mask'" stdout || fail "the verdict is not that of the worst output"
if grep -q infinite stdout; then fail "something is infinite"; fi
sed -n '/"error": {/,/^  }/p' out/two.json >in/error
[ "$(grep -c '"kind": ' in/error)" -eq 2 ] || fail "--json does not list both outputs with their kind"
grep -q '"exact": true' in/error || fail "--json does not say which output is exact"
grep -q '^    "sqnr_db": [0-9]' in/error || fail "--json has no SQNR of the worst output"
rm -f out/*

# With one output no line is about several.
accepts "one output" quantize in/one.onnx $options -o out/one.onnx
grep -q '^error against FP32 on 32 samples: SQNR [0-9.]* dB, cosine' stdout || fail "the error of a single output"
if grep -q -e 'worst of' -e 'worst output' -e '^  mask' stdout; then fail "a single output is listed"; fi
rm -f out/*

accepts "compare" compare in/two.onnx --data random:normal,n=32,seed=1 --policy small-layers=quantize --quiet \
  --eval random:normal,n=8,seed=2 --calibrators max,mse --json out/c.json
grep -q '^  Output, SQNR  *max  *mse$' stdout || fail "compare has no table of the outputs"
grep -q '^  copy  *exact  *exact$' stdout || fail "compare does not call an exact output exact"
if grep -q infinite stdout; then fail "compare: something is infinite"; fi
accepts "sensitivity" sensitivity in/two.onnx $options --eval random:normal,n=8,seed=2 --json out/s.json
grep -q 'SQNR at the worst output with all of them: [0-9.]* dB$' stdout || fail "sensitivity does not speak of the worst output"
grep -qE '^  copy +exact .*exact$' stdout || fail "sensitivity does not list the outputs"
grep -q '"outputs": \[' out/s.json || fail "the JSON of sensitivity does not list the outputs"
rm -f out/*

# --judged-outputs: the others do not count, in the bound, the error, the choice of a calibrator and sensitivity.
accepts "a judged output" quantize in/two.onnx $options --min-sqnr 90 --judged-outputs copy -o out/two.onnx --json out/two.json
grep -q '^error against FP32 on 32 samples: exact' stdout || fail "the error is not that of the judged output"
grep -q "^note: judged by 'copy' alone, of 2 outputs$" stdout || fail "nothing tells that an output does not count"
grep -q '"options": ".*judged-outputs=copy"' out/two.json || fail "--json does not have the judged outputs"
if grep -q "'mask'" stdout; then fail "an output counts that is not judged"; fi
rm -f out/*
run quantize in/two.onnx $options --min-sqnr 90 --judged-outputs mask -o out/two.onnx
[ "$code" -eq 1 ] || fail "--min-sqnr 90 is met by the judged output 'mask': exit $code, expected 1"
rm -f out/*
accepts "both outputs by name" quantize in/two.onnx $options --judged-outputs copy,mask -o out/both.onnx
if grep -q 'alone' stdout; then fail "all outputs are judged, but called some"; fi
rm -f out/*
accepts "auto by a judged output" quantize in/two.onnx --data random:normal,n=32,seed=1 --policy small-layers=quantize --quiet \
  --judged-outputs copy -o out/two.onnx
grep -q '^measured .*: [a-z:.0-9]* exact, ' stdout || fail "auto does not measure the judged output alone"
rm -f out/*
accepts "compare by a judged output" compare in/two.onnx --data random:normal,n=32,seed=1 --policy small-layers=quantize --quiet \
  --eval random:normal,n=8,seed=2 --calibrators max,mse --judged-outputs copy
if grep -q 'mask' stdout; then fail "compare measures an output that is not judged"; fi
accepts "types by a judged output" compare-types in/two.onnx --data random:normal,n=32,seed=1 --policy small-layers=quantize --quiet \
  --eval random:normal,n=8,seed=2 --calibrator max --types int8 --judged-outputs copy
if grep -q 'mask' stdout; then fail "compare-types measures an output that is not judged"; fi
accepts "sensitivity of a judged output" sensitivity in/two.onnx $options --eval random:normal,n=8,seed=2 --judged-outputs copy
grep -q ' copy  exact$\|SQNR at the output with all of them: ' stdout || fail "sensitivity does not measure the judged output"
if grep -q '^  mask ' stdout; then fail "sensitivity lists an output that is not judged"; fi
known="--judged-outputs: the model has no output 'mast'; its outputs are 'mask', 'copy'"
refuses "an output that is not there" 13 "$known" quantize in/two.onnx $options --judged-outputs copy,mast -o out/two.onnx
refuses "an output that is not there, weights" 13 "$known" quantize-weights in/two.onnx --data random:normal --quiet \
  --judged-outputs mast -o out/two.onnx
refuses "an output that is not there, compare" 13 "$known" compare in/two.onnx --data random:normal --eval random:normal \
  --quiet --judged-outputs mast
refuses "an output that is not there, sensitivity" 13 "$known" sensitivity in/two.onnx --data random:normal \
  --eval random:normal --quiet --weight-only int8 --judged-outputs mast
refuses "nothing to judge on" 2 "--judged-outputs applies to --data" quantize in/two.onnx --table in/none.dct --quiet \
  --judged-outputs copy -o out/two.onnx

# The notes below the verdict hold for several outputs too.
accepts "nothing to quantize" quantize in/two.onnx $options --exclude . -o out/m.onnx
grep -q '^error against FP32 on 32 samples: none: all 2 outputs exact' stdout || fail "two exact outputs are not called that"
grep -q 'nothing was quantized' stdout || fail "nothing tells that nothing was quantized"
rm -f out/*
accepts "few samples" quantize in/two.onnx --data random:normal,n=4 --calibrator max --policy small-layers=quantize --quiet -o out/m.onnx
grep -q 'fewer than 8' stdout || fail "nothing tells of few samples"
grep -q 'calibration samples themselves' stdout || fail "nothing tells what the error was measured on"
rm -f out/*

# An output that is 0 in FP32 is not measured as 0 dB.
accepts "an output of zeros" quantize in/exact.onnx $options -o out/m.onnx
grep -q '^  none .*  0 throughout in FP32$' stdout || fail "an output of zeros is not called that"
rm -f out/*

# Integers have no SQNR. They are judged by their classes, else by their elements.
accepts "classes" quantize in/class.onnx $options --accept-broken -o out/m.onnx --json out/m.json
grep -Eq '^error against FP32 on 32 samples: (exact|[0-9]+ of 32 elements differ);' stdout || fail "the error of integers"
grep -q '^verdict: .*of 32 classes as in FP32' stdout || fail "classes are not judged"
if grep -q '0\.0 dB' stdout; then fail "integers have an SQNR"; fi
sed -n '/"error": {/,/^  }/p' out/m.json >in/error
grep -q '"sqnr_db": null' in/error && grep -q '"kind": "integers"' in/error && grep -q '"integer_agreement": [01]' in/error ||
  fail "--json of integers"
rm -f out/*
accepts "other integers" quantize in/top.onnx $options --accept-broken -o out/m.onnx
grep -q '^verdict: .*of 3456 elements as in FP32' stdout || fail "elements are not judged"
rm -f out/*
accepts "auto decides for integers" quantize in/class.onnx --data random:normal,n=32,seed=1 --policy small-layers=quantize --quiet \
  --accept-broken -o out/m.onnx
grep -q '^measured [0-9]* calibrators' stdout || fail "no calibrator is measured where outputs are integers"
run quantize in/class.onnx $options --min-sqnr 140 --accept-broken -o out/m.onnx --overwrite
[ "$code" -eq 1 ] || fail "a bound is met by integers without a measure: exit $code, expected 1"
rm -f out/*
finish
