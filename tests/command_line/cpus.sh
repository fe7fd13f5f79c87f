#!/bin/sh
# x86 CPUs with VNNI and without: --cpu any|vnni of a file for ONNX Runtime, --emulate exact|avx2 of a run.
. "$(dirname "$0")/expect.sh"
data="--quiet --data $six --preprocess $preprocess --limit 4"
# The first layer reads pixels and saturates most; few channels would leave it float (O11).
ort="--target onnxruntime --calibrator mse --policy small-layers=quantize"

# saturation FILE MEMBER: a member of "saturation" in a report.
saturation() { tr -d ' \n' <"$1" | sed -n "s/.*\"saturation\":{[^}]*\"$2\":\([^,}]*\).*/\1/p"; }

accepts "any CPU is the default" quantize "$model" $data $ort -o in/any.onnx --json in/any.json
grep -Eq '^same on every x86 CPU: [0-9]+ of [0-9]+ weight scales raised, by 1\.[0-9]+ on average' stdout || fail "it is not said what was raised"
[ "$(saturation in/any.json unsafe_pairs)" = 0 ] || fail "pairs are unsafe: $(saturation in/any.json unsafe_pairs)"
[ "$(saturation in/any.json raised_channels)" -gt 0 ] || fail "no scale was raised"
accepts "the same asked for" quantize "$model" $data $ort --cpu any -o in/asked.onnx
cmp in/any.onnx in/asked.onnx || fail "--cpu any is not the default"
accepts "CPUs with VNNI" quantize "$model" $data $ort --cpu vnni -o in/vnni.onnx --json in/vnni.json
grep -q '^x86 CPUs without VNNI saturate: [0-9]* pairs of weights in [0-9]* layers; error there: SQNR' stdout || fail "it is not said what saturates"
grep -q '^  x86 CPUs without VNNI saturate: SQNR .* dB there, .* dB elsewhere' stdout || fail "the verdict does not name both"
[ "$(saturation in/vnni.json unsafe_pairs)" -gt 0 ] || fail "no pair is unsafe"
[ "$(saturation in/vnni.json raised_channels)" = 0 ] || fail "scales were raised"
accepts "inspect names what was asked for" inspect in/vnni.onnx
grep -q 'cpu=vnni' stdout || fail "the provenance lacks --cpu"

# A pair of each weight is safe with 7 bits, whatever the CPU.
accepts "7 bits" quantize "$model" $data $ort --cpu vnni --format weight-bits=7 -o in/seven.onnx --json in/seven.json
[ "$(saturation in/seven.json unsafe_pairs)" = 0 ] || fail "7 bits are unsafe"

# The other engine adds exactly, so the option applies to nothing.
refuses "TensorRT" 13 "--cpu does not apply" quantize "$model" $data --calibrator mse --cpu vnni -o out/none.onnx
refuses "arithmetic is no CPU" 2 "--cpu: 'avx2' is not one of any, vnni" quantize "$model" $data $ort --cpu avx2 -o out/none.onnx
accepts "no saturation in TensorRT's report" quantize "$model" $data --calibrator mse -o in/trt.onnx --json in/trt.json
grep -q '"saturation": null' in/trt.json || fail "TensorRT's report has a saturation"

# The arithmetic of run.
accepts "run --emulate" run in/vnni.onnx $data --emulate avx2 -o in/emulated
accepts "run exactly" run in/vnni.onnx $data -o in/exactly
diff -r in/emulated in/exactly >/dev/null && fail "--emulate avx2 changes nothing"
refuses "a CPU is no arithmetic" 2 "--emulate: 'vnni' is not one of avx2, exact" run in/vnni.onnx $data --emulate vnni -o out/none

# Running: the arithmetics differ where pairs are unsafe.
for file in any vnni; do
  for products in exact avx2; do
    accepts "run $file $products" run in/$file.onnx $data --emulate $products -o in/$file.$products
  done
done
if cmp -s in/vnni.exact/logits.npy in/vnni.avx2/logits.npy; then fail "nothing saturates in a file for VNNI"; fi
refuses "a CPU for run" 2 "there is no option '--cpu'" run in/any.onnx $data --cpu vnni -o out/none
accepts "compare as without VNNI" compare "$model" $data --eval $six --target onnxruntime --calibrators mse --emulate avx2

# lint
accepts "a file for any CPU" lint in/any.onnx --target onnxruntime
if grep -q saturates-without-vnni stdout; then fail "lint finds saturation in a safe file"; fi
accepts "a file for VNNI" lint in/vnni.onnx --target onnxruntime
grep -q '^warning  saturates-without-vnni' stdout || fail "lint does not find saturation"
accepts "with data" lint in/vnni.onnx --target onnxruntime $data
grep -q 'saturates-without-vnni' stdout || fail "lint with data does not find saturation"
grep -q 'on 4 samples SQNR falls from' stdout || fail "lint does not say what it costs"
accepts "not on TensorRT" lint in/vnni.onnx --target tensorrt
if grep -q saturates-without-vnni stdout; then fail "TensorRT saturates"; fi

finish
