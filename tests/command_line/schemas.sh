#!/bin/sh
# Every command's JSON follows its schema (src/report/json/README.md): on the bundled sample and on small networks,
# with all options that change its form. Every member of every schema has a value in one of these documents.
. "$(dirname "$0")/expect.sh"
. "$here/networks.sh"
. "$here/documents.sh"
. "$here/engines.sh"
pixels="--data $sample/calib --preprocess $preprocess --quiet --limit 2"
judged="--eval $sample/eval/images --eval-limit 2"

# The bundled sample: images, masks.
document calibrate table calibrate "$model" $pixels -o in/table.dct
document quantize quantize quantize "$model" --table in/table.dct -o in/int8.onnx
document masks quantize quantize "$model" $pixels --calibrator mse $judged --masks "$sample/eval/masks" --max-drop 0.5 -o out/masks.onnx
document compare_masks compare compare "$model" $pixels $judged --masks "$sample/eval/masks" --calibrators max,mse
document dla quantize quantize "$model" --table in/table.dct --target tensorrt:dla -o in/dla.onnx
document plan plan plan "$model" --shape image=1,3,128,128

# A latency command: each pair takes 10 us. It does not take files that say so.
cat >in/timer <<'END'
#!/bin/sh
echo '{"engine": "planted", "version": "1", "device": "here", "threads": "2", "batch": "1"}'
case $1 in *refused*) echo "not taken" >&2 && exit 1 ;; esac
grep -a -o QuantizeLinear "$1" | wc -l | awk '{ print 1 + $1 / 100 }'
END
chmod +x in/timer
timed="--latency-command in/timer"
document latency quantize quantize "$model" $pixels --calibrator max --target onnxruntime $timed --latency-table in/latency.json -o out/fast.onnx
cp "$model" in/refused.onnx
document latency_scored quantize quantize "$model" $pixels --calibrator max --target onnxruntime $timed $judged --masks "$sample/eval/masks" --max-drop 0.5 -o out/fast_scored.onnx
document latency_again quantize quantize in/refused.onnx $pixels --calibrator max $timed -o out/faster.onnx
document forecasts plan plan "$model" --target onnxruntime --shape image=1,3,128,128 --latency-table in/latency.json
document lint lint lint in/int8.onnx --target onnxruntime
document engine explain explain in/layers.json --profile in/profile.json --model in/int8.onnx --against in/fused.json
document predicted explain explain in/coded.json --model in/coded.onnx
document lint_coded lint lint in/coded.onnx
document engine_of_onnxruntime explain explain in/events.json --against in/float_events.json
document engine_of_rknn explain explain in/compiler.log --against in/compiler.log
document model model inspect "$model"
document looked model inspect "$model" --data $sample/calib --preprocess $preprocess --quiet --limit 4
document written model inspect in/int8.onnx

# A classifier of small images, random ones.
network net "(float[N, 3, 16, 16] x) => (float[N, 10] y)" "
  $(weight w1 8,3,3,3 216) $(weight b1 8 8) $(weight w2 8,8,3,3 576) $(weight b2 8 8) $(weight w3 8,8,1,1 64) $(weight w4 10,8 80)
  a = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
  r = Relu (a)
  b = Conv <pads = [1, 1, 1, 1]> (r, w2, b2)
  s = Sigmoid (b)
  m = Mul (b, s)
  c = Conv (m, w3)
  d = Add (c, r)
  p = GlobalAveragePool (d)
  f = Flatten (p)
  y = Gemm <transB = 1> (f, w4)"
net=in/net.onnx
data="--quiet --data random:normal,n=16"
eval="--eval random:normal,n=4,seed=2"
layers="--policy small-layers=quantize"

# Two files as one model.
network front "(float[N, 8] x) => (float[N, 16] h)" "$(weight w5 8,16 128) h = MatMul (x, w5)"
network back "(float[N, 16] h) => (float[N, 4] y)" "$(weight w6 16,4 64) y = MatMul (h, w6)"
echo '{"models": {"a": "front.onnx", "b": "back.onnx"}, "feeds": {"a:h": "b:h"}, "data": {"a:x": "random:normal,n=16"}}' >in/pair.json
document pipeline quantize quantize in/pair.json --quiet --calibrator max $layers -o out/pair

