#include "tune/moved_scales.h"

#include <cmath>
#include <set>

#include "core/float_type.h"

namespace detent {

namespace {

/// Returns numbers in [-1, 1) that depend on the calls before.
class MoveStream {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11U) / 4503599627370496.0 - 1;  // 2^53 values
  }

 private:
  uint64_t state_ = 0x9E3779B97F4A7C15U;
};

Tensor moved(const Tensor& scale, MoveStream& stream) {
  constexpr double kMost = 0x1p-22;
  if (is_half(scale.type())) {
    Tensor copy = scale.clone();
    // Positive numbers are ordered like their bits.
    for (uint16_t& bits : copy.mutable_data<uint16_t>())
      bits = static_cast<uint16_t>(stream.next() < 0 && (bits & 0x3FFU) > 0 ? bits - 1 : bits + 1);
    return copy;
  }
  Tensor copy = scale.clone();
  for (float& one : copy.mutable_data<float>()) {
    const auto other = static_cast<float>(one * (1 + kMost * stream.next()));
    one = other != one ? other : std::nextafter(one, 2 * one);
  }
  return copy;
}

}  // namespace

GraphPatch move_scales(const Graph& graph) {
  constexpr int kScale = 1;
  GraphPatch patch;
  MoveStream stream;
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "DequantizeLinear" || !node.domain.empty()) continue;
    const MaybeValue read = node.input(kScale);
    if (!read) continue;
    const Value& value = graph.value(*read);
    const Tensor* scale = graph.constant(value.id);
    if (!scale || (scale->type() != DataType::Float32 && !is_half(scale->type()))) continue;
    if (names.insert(value.name).second) patch.replace_constants.emplace_back(value.name, moved(*scale, stream));
  }
  if (!names.empty()) patch.reason = "move scales by their last bits";
  return patch;
}

}  // namespace detent
