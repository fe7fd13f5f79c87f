#!/bin/sh
# Boxes of --labels for a detector: what Detent learns of classes and boxes from the float model stands in the reports,
# and labels that do not fit are refused with the likely reason.
. "$(dirname "$0")/expect.sh"
: "${MAKE_FILES:?the program that makes files}"

# detector FILE CLASS CLASS: two boxes in each image, which its pixels move by less than a pixel.
detector() {
  printf '<ir_version: 8, opset_import: ["" : 17]> g (float[N,3,16,16] x) => (float[N,2,6] y)
    <float[12,3] w = {%s}> {
    b = Constant <value = float[12] {0, 0, 8, 8, 0.9, %d, 8, 4, 16, 16, 0.8, %d}> ()
    s = Constant <value = int64[3] {-1, 2, 6}> ()
    p = GlobalAveragePool (x) f = Flatten (p) m = Gemm <transB = 1> (f, w) k = Constant <value = float[1] {0.01}> ()
    t = Mul (m, k) r = Add (t, b) y = Reshape (r, s) }' \
    "$(seq 1 36 | awk '{ printf "%s%.3f", (NR > 1 ? "," : ""), sin($1) / 10 }')" "$2" "$3" >in/text.txt
  "$MAKE_FILES" model in/text.txt "$1" || fail "no model $1"
}
# annotations FILE ID ID DX: the boxes of the detector, categories ID and ID, moved by DX pixels.
annotations() {
  {
    printf '{"categories": [{"id": %d, "name": "a"}, {"id": %d, "name": "b"}], "images": [' "$2" "$3"
    comma=
    for i in 0 1 2 3 4 5 6 7 8 9 10 11; do printf '%s{"id": %d, "file_name": "%d.npy", "width": 16, "height": 16}' "$comma" $i $i; comma=,; done
    printf '], "annotations": ['
    comma=
    for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
      printf '%s{"image_id": %d, "category_id": %d, "bbox": [%d, 0, 8, 8], "area": 64},' "$comma" $i "$2" "$4"
      printf '{"image_id": %d, "category_id": %d, "bbox": [%d, 4, 8, 12], "area": 96}' $i "$3" $((8 + $4))
      comma=,
    done
    printf ']}'
  } >"$1"
}
"$MAKE_FILES" npy in/images.npy 12,3,16,16 3 && "$MAKE_FILES" rows in/images.npy in/images || fail "no images"
detector in/from0.onnx 0 1
detector in/from1.onnx 1 2
detector in/ids.onnx 7 18
detector in/other.onnx 5 3
annotations in/boxes.json 7 18 0
annotations in/moved.json 7 18 30
data="--quiet --data in/images --eval in/images --detections xyxy-score-class --policy small-layers=quantize"
compare="$data --calibrators max --labels"

# reads MODEL WORDS: the model finds every box of the labels, whose classes are numbered so.
reads() {
  accepts "labels for $1" compare in/$1.onnx $compare in/boxes.json --json out/c.json --html out/c.html
  grep -qF "labels: classes are numbered $2; boxes are two corners in pixels" stdout || fail "$1: no line 'labels' with '$2'"
  grep -qF "\"labels\": \"classes are numbered $2; boxes" out/c.json || fail "$1: JSON does not say '$2'"
  grep -qF "labels: classes are numbered $2; boxes" out/c.html || fail "$1: the page does not say '$2'"
  grep -q '^  FP32  *100 %' stdout || fail "$1: not every box is found"
  rm out/*
}
reads from0 "in the order of their ids from 0 on"
reads from1 "in the order of their ids from 1 on"
reads ids "by their ids"

# The negative twins: the same detectors and labels that do not fit.
refuses "classes that no rule gives" 12 "of them lie on an object of in/boxes.json, but of another class: classes 3, 5 on objects of 0, 1" \
  compare in/other.onnx $compare in/boxes.json
refuses "boxes that are elsewhere" 12 "hardly one lies on an object of in/moved.json" compare in/from0.onnx $compare in/moved.json
refuses "classes that no rule gives, under a bound" 12 "but of another class" \
  quantize in/other.onnx $data --calibrator max --labels in/boxes.json --max-drop 0.1 -o out/m.onnx
refuses "boxes that are elsewhere without a bound" 12 "hardly one lies on an object" \
  quantize in/from0.onnx $data --calibrator max --labels in/moved.json -o out/m.onnx

# A score without a bound, and a bound with its word.
accepts "a score" quantize in/from1.onnx $data --calibrator max --labels in/boxes.json --accept-broken -o out/m.onnx --json out/r.json
grep -q '^score: mAP .* (FP32 mAP 100 %), drop .* points of mAP, 95 % interval .* to .*; on 12 samples$' stdout || fail "no score"
grep -qF '  labels: classes are numbered in the order of their ids from 1 on' stdout || fail "the score does not say how labels are read"
grep -q '"score": {' out/r.json || fail "JSON has no score"
rm out/*
accepts "a bound" quantize in/from0.onnx $data --calibrator max --labels in/boxes.json --max-drop 0.9 --accept-broken -o out/m.onnx \
  --json out/r.json
grep -q '^  holds: drop .* points of mAP, 95 % interval .* to ' stdout || fail "a wide bound does not hold"
grep -q '"outcome": "holds"' out/r.json || fail "JSON does not say that the bound holds"
rm out/*
finish