# Tables and caches.
document whole table calibrate $net $data -o in/net.dct
document shard_1 table calibrate $net $data --shard 1/2 --equalize relu --float-type fp16 --target tensorrt:11 -o in/1.dct
document shard_2 table calibrate $net $data --shard 2/2 --equalize relu --float-type fp16 --target tensorrt:11 -o in/2.dct
document merge_partial table merge in/1.dct --partial -o in/partial.dct
document merge table merge in/1.dct in/2.dct -o in/both.dct
document table table inspect in/both.dct
document distribution distribution inspect in/net.dct --value r
document cache_export cache-export cache export in/net.dct -o in/scales.cache
document dla_cache cache-export cache export in/table.dct --dla "$model" -o in/dla_scales.cache
sed '3s/: .*/: 00000000/; 4d' in/scales.cache >in/odd.cache
echo 'nobody: 3c010a14' >>in/odd.cache
document cache_import cache-import cache import in/odd.cache --model $net -o in/imported.dct
document imported table inspect in/imported.dct

# quantize.
document auto quantize quantize $net $data -o out/auto.onnx $layers
network fed "(float[N, S] x, float[N, 8] h) => (float[N, 8] y)" "
  $(weight w5 1,8 8) $(weight w6 8,8 64)
  a = MatMul (x, w5)
  s = Add (a, h)
  y = MatMul (s, w6)"
array steps 9,4 3
echo '{"feeds": {"y": "h"}, "cut": {"x": 1}}' >in/state.json
document steps quantize quantize in/fed.onnx --quiet --data x=in/steps.npy --steps 4 --state in/state.json --calibrator mse --accept-broken -o out/fed.onnx $layers
stepped="--quiet --data x=in/steps.npy --eval x=in/steps.npy --steps 4 --state in/state.json"
document steps_compared compare compare in/fed.onnx $stepped --calibrators max $layers
document steps_of_targets compare-targets compare in/fed.onnx $stepped --targets tensorrt --calibrators max $layers
document steps_of_types compare-types compare-types in/fed.onnx $stepped --types int8 $layers
document steps_of_layers sensitivity sensitivity in/fed.onnx $stepped --calibrator max $layers
document steps_repaired repair repair out/fed.onnx $stepped --target tensorrt:10.13 --metric-command 'echo 0.5; :' -o out/fed_repaired.onnx
network classes_fed "(float[N, S] x, float[N, 8] h) => (float[N, 8] y, float[N, 8] p)" "
  $(weight w5 1,8 8) $(weight w6 8,8 64)
  a = MatMul (x, w5)
  s = Add (a, h)
  y = MatMul (s, w6)
  p = Softmax (y)"
document classes_of_steps quantize quantize in/classes_fed.onnx --quiet --data x=in/steps.npy --steps 4 --state in/state.json --calibrator mse --accept-broken -o out/classes_fed.onnx $layers
opset='"" : 13, "TRT" : 1' network plugin "(float[N, 8] x) => (float[N, 8] y)" "
  $(weight w7 8,8 64)
  m = MatMul (x, w7)
  y = TRT.Plugin (m)"
document not_compared quantize quantize in/plugin.onnx --quiet --data x=random:normal,n=8 --calibrator max --accept-broken -o out/plugin.onnx $layers
document onnxruntime quantize quantize $net $data --calibrator max --target onnxruntime -o in/ort.onnx $layers
echo '{"r": {"bits": 16}}' >in/wide.json
document island quantize quantize $net $data --calibrator max --target qnn --override in/wide.json -o out/island.onnx
document vnni quantize quantize $net $data --calibrator max --target onnxruntime --cpu vnni -o out/vnni.onnx $layers
document best quantize quantize $net --quiet --data random:normal,n=64 --accuracy best -o out/best.onnx $layers
document equalized quantize quantize $net $data --calibrator max --equalize relu,act --policy bias-correction=on -o out/equalized.onnx $layers
document equalize_auto quantize quantize $net --quiet --data random:normal,n=32 --calibrator max --equalize auto -o out/equalize_auto.onnx
for command in compare sensitivity; do
  document ended_$command $command $command $net --quiet --data random:normal,n=16 --eval random:normal,n=50000 --time-limit 0.2s $layers
