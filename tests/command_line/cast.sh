#!/bin/sh
# cast of models with pairs: what it accepts, refuses and reports.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
data="--data $sample/calib --preprocess $preprocess --limit 8 --quiet"

accepts "a model of pairs" quantize "$model" $data --calibrator max --accuracy fast -o in/int8.onnx
accepts "it is cast" cast in/int8.onnx $data --float-type fp16 -o out/half.onnx
grep -q '^kept 24 QuantizeLinear and 42 DequantizeLinear with every code and zero point' stdout || fail "pairs are not counted"
grep -q 'scales rounded to float16, by 0.0[0-9]* % at most' stdout || fail "rounded scales are not reported"
grep -q '^error against the model on 8 samples: SQNR [2-9][0-9]' stdout || fail "the error against the model before is missing"
accepts "it is cast again" cast out/half.onnx $data --float-type fp16 -o out/again.onnx
cmp -s out/half.onnx out/again.onnx || fail "a cast model that is cast again is another file"
rm out/*

accepts "without data pairs bound the values" cast in/int8.onnx --quiet --float-type fp16 -o out/bounds.onnx
grep -q 'no sample was run: the scales of pairs and the weights bound the values' stdout || fail "nothing says that no sample was run"
grep -q '^error against' stdout && fail "an error was measured without data"
accepts "scales may stay FP32" cast in/int8.onnx --quiet --format scales=fp32 -o out/wide.onnx
grep -q 'scales unchanged, in float32' stdout || fail "unchanged scales are not reported"
rm out/*

accepts "pairs for ONNX Runtime" quantize "$model" $data --calibrator max --accuracy fast --target onnxruntime -o in/ort.onnx
accepts "their scales stay FP32" cast in/ort.onnx --quiet -o out/ort.onnx
grep -q 'scales unchanged, in float32' stdout || fail "scales of UINT8 codes changed by default"
accepts "or get the type" cast in/ort.onnx --quiet --format scales=fp16 -o out/ort16.onnx
grep -q 'warning: UINT8 codes and zero points are for ONNX Runtime' stderr || fail "16-bit scales of UINT8 codes are not warned of"
rm out/*

# Negative twins.
refuses "a float model without data" 2 "cast needs --data" cast "$model" --quiet -o out/x.onnx
refuses "preprocessing without data" 2 "--preprocess" cast in/int8.onnx --quiet --preprocess $preprocess -o out/x.onnx
network integers "(uint8[1, 2] x, uint8[2, 2] w) => (int32[1, 2] y)" "y = MatMulInteger (x, w)"
refuses "operators that compute with codes" 10 "integer operators (1 MatMulInteger), but cast keeps" \
  cast in/integers.onnx --quiet --data random:normal,n=2 -o out/x.onnx
finish
