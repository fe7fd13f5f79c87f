#pragma once

#include <map>
#include <string_view>

#include "place/draft/draft.h"

namespace detent::tensorrt {

/// Returns the linear layers in front of and behind attention whose quantizers cost more than INT8 gains, with the kind
/// of attention in words; empty without attention, and for attention of all other kinds.
///
/// Kinds    windows of fewer than 64 tokens (Swin); keys that a Conv makes fewer (SegFormer, PVT): the norm in front
///          then feeds a Conv, too, which ends the engine's fused part, so that the quantizer of the queries is a
///          kernel by itself, and K and V of one product are copied apart.
/// Source   milliseconds on an H200, TensorRT 10.6: SegFormer 3.01 with them in INT8, 2.85 without, of 2.72 in FP16
///          (tests/engines/tensorrt/README.md)
[[nodiscard]] std::map<NodeId, std::string_view> costly_projections(const PlacementDraft& draft);

}  // namespace detent::tensorrt
