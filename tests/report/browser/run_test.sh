#!/bin/sh
# run_test.sh PAGE: writes a page and opens it in Chromium; if a program is missing it says so and exits 77 (skipped).
#   sample, broken             made up: of a comparison, of a quantization
#   compare, equalize          of `detent compare` on the bundled sample, as it is and with --equalize
#   quantize                   of `detent quantize` on the bundled sample
#   graph                      made up: of a plan of more than 1000 nodes
#   weights                    made up: of weights alone
#   types, sensitivity         of `detent compare-types` and `detent sensitivity` on the bundled sample
#   plan, lint                 of `detent plan` on it, and of `detent lint` on a file for the other engine
#   repair                     of `detent repair` on such a file
# Environment: SAMPLE_PAGE and DETENT (programs that write the pages), ARTEFACTS (folder for page and screenshots),
# CHROMIUM (browser; default: chromium, chromium-browser or google-chrome).
set -eu
cd "$(dirname "$0")"
skip() {
  echo "SKIPPED report.browser.$page: $1"
  exit 77
}
page=$1
command -v node >/dev/null || skip "Node.js is not installed"
for program in "${CHROMIUM-}" chromium chromium-browser google-chrome; do
  [ -n "$program" ] && command -v "$program" >/dev/null && break
  program=""
done
[ -n "$program" ] || skip "Chromium is not installed"

folder=$ARTEFACTS/$page
mkdir -p "$folder"
data=../../../datasets/samples/shapes_unet
judge="--eval $data/eval/images --masks $data/eval/masks"
detent() {
  command=$1
  shift
  "$DETENT" "$command" $data/model_opset13.onnx --data $data/calib --preprocess unit,mean=.485/.456/.406,std=.229/.224/.225 \
    --target "$target" --limit 16 --html "$folder/report.html" --overwrite --quiet "$@"
}
target=onnxruntime
tests=report.test.mjs
case "$page" in
  sample) "$SAMPLE_PAGE" "$folder/report.html" compare ;;
  broken) "$SAMPLE_PAGE" "$folder/report.html" quantize ;;
  quantize) detent quantize --calibrator auto -o "$folder/model.onnx" ;;
  compare) detent compare $judge --calibrators max,percentile:99.9,percentile:99.99,percentile:99.999,entropy,mse,auto ;;
  equalize) target=tensorrt; detent compare $judge --calibrators max,percentile:99.99,mse --equalize auto ;;
  weights | types | sensitivity)
    tests=opened.test.mjs
    case "$page" in
      weights) "$SAMPLE_PAGE" "$folder/report.html" weights ;;
      types)
        "$DETENT" compare-types $data/model_opset13.onnx --data $data/calib --preprocess imagenet,resize=128x128,crop=128 --limit 16 $judge \
          --types int8,fp8 --html "$folder/report.html" --overwrite --quiet
        ;;
      sensitivity) detent sensitivity --eval $data/eval/images --eval-limit 2 --calibrator max ;;
    esac
    ;;
  graph)
    tests=graph.test.mjs
    "$SAMPLE_PAGE" "$folder/report.html" graph 1100
    ;;
  plan | lint)
    tests=placement.test.mjs
    set -- "$data/model_opset13.onnx"
    if [ "$page" = lint ]; then
      detent quantize --calibrator max -o "$folder/model.onnx" --accept-broken >"$folder/quantize.txt"
      set -- "$folder/model.onnx" --target tensorrt
    fi
    "$DETENT" "$page" "$@" --html "$folder/report.html" --overwrite
    ;;
  repair)
    tests=repair.test.mjs
    detent quantize --calibrator max -o "$folder/model.onnx" --accept-broken >"$folder/quantize.txt"
    "$DETENT" repair "$folder/model.onnx" --target tensorrt --data $data/calib --limit 16 --preprocess imagenet,resize=128x128,crop=128 \
      -o "$folder/repaired.onnx" --html "$folder/report.html" --overwrite --quiet $judge
    ;;
  *) echo "run_test.sh: no page named '$page'" >&2; exit 2 ;;
esac
CHROMIUM=$program exec node $tests "$folder/report.html" "$folder" "$page"