done
document ended_compare_types compare-types compare-types $net --quiet --data random:normal,n=16 --eval random:normal,n=50000 --time-limit 0.2s --types int8
document ended_compare_targets compare-targets compare $net --quiet --data random:normal,n=16 --eval random:normal,n=50000 --time-limit 0.2s --targets tensorrt
document ended quantize quantize $net --quiet --data random:normal,n=16 --time-limit 0.01s --accuracy best --accept-broken -o out/ended.onnx $layers
document bound quantize quantize $net $data --calibrator mse --min-sqnr 45 -o out/bound.onnx
document half quantize quantize $net $data --calibrator max --target tensorrt:11 -o in/half.onnx
document fp8 quantize quantize $net $data --calibrator max --type fp8 -o in/fp8.onnx
document targets quantize-targets quantize $net $data --calibrator max --target tensorrt --target onnxruntime -o out/targets.onnx $layers
document broken quantize quantize $net $data --calibrator percentile:20 -o out/broken.onnx
[ "$code" -eq 1 ] || fail "a broken model: exit $code, expected 1"

# plan, lint, cast.
document plan_net plan plan $net
document plan_half plan plan $net $data --target tensorrt:11
for file in ort half fp8; do document lint_$file lint lint in/$file.onnx --target tensorrt:11; done
document repair repair repair in/ort.onnx $data --target tensorrt:10.13 -o out/repair.onnx
run quantize $net $data --calibrator max --target onnxruntime $layers --policy exclude-op=Gemm -o in/left.onnx
document repair_left repair repair in/left.onnx $data --target tensorrt:10.13 -o out/repair_left.onnx
document lint_other lint lint in/ort.onnx
document lint_float lint lint $net
document cast cast cast $net $data --float-type bf16 -o out/cast.onnx
document cast_pairs cast cast in/ort.onnx --quiet --format scales=fp16 -o out/cast_pairs.onnx

# compare, sensitivity, run, verify.
document compare compare compare $net $data $eval --calibrators max,auto --equalize relu $layers
document compare_half compare compare $net $data $eval --calibrators max --target tensorrt:11
document compare_targets compare-targets compare $net $data $eval --targets tensorrt,tensorrt:11,onnxruntime --equalize relu $layers
document latency_compared compare compare $net $data $eval --calibrators max --target tensorrt:11 $timed
document latency_of_types compare-types compare-types $net $data $eval --types int8 --target tensorrt:11 $timed
document latency_of_targets compare-targets compare $net $data $eval --targets tensorrt:11,onnxruntime --calibrators max $timed
cp $net in/refused.onnx
document latency_refused compare compare in/refused.onnx $data $eval --calibrators max $timed
document compare_command compare compare $net $data $eval --calibrators max --metric-command 'echo 0.5; :'
document sensitivity sensitivity sensitivity $net $data $eval --calibrator max --equalize relu $layers
document run run run $net $data -o out/run
document profile run run $net $data -o out/profile --profile
mkdir -p in/verified/test_data_set_0
cp $net in/verified/model.onnx
document verify verify verify in/verified

# Weights alone, tokens, and errors of a model.
network products "(float[N, 16, 64] x) => (float[N, 16, 64] y)" "$(weight w 64,64 4096) $(weight v 64,64 4096)
  h = MatMul (x, w) r = Relu (h) y = MatMul (r, v)"
products=in/products.onnx
second=$("$DETENT" plan $products --all | grep -o 'MatMul_[0-9]*' | tail -n 1)
document tokens table calibrate $products $data -o in/products.dct
document tokens_value distribution inspect in/products.dct --value r
document weights quantize-weights quantize-weights $products $data --type int4 -o out/w.onnx
document weights_no_data quantize-weights quantize-weights $products --type int8 --block channel --exclude "$second" -o out/v.onnx
document weights_bound quantize-weights quantize-weights $products $data --type int4 --min-sqnr 30 -o out/u.onnx
network embedded "(int64[N, 8] ids) => (float[N, 8, 64] y)" "$(weight e 64,64 4096) $(weight u 64,64 4096)
  x = Gather (e, ids) r = Relu (x) y = MatMul (r, u)"
