#!/bin/sh
# The JSON of real models follows the schemas too: every model of the shared folder as it is and planned for both
# engines, trained ones with the commands that run them.
. "$(dirname "$0")/expect.sh"
. "$here/documents.sh"
shared=${DETENT_SHARED-}
if [ ! -d "$shared/models" ]; then
  echo "SKIPPED schemas_shared: no shared folder with models at '$shared'"
  exit 77
fi

for folder in "$shared"/models/* "$shared"/exports/* "$shared"/zoo/*; do
  network=$(find "$folder" -maxdepth 1 -name '*.onnx' | LC_ALL=C sort | head -n 1)
  [ -n "$network" ] || continue
  id=$(basename "$folder")
  document "${id}_model" model inspect "$network"
  document "${id}_plan" plan plan "$network" --quiet
  document "${id}_plan_ort" plan plan "$network" --quiet --target onnxruntime
  document "${id}_lint" lint lint "$network"
done
[ $cases -ge 80 ] || fail "only $cases documents of the models of '$shared'"

# A classifier with its images and labels.
resnet=$shared/models/cifar10_resnet18/model_opset17.onnx
cifar="--quiet --preprocess unit,mean=.4914/.4822/.4465,std=.2470/.2435/.2616 --data $shared/images/cifar10/calib --limit 4"
judged="--eval $shared/images/cifar10/eval --labels $shared/images/cifar10/eval.csv --eval-limit 4"
document resnet_table table calibrate "$resnet" $cifar -o in/resnet.dct
document resnet quantize quantize "$resnet" $cifar --target onnxruntime -o in/resnet.onnx
document resnet_lint lint lint in/resnet.onnx --target tensorrt
document resnet_bound quantize quantize "$resnet" $cifar $judged --calibrator max --max-drop 0.01 -o in/bound.onnx
document resnet_compare compare compare "$resnet" $cifar $judged --calibrators max,mse
document resnet_types compare-types compare-types "$resnet" $cifar $judged --types int8,fp8
document resnet_sensitivity sensitivity sensitivity "$resnet" $cifar --eval "$shared/images/cifar10/eval" --eval-limit 1 --calibrator max
document resnet_cast cast cast "$resnet" $cifar --float-type fp16 -o in/cast.onnx
document resnet_run run run "$resnet" $cifar -o in/run --profile

# A transformer with its ids: tokens, weights alone, 16-bit floats around.
gpt=$shared/models/chars_gpt
ids="--quiet --data $gpt/calib_ids.npy --limit 4"
told="--eval $gpt/eval_ids.npy --eval-limit 2 --next-token"
document gpt_table table calibrate "$gpt/model_opset17.onnx" $ids -o in/gpt.dct
document gpt_weights quantize-weights quantize-weights "$gpt/model_opset17.onnx" --quiet --data "$gpt/calib_ids.npy" --limit 2 --type int4 -o in/weights.onnx
document gpt_compare compare compare "$gpt/model_opset17.onnx" $ids $told --calibrators max --target tensorrt:11
document gpt_lint lint lint in/weights.onnx

follow_schemas
finish
