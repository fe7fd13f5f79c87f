#include "ops/merged_pad.h"

#include <algorithm>

#include "detent/base/tensor.h"

namespace detent {

namespace {

bool adds_zeros(const Graph& graph, const Node& pad) {
  if (pad.string_or("mode", "constant") != "constant" || pad.float_or("value", 0.0F) != 0.0F) return false;
  if (!pad.input(2)) return true;
  const Tensor* number = graph.constant(pad.input(2));
  return number && number->element_count() == 1 && cast(*number, DataType::Float32).data<float>()[0] == 0.0F;
}

/// Returns the extents that a Pad adds; empty where they are computed or belong to axes that it names.
std::vector<int64_t> extents_of(const Graph& graph, const Node& pad) {
  constexpr int kAxes = 3;
  if (pad.input(kAxes)) return {};
  const Tensor* written = graph.constant(pad.input(1));
  if (!written) return pad.input(1) ? std::vector<int64_t>() : pad.ints_or("pads", {});
  const Tensor wide = cast(*written, DataType::Int64);
  const auto numbers = wide.data<int64_t>();
  return {numbers.begin(), numbers.end()};
}

}  // namespace

const Node* merged_pad(const Graph& graph, const Node& convolution) {
  const MaybeValue input = convolution.input(0);
  const Node* pad = input ? graph.producer(*input) : nullptr;
  if (!pad || pad->op_type != "Pad" || !pad->domain.empty() || !adds_zeros(graph, *pad)) return nullptr;
  const Value& padded = graph.value(*input);
  if (padded.is_output || padded.uses.size() != 1 || convolution.string_or("auto_pad", "NOTSET") != "NOTSET")
    return nullptr;
  const std::vector<int64_t> extents = extents_of(graph, *pad);
  const size_t rank = extents.size() / 2;
  if (rank < 3 || std::ranges::any_of(extents, [](int64_t extent) { return extent < 0; })) return nullptr;
  const bool spatial = extents[0] == 0 && extents[1] == 0 && extents[rank] == 0 && extents[rank + 1] == 0;
  return spatial ? pad : nullptr;
}

}  // namespace detent