document weights_table quantize-weights quantize-weights in/embedded.onnx --type int8 -o out/t.onnx
document weights_sensitivity sensitivity sensitivity $products $data $eval --weight-only int4
document types compare-types compare-types $products $data $eval --types int8,fp8,int4
document types_half compare-types compare-types $products $data $eval --types int8,int4 --target tensorrt:11 --equalize relu --policy small-layers=quantize
network attended "(float[1, 4, 16, 32] q, float[1, 4, 32, 16] k, float[1, 4, 16, 32] v) => (float[1, 4, 16, 32] y)" "
  s = MatMul (q, k) p = Softmax (s) y = MatMul (p, v)"
document attention plan plan in/attended.onnx
network unknown "(float[N, 4] x) => (float[N, 4] y)" "y = NoSuchOperator (x)"
document unsupported model inspect in/unknown.onnx


# Scores of every kind: labels, next tokens, outputs of three kinds.
"$MAKE_FILES" npy in/images.npy 12,3,16,16 3 && "$MAKE_FILES" rows in/images.npy in/images || fail "no images"
{ echo file,label; for i in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "$i.npy,$((i % 10))"; done; } >in/labels.csv
document labels compare compare $net --quiet --data in/images --eval in/images --labels in/labels.csv --calibrators max
# 12 samples, of which one more and one fewer may be right: 26 points to either side.
document labels_bound quantize quantize $net --quiet --data in/images --eval in/images --labels in/labels.csv --calibrator max --max-drop 0.2 \
  --accept-broken -o out/labels_bound.onnx
# A detector whose rows are two boxes, moved by what it reads.
network detector "(float[N, 3, 16, 16] x) => (float[N, 2, 6] y)" "$(weight w 12,3 36)
  b = Constant <value = float[12] {0, 0, 8, 8, 0.9, 0, 8, 8, 16, 16, 0.8, 1}> ()
  s = Constant <value = int64[3] {-1, 2, 6}> ()
  p = GlobalAveragePool (x) f = Flatten (p) m = Gemm <transB = 1> (f, w) k = Constant <value = float[1] {0.001}> ()
  t = Mul (m, k) r = Add (t, b) y = Reshape (r, s)"
# A detector that is recognized from its graph.
cat >in/decoded.txt <<'TEXT'
<ir_version: 8, opset_import: ["" : 17]> g (float[1,1,32,32] x) => (float[1,7,1024] y)
<float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, float[1,1,1] stride = {8}, int64[3] b = {1, 4, 1024},
 int64[3] s = {1, 3, 1024}>
{ c = Conv (x, wb) d = Reshape (c, b) e = Mul (d, stride) f = Conv (x, ws) g = Reshape (f, s) h = Sigmoid (g)
  y = Concat <axis = 1> (e, h) }
TEXT
"$MAKE_FILES" model in/decoded.txt in/decoded.onnx || fail "no model of a detector"
document decoded model inspect in/decoded.onnx
document decoded_plan plan plan in/decoded.onnx
# Its stored scores are .9, it computes .73.
mkdir -p in/verified_detector/test_data_set_0
cp in/decoded.onnx in/verified_detector/model.onnx
"$python" - in/verified_detector/test_data_set_0 <<'PYTHON'
import struct, sys
def varint(n): return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def write(name, dims, numbers):
    raw = struct.pack(f"<{len(numbers)}f", *numbers)
    fields = b"".join(b"\x08" + varint(d) for d in dims) + b"\x10\x01\x4a" + varint(len(raw)) + raw
    open(f"{sys.argv[1]}/{name}.pb", "wb").write(fields)
write("input_0", [1, 1, 32, 32], [1.0] * 1024)
write("output_0", [1, 7, 1024], [8.0] * 4096 + [0.9] * 3072)
PYTHON
document verified_detector verify verify in/verified_detector
comma=
{
  printf '{"categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "images": ['
  for i in 0 1 2 3 4 5 6 7 8 9 10 11; do printf '%s{"id": %d, "file_name": "%d.npy", "width": 16, "height": 16}' "$comma" $i $i; comma=,; done
  printf '], "annotations": ['
  comma=
  for area in 64 5000 10000; do printf '%s{"image_id": 3, "category_id": 1, "bbox": [0, 0, 8, 8], "area": %d}' "$comma" $area; comma=,; done
  printf ']}'
} >in/boxes.json
document detector compare compare in/detector.onnx --quiet --data in/images --eval in/images --labels in/boxes.json \
  --detections xyxy-score-class --calibrators max --policy small-layers=quantize
