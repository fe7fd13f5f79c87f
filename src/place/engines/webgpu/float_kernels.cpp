// Layers compute in float, and their weights alone are codes.
//
//   wrong:   x --> Q --> DQ --> Conv            right:   x --> Conv <-- DQ (int8 w, a scale a channel)
//                               ^-- DQ (int8 w)
//
// * Decides: no value has a pair. The weight of a Conv, ConvTranspose, Gemm or MatMul of 1024 numbers or more becomes
//   INT8 codes with one scale an output channel, of the least squared error. In front of a MatMul of a matrix they are
//   written as MatMulNBits of com.microsoft. A layer that the user or a bound excludes keeps its floats.
// * Why: WebGPU's execution provider has no kernel for QuantizeLinear and none for integer layers. Each pair on a value
//   sends it to the CPU and back: MobileNetV2 with pairs ran 65 QuantizeLinear there, with 65 copies each way, and all
//   its Convs in float. DequantizeLinear and MatMulNBits have kernels; the file has a quarter of the size to download.
// * Change it: `--exclude` keeps a weight float; `quantize-weights --type int4` stores products in 4 bits.
// * Source: ONNX Runtime's WebGPU plugin 0.4 on a software GPU.
// * Networks: models/imagenet_mobilenetv2.

#include "core/float_type.h"
#include "place/engines/webgpu/rules.h"
#include "place/plan/least_codes.h"

namespace detent::rules::webgpu {
namespace {

void mark_all_float(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    draft.keep_out(node.id, "WebGPU has no kernel for QuantizeLinear: layers compute in float");
}

void share_weights(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.kept_out_by(node.id) != &kFloatKernels) continue;
    const Tensor& weight = facts.weight(node.id);
    const bool is_float = weight.type() == DataType::Float32 || is_half(weight.type());
    if (is_float && weight.element_count() >= kLeastCodes) draft.quantize_weight(node.id);
  }
}

}  // namespace

constinit const Rule kFloatKernels{.name = {"W2", "weights alone"}, .mark = mark_all_float, .share = share_weights};

}  // namespace detent::rules::webgpu
