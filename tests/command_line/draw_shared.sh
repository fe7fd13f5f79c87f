#!/bin/sh
# --draw of run and compare: pictures of a trained detector's boxes, and what is refused before anything runs.
. "$(dirname "$0")/expect.sh"
detector=${DETENT_SHARED-}/models/bccd_dfl/model_opset17.onnx
images=${DETENT_SHARED-}/images/bccd
if [ ! -f "$detector" ] || [ ! -d "$images" ]; then
  echo "SKIPPED draw_shared: no detector and images in the shared folder '${DETENT_SHARED-}'"
  exit 77
fi

# pictures SENTENCE COUNT: out/drawn has so many PNGs, numbered from 1 on.
pictures() {
  [ "$(find out/drawn -name '[0-9][0-9]_*.png' | wc -l)" -eq "$2" ] || fail "$1: out/drawn has $(ls out/drawn)"
  for picture in out/drawn/*; do
    [ "$(dd if="$picture" bs=1 skip=1 count=3 2>/dev/null)" = PNG ] || fail "$1: $picture is no PNG"
  done
}

run_detector="run $detector --quiet --data $images/eval --preprocess unit"
accepts "run" $run_detector --limit 3 -o out/arrays --draw out/drawn
pictures "run" 3
[ -f out/drawn/01_BloodImage_00007.png ] || fail "run: the first picture is not of the first sample"
grep -q '^wrote out/drawn$' stdout || fail "run does not tell of its pictures"
refuses_drawing() {
  run "$@"
  [ "$code" -eq 15 ] || fail "a folder that is not empty: exit $code, expected 15"
  says "a folder that is not empty" "out/drawn: --draw needs an empty folder"
}
refuses_drawing $run_detector --limit 3 -o in/arrays --draw out/drawn
[ ! -e in/arrays ] || fail "a refused run leaves a folder"
accepts "run --overwrite" $run_detector --limit 3 -o out/arrays --draw out/drawn --overwrite
rm -r out/*
accepts "run without --limit" $run_detector -o out/arrays --draw out/drawn
pictures "run without --limit" 16
rm -r out/*

compare_detector="compare $detector --quiet --data $images/calib --preprocess unit --limit 8 --eval $images/eval"
accepts "compare" $compare_detector --eval-limit 5 --calibrators max,percentile:95 --draw out/drawn
pictures "compare" 5
refuses_drawing $compare_detector --draw out/drawn
rm -r out/*

# A classifier, a word against it, and a form that its outputs do not have.
classifier="$model --quiet --data $six --preprocess $preprocess"
refuses "run of no detector" 13 "--draw draws detections, and this is no known detector" run $classifier -o out/arrays \
  --draw out/drawn
grep -q -e '--detections xyxy-score-class, cxcywh-scores, boxes+logits, boxes+scores+labels' stderr || fail "no hint names the forms"
refuses "compare of no detector" 13 "--draw draws detections, and this is no known detector" compare $classifier \
  --eval "$six" --draw out/drawn
refuses "run with --detections none" 13 "--draw draws detections" $run_detector --detections none -o out/arrays \
  --draw out/drawn
run run $classifier --detections boxes+logits -o out/arrays --draw out/drawn
[ "$code" -eq 13 ] || fail "a form that no output has: exit $code, expected 13"
says "a form that no output has" "no output has the form"
finish
