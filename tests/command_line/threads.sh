#!/bin/sh
# The same bytes with any number of threads.
. "$(dirname "$0")/expect.sh"
samples="--data $sample/calib --preprocess $preprocess --quiet --limit"
data="$samples 12"
for threads in 1 2; do
  accepts "calibrate with $threads threads" calibrate "$model" $data --threads $threads -o in/$threads.dct
done
cmp in/1.dct in/2.dct || fail "calibrate: 1 and 2 threads write different tables"

# both_write_the_same TARGET CALIBRATOR OPTION...
both_write_the_same() {
  target=$1 calibrator=$2
  shift 2
  for threads in 1 2; do
    accepts "$target, $calibrator, $threads threads" quantize "$model" --target $target --calibrator $calibrator \
      --threads $threads "$@" -o out/$threads.onnx --overwrite
  done
  cmp out/1.onnx out/2.onnx || fail "$target, $calibrator, $*: 1 and 2 threads write different files"
}
for target in tensorrt onnxruntime; do
  for calibrator in max percentile entropy mse; do
    both_write_the_same $target $calibrator --table in/1.dct --quiet
  done
  both_write_the_same $target entropy $data
  both_write_the_same $target auto $samples 6
done
for threads in 1 2; do
  accepts "run with $threads threads" run "$model" $data --threads $threads -o out/run$threads
done
cmp out/run1/logits.npy out/run2/logits.npy || fail "run: 1 and 2 threads write different outputs"
# With fewer samples than threads the spare ones work inside the convolutions.
for threads in 1 3; do
  accepts "one sample with $threads threads" run "$model" $samples 1 --threads $threads -o out/one$threads
done
cmp out/one1/logits.npy out/one3/logits.npy || fail "one sample: 1 and 3 threads write different outputs"
finish