document detector_layers sensitivity sensitivity in/detector.onnx --quiet --data in/images --eval in/images \
  --detections xyxy-score-class --calibrator max --policy small-layers=quantize
document detector_file quantize quantize in/detector.onnx --quiet --data in/images --detections xyxy-score-class --calibrator max \
  --policy small-layers=quantize --accept-broken -o out/detector.onnx
boxes="--quiet --data in/images --eval in/images --labels in/boxes.json --detections xyxy-score-class"
document detector_types compare-types compare-types in/detector.onnx $boxes --types int8 --policy small-layers=quantize
document detector_targets compare-targets compare in/detector.onnx $boxes --targets tensorrt,onnxruntime --calibrators max \
  --policy small-layers=quantize
document detector_repair repair repair out/detector.onnx $boxes --target onnxruntime -o out/detector_repair.onnx
document detector_score quantize quantize in/detector.onnx $boxes --calibrator max --policy small-layers=quantize --accept-broken \
  -o out/detector_score.onnx
printf '<ir_version: 8, opset_import: ["" : 13]> g (int64[n, 4] ids) => (float[n, 4, 4] y) <float[4, 4] e = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1},
  float[4, 4] w = {2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,2}> { h = Gather (e, ids) y = MatMul (h, w) }' >in/text.txt
"$MAKE_FILES" model in/text.txt in/text.onnx || fail "no model of tokens"
printf 'a\nb\nc\n\\n\n' >in/vocab.txt
printf 'aaaaaaabbabcaabbccaba' >in/t.txt
text="--quiet --policy small-layers=quantize --data text:in/t.txt,vocab=in/vocab.txt --eval text:in/t.txt,vocab=in/vocab.txt --next-token"
document next_token compare compare in/text.onnx $text --calibrators max
document next_token_layers sensitivity sensitivity in/text.onnx $text --calibrator max
document next_token_bound quantize quantize in/text.onnx $text --calibrator max --max-drop 0.5 -o out/text.onnx
network ctc "(float[n, t] x) => (float[n, t, 2] logits)" "a = Constant <value = int64[1] {2}> () u = Unsqueeze (x, a)
  w = Constant <value = float[1, 2] {0.5, 1}> () logits = MatMul (u, w)"
mkdir in/clips
"$python" - <<'PYTHON'
import wave
for name in "ab":
    with wave.open(f"in/clips/{name}.wav", "wb") as clip:
        clip.setparams((1, 2, 16000, 0, "NONE", ""))
        clip.writeframes(bytes([0, 32]) * 50)
PYTHON
printf 'file,text\na.wav,a\nb.wav,aa\n' >in/texts.csv
printf '<blank>\na\n' >in/classes.txt
speech="--quiet --policy small-layers=quantize --data in/clips --preprocess raw-audio --eval in/clips --transcripts in/texts.csv --vocab in/classes.txt"
document error_rates compare compare in/ctc.onnx $speech --calibrators max
document error_rates_of_layers sensitivity sensitivity in/ctc.onnx $speech --calibrator max
document error_rate_bound quantize quantize in/ctc.onnx $speech --calibrator max --max-drop 0.5 -o out/ctc.onnx
network outputs "(float[N, 16] x) => (float[N, 8] y, float[N, 1] z, int64[N, 1] k)" "$(weight w 16,8 128) $(weight v 16,1 16)
  y = MatMul (x, w) z = MatMul (x, v) k = ArgMax <axis = 1> (y)"
document outputs quantize quantize in/outputs.onnx $data --calibrator max --policy small-layers=quantize --min-sqnr 20 -o out/outputs.onnx
document outputs_compared compare compare in/outputs.onnx $data $eval --calibrators max --policy small-layers=quantize

# Channels that differ by a factor of 64, and some that never fall below 4, for equalization.
uneven() { weight "$1" "$2" "$3" | awk -v row="$4" -v step="$5" '{
  head = substr($0, 1, index($0, "] {") + 2); tail = substr($0, index($0, "}"))
  n = split(substr($0, length(head) + 1, length($0) - length(head) - length(tail)), v, ", ")
  for (i = 1; i <= n; ++i) head = head (i == 1 ? "" : ", ") sprintf("%.5f", v[i] * (int((i - 1) / row) % 8 == 0 ? step : 1))
  print head tail }'; }
