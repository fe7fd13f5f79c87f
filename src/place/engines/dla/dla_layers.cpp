#include "place/engines/dla/dla_layers.h"

#include <algorithm>
#include <array>

namespace detent {
namespace {

// Limits of windows, strides, channels, paddings and dilations of Convolution and Deconvolution: kDlaSource, except
// padding 31 and dilation 32 of Convolution. These two, and the windows of Pooling: the layer list in the developer
// guide of TensorRT 8.x, not found again. One scale on both sides of Pooling: NvInfer.h, IPoolingLayer. Gemm:
// github.com/NVIDIA-AI-IOT/jetson_dla_tutorial, README.md, log of TensorRT 8.4, read 2026-11.
constexpr std::array kDlaLayers{
    DlaLayer{.op = "Conv", .layer = "Convolution", .window = 32, .stride = 8, .padding = 31, .dilation = 32},
    DlaLayer{.op = "ConvTranspose",
             .layer = "Deconvolution",
             .window = 32,
             .stride = 32,
             .padding = 0,
             .dilation = 1,
             .grouped = false},
    DlaLayer{.op = "Gemm", .layer = "Fully Connected"},
    DlaLayer{
        .op = "MaxPool", .layer = "Pooling", .window = 8, .stride = 16, .padding = 7, .dilation = 1, .copies = true},
    DlaLayer{.op = "AveragePool",
             .layer = "Pooling",
             .window = 8,
             .stride = 16,
             .padding = 7,
             .dilation = 1,
             .copies = true},
    DlaLayer{.op = "Relu", .layer = "Activation"},
    DlaLayer{.op = "LeakyRelu", .layer = "Activation"},
    DlaLayer{.op = "Clip", .layer = "Activation"},
    DlaLayer{.op = "Sigmoid", .layer = "Activation"},
    DlaLayer{.op = "Tanh", .layer = "Activation"},
    DlaLayer{.op = "PRelu", .layer = "Parametric ReLU"},
    DlaLayer{.op = "Add", .layer = "ElementWise"},
    DlaLayer{.op = "Sub", .layer = "ElementWise"},
    DlaLayer{.op = "Mul", .layer = "ElementWise"},
    DlaLayer{.op = "Div", .layer = "ElementWise"},
    DlaLayer{.op = "Max", .layer = "ElementWise"},
    DlaLayer{.op = "Min", .layer = "ElementWise"},
    DlaLayer{.op = "Pow", .layer = "ElementWise"},
    DlaLayer{.op = "BatchNormalization", .layer = "Scale"},
    DlaLayer{.op = "LRN", .layer = "LRN", .int8 = false},
    DlaLayer{.op = "Softmax", .layer = "Softmax", .int8 = false},
    DlaLayer{.op = "Concat", .layer = "Concatenation", .copies = true},
    DlaLayer{.op = "Resize", .layer = "Resize", .copies = true},
    DlaLayer{.op = "ReduceMax", .layer = "Reduce", .copies = true},
    DlaLayer{.op = "Reshape", .layer = "Shuffle", .copies = true},
    DlaLayer{.op = "Transpose", .layer = "Shuffle", .copies = true},
    DlaLayer{.op = "Slice", .layer = "Slice", .copies = true},
    DlaLayer{.op = "Split", .layer = "Slice", .copies = true},
    DlaLayer{.op = "Abs", .layer = "Unary"},
    DlaLayer{.op = "Identity", .layer = "Identity", .copies = true},
};

}  // namespace

const DlaLayer* find_dla_layer(std::string_view op) {
  const auto found = std::ranges::find(kDlaLayers, op, &DlaLayer::op);
  return found == kDlaLayers.end() ? nullptr : &*found;
}

}  // namespace detent
