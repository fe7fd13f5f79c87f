#!/bin/sh
# Weights alone as integers in blocks: without data, allowed options, and the contents of the file.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"

# Two layers of 64, the second behind a Transpose; the weights are the same pseudo-random numbers.
w=$(uniform 4096 5)
printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,16,64] x) => (float[N,16,64] y) <float[64,64] w = {%s}, float[64,64] v = {%s}> {
  h = MatMul (x, w) r = Relu (h) t = Transpose <perm = [1, 0]> (v) y = MatMul (r, t) }' "$w" "$w" | "$WRITE_MODEL" in/model.onnx

for codes in int4 int8; do
  for block in 32 channel; do
    accepts "$codes, block $block, without data" quantize-weights in/model.onnx --type $codes --block $block -o out/$codes$block.onnx
    grep -q 'weights of 2 of 2 weighted layers as' stdout || fail "$codes, block $block: not both layers"
    grep -q 'transposed the weights of 1 product' stdout || fail "$codes, block $block: the second was not rearranged"
    accepts "$codes, block $block runs" run out/$codes$block.onnx --data random:normal,n=4 -o out/run
    rm -rf out/run
  done
done
bytes() { wc -c <"$1"; }
# 4 bits and a scale of 32 bits for 32 weights: 5/32 of the float weights, and the graph.
[ $(($(bytes out/int432.onnx) * 100)) -lt $((2 * 4096 * 4 * 16 + 100 * 1500)) ] || fail "INT4 in blocks of 32 takes $(bytes out/int432.onnx) bytes"
[ "$(bytes out/int4channel.onnx)" -lt "$(bytes out/int432.onnx)" ] || fail "one scale a channel takes no less than blocks"

# With data: codes rounded by GPTQ, the error, a report.
accepts "with data" quantize-weights in/model.onnx --type int4 --data random:normal,n=64 --quiet -o out/data.onnx --json out/report.json
grep -q '^rounding by GPTQ: 2 layers, mean SQNR .*, kept' stdout || fail "with data: rounding was not kept"
grep -q '^error against FP32 on 16 samples: SQNR' stdout || fail "with data: the error was not measured"
grep -q '^verdict: ' stdout || fail "with data: no verdict"
for key in '"codes": "int4"' '"block": 32' '"sqnr_after_db"' '"weight_sqnr_db"' '"verdict"' '"float_layers": \[\]'; do
  grep -q -e "$key" out/report.json || fail "the report has no $key"