network uneven "(float[N, 8, 8, 8] x) => (float[N, 8, 8, 8] y)" "
  $(uneven w1 8,8,1,1 64 8 64) $(uneven w2 8,8,1,1 64 1 0.015625) $(weight w3 8,8,1,1 64) b1 = Constant <value = float[8] {0, 9, 9, 0, 9, 0, 0, 0}> ()
  a = Conv (x, w1, b1) r = Relu (a) c = Conv (r, w2) s = Relu (c) y = Conv (s, w3)"
document uneven quantize quantize in/uneven.onnx --quiet --data random:normal,n=64 --calibrator max --format per-tensor=on --equalize auto -o out/uneven.onnx

# A sample that is unlike the others, and values that 16 bits do not hold.
"$python" - <<'PYTHON'
import random, struct
random.seed(1)
for name, last in (("odd", 100.0), ("huge", 1e5)):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 3, 16, 16), }"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [random.gauss(0, 1) * (last if i >= 63 * 768 or last > 100 else 1) for i in range(64 * 768)]
    with open(f"in/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))
PYTHON
document outlier quantize quantize $net --quiet --data in/odd.npy --calibrator max -o out/outlier.onnx $layers
document overflow cast cast $net --quiet --data in/huge.npy --float-type fp16 -o out/overflow.onnx

follow_schemas --all-seen

# With an error there is no document.
# writes_none SENTENCE CODE ARG...
writes_none() {
  sentence=$1 expected=$2
  shift 2
  run "$@" --json in/none.json
  [ "$code" -eq "$expected" ] || fail "$sentence: exit $code, expected $expected"
  if [ -e in/none.json ]; then fail "$sentence: there is a document"; fi
}
writes_none "shards that are missing" 1 merge in/1.dct -o out/merged.dct
writes_none "no model" 10 inspect in/t.txt
writes_none "an operator that cannot run" 11 run in/unknown.onnx --data random:normal,n=1 -o out/none
writes_none "the table of another model" 14 quantize $products --table in/net.dct -o out/none.onnx

# Documents that follow no schema: the validator's message for each, exit 1.
# does_not_follow SENTENCE TEXT SCRIPT: documents/model.json as the sed script changes it.
does_not_follow() {
  cases=$((cases + 1))
  sed "$3" documents/model.json >in/changed.json
  if cmp -s in/changed.json documents/model.json; then fail "$1: the script changes nothing"; fi
  code=0
  "$python" "$validate" "$schemas" in/changed.json >stdout 2>stderr || code=$?
  [ "$code" -eq 1 ] || fail "$1: exit $code, expected 1"
  grep -qF -e "$2" stdout || fail "$1: the validator does not say '$2'"
}
does_not_follow "a required member left out" "'float_casts' is a required property" '/"float_casts"/d'
does_not_follow "an unknown member" "('depth' was unexpected)" 's/^  "ir":/  "depth": 3,\n&/'
does_not_follow "an unknown member inside" "inputs/0: Additional properties are not allowed" 's/"name": "image",/&\n      "rank": 4,/'
does_not_follow "another type" "ir: '8' is not of type 'integer'" 's/"ir": \([0-9]*\)/"ir": "8"/'
does_not_follow "another version" "follows 'urn:detent:model:0.9', which is no schema here" 's/detent:model:[0-9.]*/detent:model:0.9/'
does_not_follow "another kind" "is a required property" 's/detent:model:/detent:plan:/'
does_not_follow "no schema" "follows 'None'" '/"schema"/d'
if "$python" "$validate" --all-seen "$schemas" documents/model.json >stdout; then fail "one document has every member"; fi
grep -q '^run/written: no document has it with a value$' stdout || fail "members that no document has are not named"

# The negative twin of the schemas: one that is open, one that is not described.
mkdir in/open
cp "$schemas"/*.json in/open
sed -i 's/"additionalProperties": false/"additionalProperties": true/; s/"description": "Paths of [^"]*"/"description": "?"/' in/open/run.schema.json
if "$python" "$validate" in/open documents/run.json >stdout; then fail "an open schema is taken"; fi
for text in 'run: not closed' 'run/written: not described in a sentence' 'run: a twin with an unknown member is accepted'; do
  grep -qxF "$text" stdout || fail "the validator does not say '$text' of an open schema"
done
finish
