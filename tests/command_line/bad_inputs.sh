#!/bin/sh
# Bad inputs by their kinds: JSON, configurations, paths, folders, commands and scales. Each case ends within ten
# seconds with the manual's exit code, a message in our own words, and no output.
. "$(dirname "$0")/expect.sh"
: "${WRITE_MODEL:?the program that writes models}"
command -v mkfifo >/dev/null || exit 77

# denies SENTENCE CODE TEXT ARG...: refuses() within ten seconds, without words of libraries.
denies() {
  begun=$(date +%s)
  refuses "$@"
  [ $(($(date +%s) - begun)) -le 10 ] || fail "$1: took more than ten seconds"
  if grep -qE 'internal error|json\.exception|terminate called|filesystem error|what\(\)' stderr; then
    fail "$1: words of a library"
  fi
}
# many COUNT TEXT: the text so many times.
many() { awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; ++i) printf "%s", text }'; }
# json TEXT: in/a.json
json() { printf '%s' "$1" >in/a.json; }

# ---- Layers of engines
for text in '{"Layers": [1e999]}' '[{"name": 1e999}]' '[{"count": 1}, {"name": "a", "averageMs": 1e999}]'; do
  json "$text"
  denies "a number beyond doubles: $text" 12 'a.json: line 1, column' explain in/a.json
  denies "the same as a document" 12 'the number 1e999 is too large' explain in/a.json --json out/r.json
done
{ printf '{"Layers": '; many 200000 '['; } >in/deep.json
denies "brackets 200 000 deep" 12 'nested deeper than 100' explain in/deep.json
printf '[' >in/lists.json
many 1000000 '[[],[],[],[],[],[],[],[],[],[]],' >>in/lists.json
printf '0]' >>in/lists.json
denies "10 million lists" 12 'takes more than 512.0 MB of memory' explain in/lists.json
denies "the same under --max-memory" 12 'takes more than 50.0 MB of memory (--max-memory)' \
  explain in/lists.json --max-memory 50M
rm in/lists.json
printf '{"Layers": []}' >in/sparse.json
truncate -s 500M in/sparse.json
denies "a file of 500 MB" 12 'JSON is read up to 256.0 MB' explain in/sparse.json
printf '{"Layers": [{"Name": "a"}]}' >in/layers.json
accepts "layers" explain in/layers.json
for option in --profile --against --model; do
  denies "$option of an empty path" 2 "$option: the path is empty" explain in/layers.json $option ''
done

# ---- Labels
"$WRITE_MODEL" in/detector.onnx <<'MODEL'
<ir_version: 8, opset_import: ["" : 17]> g (float[N,3,8,8] x) => (float[N,4,6] boxes)
<int64[3] shape = {-1, 8, 24}, int64[1] from = {0}, int64[1] to = {4}, int64[1] axis = {1}, int64[1] axis2 = {2}, int64[1] six = {6}>
{ r = Reshape (x, shape)  s = Slice (r, from, to, axis)  boxes = Slice (s, from, six, axis2) }
MODEL
mkdir in/images
cp "$sample/calib/000.png" in/images/a.png
labels() {
  json "$1"
  denies "labels $1" 12 "$2" compare in/detector.onnx --data in/images --eval in/images --preprocess raw,resize=8x8 \
    --detections xyxy-score-class --labels in/a.json --calibrators max
}
image='{"id": 1, "file_name": "a.png", "width": 8, "height": 8}'
classes='"categories": [{"id": 1, "name": "c"}]'
labels '[]' 'holds no JSON object'
labels '{"images": [1], "annotations": [], '"$classes"'}' 'images[0]: an object is expected, not 1'
labels '{"images": [null], "annotations": [], '"$classes"'}' 'images[0]: an object is expected, not null'
labels '{"images": {}, "annotations": [], '"$classes"'}' 'images: a list is expected, not an object'
labels '{"images": ['"$image"'], "annotations": [{"image_id": "1"}], '"$classes"'}' 'annotations[0].image_id: a whole'
labels '{"images": ['"$image"'], "annotations": [{"image_id": 1, "category_id": 1, "bbox": 4}], '"$classes"'}' \
  'annotations[0].bbox: a list is expected, not 4'
labels '{"images": ['"$image"'], "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0,0,1,null]}], '"$classes"'}' \
  'annotations[0].bbox[3]: a number is expected, not null'
