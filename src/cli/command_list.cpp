#include "cli/command.h"

namespace detent::cli {

namespace {

constexpr Command kCommands[] = {
    {"quantize", "Calibrate a float model and write it with Q/DQ pairs",
     "detent quantize datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/calib \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 -o shapes_unet.int8.onnx --html shapes_unet.html",
     declare_quantize},
    {"calibrate", "Measure a model's values over data and keep them as a table",
     "detent calibrate datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/calib \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 -o shapes_unet.dct",
     declare_calibrate},
    {"merge", "Add the calibration tables of shards",
     "detent merge part-1.dct part-2.dct -o whole.dct    # from 'detent calibrate ... --shard 1/2' and '--shard 2/2'",
     declare_merge},
    {"cast", "Write a float model whose nodes compute in FP16 or BF16 where its values allow it, without pairs",
     "detent cast datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/calib \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 --float-type fp16 -o shapes_unet.fp16.onnx",
     declare_cast},
    {"plan", "Show where the pairs would go and why; with --data which nodes stay FP32 among 16-bit floats",
     "detent plan datasets/samples/shapes_unet/model_opset13.onnx --target tensorrt --shape image=1,3,128,128",
     declare_plan},
    {"lint", "Read any Q/DQ model and say what runs in INT8, what does not, and why",
     "detent lint shapes_unet.int8.onnx --target tensorrt --shape image=1,3,128,128    # what quantize wrote",
     declare_lint},
    {"compare", "Quantize with several calibrators, judge all of them on evaluation data, show the best",
     "detent compare datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/calib \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 --eval datasets/samples/shapes_unet/eval/images \\\n"
     "      --masks datasets/samples/shapes_unet/eval/masks",
     declare_compare},
    {"sensitivity", "Measure which layers cost how much quality",
     "detent sensitivity datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/calib \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 --eval datasets/samples/shapes_unet/eval/images",
     declare_sensitivity},
    {"run", "Run a float or Q/DQ model over data and write its outputs as .npy",
     "detent run datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/eval/images \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 -o outputs",
     declare_run},
    {"verify", "Run ONNX backend-test folders and compare with their stored outputs",
     "detent verify /usr/share/libonnx-testdata/data/node/test_relu    # any folder with model.onnx and "
     "test_data_set_0",
     declare_verify},
    {"inspect", "Show what a model or a calibration table holds",
     "detent inspect datasets/samples/shapes_unet/model_opset13.onnx", declare_inspect},
    {"cache", "Write and read TensorRT calibration caches",
     "detent cache export shapes_unet.dct -o shapes_unet.cache    # 'detent cache export --help', 'detent cache import "
     "--help'",
     declare_cache},
};

}  // namespace

std::span<const Command> command_list() { return kCommands; }

}  // namespace detent::cli
