#include "cli/command.h"

namespace detent::cli {

namespace {

constexpr Command kCommands[] = {
    {"quantize", "Calibrate a float model and write it with Q/DQ pairs",
     "detent quantize datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/calib \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 -o shapes_unet.int8.onnx",
     declare_quantize},
    {"plan", "Show where the pairs would go and why, without data",
     "detent plan datasets/samples/shapes_unet/model_opset13.onnx --target tensorrt --shape image=1,3,128,128", declare_plan},
    {"lint", "Read any Q/DQ model and say what runs in INT8, what does not, and why",
     "detent lint shapes_unet.int8.onnx --target tensorrt --shape image=1,3,128,128    # what quantize wrote", declare_lint},
    {"run", "Run a float or Q/DQ model over data and write its outputs as .npy",
     "detent run datasets/samples/shapes_unet/model_opset13.onnx --data datasets/samples/shapes_unet/eval/images \\\n"
     "      --preprocess imagenet,resize=128x128,crop=128 -o outputs",
     declare_run},
    {"verify", "Run ONNX backend-test folders and compare with their stored outputs",
     "detent verify /usr/share/libonnx-testdata/data/node/test_relu    # any folder with model.onnx and test_data_set_0", declare_verify},
    {"inspect", "Show a model's inputs, outputs, operators, and what cannot run",
     "detent inspect datasets/samples/shapes_unet/model_opset13.onnx", declare_inspect},
};

}  // namespace

std::span<const Command> command_list() { return kCommands; }

}  // namespace detent::cli