done
accepts "again, with another number of threads" quantize-weights in/model.onnx --type int4 --data random:normal,n=64 --quiet --threads 1 -o out/again.onnx
cmp -s out/data.onnx out/again.onnx || fail "the number of threads changes the file"
accepts "layers that are excluded" quantize-weights in/model.onnx --type int4 --exclude MatMul_3 -o out/excluded.onnx
grep -q 'weights of 1 of 2 weighted layers' stdout || fail "an excluded layer is quantized"
grep -q "kept float: MatMul_3 (MatMul)  excluded by --exclude 'MatMul_3'" stdout || fail "an excluded layer is not named"
rm -rf out/*

# ONNX Runtime takes codes of 4 bits from 1.19 on.
for version in 1.16 1.18; do
  refuses "INT4 for ONNX Runtime $version" 13 '--target onnxruntime:1.19' quantize-weights in/model.onnx --type int4 --target onnxruntime:$version -o out/old.onnx
done
accepts "INT4 for ONNX Runtime 1.19" quantize-weights in/model.onnx --type int4 --target onnxruntime:1.19 -o out/new.onnx
accepts "INT8 for ONNX Runtime 1.18" quantize-weights in/model.onnx --type int8 --target onnxruntime:1.18 -o out/codes.onnx
rm -f out/new.onnx out/codes.onnx

# An embedding table becomes INT8 codes in the form that the engine takes; excluding its reader leaves floats.
printf '<ir_version: 8, opset_import: ["" : 17]> g (int64[N,4] ids) => (float[N,4,64] y) <float[64,64] e = {%s}, float[64,64] w = {%s}> {
  x = Gather (e, ids) r = Relu (x) y = MatMul (r, w) }' "$w" "$w" | "$WRITE_MODEL" in/tokens.onnx
for target in tensorrt onnxruntime; do
  accepts "an embedding for $target" quantize-weights in/tokens.onnx --type int4 --target $target -o out/$target.onnx --json out/$target.json
  grep -q "^embeddings, positions and masks: 1 of 1 large constant as INT8: 16.4 kB -> 4.4 kB$" stdout &&
    grep -q "^  e (Gather)  4[0-9.]* dB" stdout || fail "$target: the embedding is not reported"
  grep -q '"tables": \[' out/$target.json || fail "$target: the report has no table"
  accepts "$target: lint finds no fault" lint out/$target.onnx --target $target --strict
  accepts "$target: it runs" run out/$target.onnx --data random:uniform,n=4 -o out/run_$target
done
cmp -s out/run_tensorrt/y.npy out/run_onnxruntime/y.npy || fail "the two forms compute different numbers"
# A table that a product reads transposed, too, has its codes once, of 8 bits; the rows are the product's.
printf '<ir_version: 8, opset_import: ["" : 17]> g (int64[N,4] ids) => (float[N,4,64] y) <float[64,64] e = {%s}> {
  x = Gather (e, ids) r = Relu (x) t = Transpose <perm = [1, 0]> (e) y = MatMul (r, t) }' "$w" | "$WRITE_MODEL" in/tied.onnx
for block in 32 channel; do
  accepts "a tied table, block $block" quantize-weights in/tied.onnx --type int8 --block $block --target onnxruntime -o out/tied.onnx --data random:uniform,n=8 --quiet --json out/tied.json
  [ "$(bytes out/tied.onnx)" -lt 7500 ] || fail "a tied table, block $block, takes $(bytes out/tied.onnx) bytes: its codes twice"
  grep -q "its rows are taken of the codes of 'MatMul_" out/tied.json || fail "a tied table, block $block, is not explained"
  grep -q '^error against FP32 on .* SQNR [34]' stdout || fail "a tied table, block $block: $(grep '^error' stdout)"
  accepts "a tied table, block $block: lint finds no fault" lint out/tied.onnx --target onnxruntime --strict
  rm out/tied.onnx out/tied.json
done
accepts "a tied table of 4 bits" quantize-weights in/tied.onnx --type int4 --target onnxruntime -o out/tied.onnx --json out/tied.json
if grep -q 'its rows are taken' out/tied.json; then fail "a Gather reads codes of 4 bits"; fi
rm out/tied.onnx out/tied.json
# Layers that are judged side by side read the table in one form, whatever the file has; no layer is left in the end.
for target in tensorrt onnxruntime; do
  run quantize-weights in/tokens.onnx --type int4 --target $target --data random:uniform,n=8 --quiet --min-sqnr 200 -o out/bound_$target.onnx
  [ "$code" -eq 1 ] || fail "an embedding with a bound, $target: exit $code, expected 1"
  grep -o 'FP32.*-> .*\|SQNR .*\|^--min-sqnr.* on ' stdout | grep -v 'written\|wrote' | sed 's@, [0-9.]* s)@)@' >judged_$target
  [ -s judged_$target ] || fail "an embedding with a bound, $target: nothing was judged"
done
cmp -s judged_tensorrt judged_onnxruntime || fail "a bound judges the two forms differently"
accepts "an embedding that stays float" quantize-weights in/tokens.onnx --type int4 --policy exclude-op=Gather -o out/float.onnx
if grep -q '^embeddings' stdout; then fail "an excluded embedding became codes"; fi
[ "$(bytes out/float.onnx)" -gt $(($(bytes out/tensorrt.onnx) + 11000)) ] || fail "an excluded embedding takes $(bytes out/float.onnx) bytes"
rm -rf out/*

refuses "a block that engines do not know" 2 '--block' quantize-weights in/model.onnx --type int4 --block 24 -o out/m.onnx
refuses "codes that there are not" 2 '--type' quantize-weights in/model.onnx --type int3 -o out/m.onnx
refuses "weights alone of quantize" 2 "there is no option '--weight-only'" quantize in/model.onnx --weight-only int4 --data random:normal,n=2 -o out/m.onnx
refuses "an option of activations" 2 "--format: there is no key 'per-tensor'" quantize-weights in/model.onnx --type int4 --format per-tensor=on -o out/m.onnx

accepts "the options of a configuration" quantize-weights in/model.onnx --type int8 --block 64 -o out/config.onnx --print-config
cp stdout in/config.toml
accepts "it can be read back" quantize-weights --config in/config.toml
grep -q 'INT8 in blocks of 64' stdout || fail "the configuration forgets --block"
rm out/*

refuses "a score without samples" 2 'need --eval' quantize-weights in/model.onnx --type int4 --data random:normal,n=2 --next-token -o out/m.onnx

# A page.
accepts "a page" quantize-weights in/model.onnx --type int4 --data random:normal,n=64 --quiet --html out/p.html -o out/m.onnx
for word in 'Weights alone' 'id="weights-table"' 'INT4 in blocks of 32' 'Rounding by GPTQ: ' 'Rounded with'; do
  grep -q -e "$word" out/p.html || fail "the page lacks '$word'"
done
if grep -q 'INT8' out/p.html; then fail "the page of INT4 weights speaks of INT8"; fi
rm out/*

# A bound: the layer that costs most stays float.
bounded="quantize-weights in/model.onnx --type int4 --data random:normal,n=64 --eval random:normal,n=16,seed=3 --quiet"
accepts "a bound that holds anyway" $bounded --min-sqnr 5 -o out/m.onnx
grep -q '^--min-sqnr 5: SQNR .* on 16 samples, 1 measurement' stdout || fail "the bound is not reported"
grep -q 'weights of 2 of 2 weighted layers' stdout || fail "a bound that holds keeps a layer float"
reached=$(sed -n 's/^--min-sqnr 5: SQNR \([0-9]*\).*/\1/p' stdout)
accepts "a bound that needs a float layer" $bounded --min-sqnr $((reached + 2)) -o out/m.onnx --overwrite --json out/r.json
grep -q 'weights of 1 of 2 weighted layers as INT4' stdout || fail "no layer stays float for the bound"
grep -q "^kept float: .*INT4 costs .* dB; --min-sqnr $((reached + 2))" stdout || fail "the layer is not named with its cost"
grep -q '"met": true' out/r.json || fail "the report lacks the bound"
accepts "what the file says" inspect out/m.onnx
grep -q "min-sqnr=$((reached + 2))" stdout || fail "the provenance lacks the bound"
run $bounded --min-sqnr 140 -o out/m.onnx --overwrite
[ "$code" -eq 1 ] || fail "a bound that cannot be met: exit $code, expected 1"
says "a bound that cannot be met" "--min-sqnr 140 cannot be met with any layer in INT4"
[ -s out/m.onnx ] || fail "the best was not written"
rm out/*

# Layers by the cost of their codes.
accepts "sensitivity" sensitivity in/model.onnx --weight-only int4 --block 16 --data random:normal,n=64 --eval random:normal,n=4,seed=3 \
  --quiet --json out/s.json --html out/s.html
grep -q '^weights of 2 of 2 weighted layers as INT4 in blocks of 16$' stdout || fail "the layers are not counted"
grep -q 'measured 5 quantized models on 4 samples' stdout || fail "not each layer alone, all except it, and all"
grep -q '  MatMul_[0-9] (MatMul) .* 50.0 %' stdout || fail "a layer's share of the weights is not told"
for key in '"calibrator": null' '"codes": "int4"' '"block": 16' '"weight_share": 0.5' '"sqnr_db_alone"' '"values": \[\]'; do
  grep -q -e "$key" out/s.json || fail "sensitivity --json lacks $key"
done
if grep -q 'INT8' out/s.html; then fail "the page of INT4 weights speaks of INT8"; fi
rm out/*
refuses "sensitivity with a calibrator" 2 '--calibrator does not apply to --weight-only' sensitivity in/model.onnx --weight-only int4 \
  --data random:normal,n=8 --eval random:normal,n=2 --calibrator max
refuses "a block for sensitivity without weights alone" 2 '--block is for --weight-only' sensitivity in/model.onnx \
  --data random:normal,n=8 --eval random:normal,n=2 --block 64

finish