labels '{"images": ['"$image"'], "annotations": [], "categories": [{"id": 1}]}' 'categories[0]: "name" is missing'
labels '{"images": [' 'ends in the middle'
labels "{\"images\": [$(many 5000 '[')" 'nested deeper than 100'

# ---- Configurations
mkfifo in/fifo
denies "a pipe as --config" 2 'is not a regular file' plan "$model" --config in/fifo
denies "a folder as --config" 2 'is a folder' plan "$model" --config in/images
denies "a device as --config" 2 'is not a regular file' plan "$model" --config /dev/zero
{ printf '[plan]\nexclude = '; many 100000 '['; many 100000 ']'; printf '\n'; } >in/deep.toml
denies "a list 100 000 deep" 2 'nested deeper than 100' plan "$model" --config in/deep.toml
denies "the same as an argument" 2 'nested deeper than 100' plan "$model" --exclude "$(many 60000 '[')$(many 60000 ']')"
for file in MODEL --data --override --state --table; do
  case $file in
    MODEL) denies "a pipe as a model" 10 'is not a regular file' inspect in/fifo ;;
    --data) denies "a pipe as data" 12 'fifo' quantize "$model" --data in/fifo -o out/m.onnx ;;
    --override) denies "a pipe as overrides" 13 'is not a regular file' $quantize_sample -o out/m.onnx --override in/fifo ;;
    --state) denies "a pipe as states" 13 'is not a regular file' $quantize_sample -o out/m.onnx --state in/fifo --steps 2 ;;
    --table) denies "a pipe as a table" 12 'is not a regular file' quantize "$model" --table in/fifo -o out/m.onnx ;;
  esac
done

# ---- Paths that cannot be reached
ln -s loop_b in/loop_a
ln -s loop_a in/loop_b
long=$(many 300 a)
for path in in/loop_a in/loop_a/x "in/$long" "$(many 3000 a/)x" in/layers.json/x; do
  short=$(printf '%.20s' "$path")
  denies "$short as a model" 10 'reach' inspect "$path"
  denies "$short as data" 12 'reach' quantize "$model" --data "$path" -o out/m.onnx
  denies "$short as a .npy" 12 'detent' quantize "$model" --data "$path.npy" -o out/m.onnx
  denies "$short as a table" 12 'cannot be opened' quantize "$model" --table "$path" -o out/m.onnx
  denies "$short as overrides" 13 'cannot be opened' $quantize_sample -o out/m.onnx --override "$path"
  denies "$short as layers" 12 'opened' explain "$path"
  denies "$short as --config" 2 'reach' plan "$model" --config "$path"
  denies "$short as a folder of models" 12 'reach' verify "$path"
  denies "$short as an output" 15 'reach' $quantize_sample -o "$path"
  denies "$short as a page" 15 'reach' plan "$model" --html "$path"
done
denies "an empty model" 2 'MODEL: the path is empty' plan ''
denies "an empty output" 2 'output: the path is empty' $quantize_sample -o ''
denies "empty data" 2 'the path is empty' quantize "$model" --data '' -o out/m.onnx
denies "empty data of an input" 2 'the path is empty' quantize "$model" --data image= -o out/m.onnx

# ---- Folders
mkdir in/empty in/many
: >in/empty/000.png
run run "$model" --data in/empty --preprocess "$preprocess" --skip-bad-data --quiet -o out/run
[ "$code" -eq 12 ] || fail "--skip-bad-data with nothing left: exit $code"
grep -q '^detent: no sample of the data could be read$' stderr || fail "--skip-bad-data with nothing left: no message"
leaves_nothing "--skip-bad-data with nothing left"
(
  cd in/many || exit 1
  for _ in 1 2 3 4 5 6; do mkdir -p "$(many 500 d/)" && cd -P "$(many 500 d/)" || exit 1; done
) 2>/dev/null
denies "folders 3000 deep" 12 'many/d/d' run "$model" --data in/many --preprocess "$preprocess" --quiet -o out/run

# ---- A command that stops
accepts "a command that stops itself goes on" compare "$model" --data "$six" --eval "$six" --eval-limit 2 --limit 2 \
  --preprocess "$preprocess" --calibrators max --quiet --metric-command 'kill -STOP $$; echo 1; :'
denies "a command that stops again and again" 13 'stops itself again and again' compare "$model" --data "$six" \
  --eval "$six" --eval-limit 2 --limit 2 --preprocess "$preprocess" --calibrators max --quiet \
  --metric-command 'while :; do kill -STOP $$; done; :'

# ---- Scales of pairs
# pairs TYPE OPSET SCALE [TYPE]: a Conv between pairs, with the type and number of its first scale, and the type of its
# weights' scale.
pairs() {
  rm -f in/pairs.onnx
  printf '<ir_version: 8, opset_import: ["" : %s]> g (float[1,1,4,4] x) => (float[1,1,4,4] y) <%s s = {%s}, float r = {0.5}, %s t = {0.5}, int8 z = {0}, int8[1,1,1,1] w = {3}> { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = DequantizeLinear (w, t, z) c = Conv (d, v) p = QuantizeLinear (c, r, z) y = DequantizeLinear (p, r, z) }' \
    "$2" "$1" "$3" "${4-float}" | "$WRITE_MODEL" in/pairs.onnx
}
for opset in 13 17; do
  pairs double $opset 0.5
  accepts "a double scale becomes float" repair in/pairs.onnx -o out/m.onnx --target onnxruntime
  rm -f out/m.onnx
  pairs float $opset 0.5 double
  denies "a double scale of weights: repair" 10 "(DequantizeLinear): input 1, 't', is double" repair in/pairs.onnx \
    -o out/m.onnx --target onnxruntime
  pairs float $opset 0.5
  accepts "the same in float" repair in/pairs.onnx -o out/m.onnx --target onnxruntime
  rm -f out/m.onnx
  for scale in -1.0 3.0e38; do
    pairs float $opset $scale
    denies "scale $scale: cast" 10 "(QuantizeLinear): its scale 's' is" cast in/pairs.onnx -o out/m.onnx
    for target in tensorrt onnxruntime; do  # such a scale is none: --data would measure it
      denies "scale $scale: repair for $target" 13 "has no scale in the file: 'x'" repair in/pairs.onnx -o out/m.onnx \
        --target $target
    done
  done
done
printf '<ir_version: 8, opset_import: ["" : 13]> g (float[4] x, bool c) => (float[4] y) <float s = {0.5}, int8 z = {0}> { y = If (c) <then_branch = a () => (float[4] u) { q = QuantizeLinear (x, s, z) u = DequantizeLinear (q, s, z) }, else_branch = b () => (float[4] v) { v = Relu (x) }> }' |
  "$WRITE_MODEL" in/body.onnx
denies "pairs in a body: repair" 11 "in the body of node" repair in/body.onnx -o out/m.onnx
denies "pairs in a body: cast" 11 "in the body of node" cast in/body.onnx -o out/m.onnx

# ---- Addresses
for megabytes in 350 500 1000; do
  for threads in 2 16; do
    cases=$((cases + 1))
    code=0
    (
      ulimit -v $((megabytes * 1000)) && exec "$DETENT" $quantize_sample --calibrator max --threads $threads -o out/m.onnx
    ) >stdout 2>stderr </dev/null || code=$?
    case $code in
      0 | 12 | 20) ;;
      *) fail "$megabytes MB of addresses, $threads threads: exit $code" ;;
    esac
    [ "$code" -eq 0 ] || grep -q '^detent: ' stderr || fail "$megabytes MB, $threads threads: no message"
    rm -f out/m.onnx
  done
done
# Faults that are known before a file is read are told together.
echo >in/there.onnx
refuses "several faults" 10 "3 things are wrong" quantize in/none.onnx --data in/none -o in/there.onnx
grep -q '^  in/none: there is no such file' stderr || fail "several faults: not the data"
grep -q '^  in/there.onnx: exists already; ' stderr || fail "several faults: not the output"
refuses "names, too" 10 "4 things are wrong" quantize in/none.onnx --data random:normal --target tensorflow --calibrator procentile \
  --preprocess imagnet -o out/m.onnx
for name in tensorflow procentile imagnet; do grep -q "^  .*'$name'" stderr || fail "names, too: not $name"; done
refuses "a right name beside a wrong file" 10 "in/none.onnx: there is no such file or folder" quantize in/none.onnx \
  --data random:normal --target tensorrt:jetpack6 --calibrator percentile:99.9 --preprocess imagenet,resize=64 -o out/m.onnx
refuses "a name alone" 2 "tensorflow" quantize in/there.onnx --data random:normal --target tensorflow -o out/m.onnx
refuses "one fault" 10 "in/none.onnx: there is no such file or folder" quantize in/none.onnx --data random:normal -o out/m.onnx
finish
