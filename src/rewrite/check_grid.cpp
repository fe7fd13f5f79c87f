#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "rewrite/check_qdq_file.h"

namespace detent {

namespace {

bool all_zero(const Tensor& zero_point) {
  const Tensor plain = cast(zero_point, DataType::Int32);
  const auto numbers = plain.data<int32_t>();
  return std::all_of(numbers.begin(), numbers.end(), [](int32_t number) { return number == 0; });
}

std::string scale_flaw(const Tensor* scale) {
  if (!scale) return "its scale is not constant";
  if (scale->type() != DataType::Float32 && !is_half(scale->type()))
    return "its scale is " + std::string(name_of(scale->type())) + ", not float32, float16 or bfloat16";
  const Tensor plain = cast(*scale, DataType::Float32);
  for (const float number : plain.data<float>()) {
    if (!std::isfinite(number)) return "a scale is not finite";
    if (number <= 0.0F) return "a scale is " + std::string(number == 0.0F ? "0" : "negative");
  }
  return plain.element_count() == 0 ? "it has no scale" : "";
}

std::string zero_point_flaw(const Graph& graph, const Node& node, const WrittenGrid& grid, const Target& target,
                            CodeType codes) {
  if (!node.input(2)) return "its zero point is left out";
  if (!grid.zero_point) return "its zero point is not constant";
  const DataType type = grid.zero_point->type();
  if (grid.scale && grid.zero_point->shape() != grid.scale->shape())
    return "its zero point has shape " + grid.zero_point->shape().to_string() + ", its scale " +
           grid.scale->shape().to_string();
  const bool codes_given = graph.value(*node.input(0)).is_constant;
  if (type == DataType::Int32 && codes_given && target.engine.biases != BiasTypes::FloatOnly)
    return all_zero(*grid.zero_point) ? "" : "the zero point of INT32 codes is not 0";
  if (codes == CodeType::Fp8) {
    if (type != DataType::Float8E4M3FN) return "its zero point is " + std::string(name_of(type)) + "; the file is FP8";
    return all_zero(*grid.zero_point) ? "" : "the zero point of FP8 codes is not 0";
  }
  if (!target.find_activation(type))
    return "its zero point is " + std::string(name_of(type)) + "; " + target.spec() + " takes " +
           target.activation_names() + " only";
  const bool lowered = target.engine.rescales_middle && codes_given && type == DataType::Int8;
  if (!lowered && !is_asymmetric(code_format(type).range) && !all_zero(*grid.zero_point))
    return "the zero point of " + std::string(name_of(type)) + " codes is not 0";
  return "";
}

/// Returns the opset that the types of a grid need. com.microsoft has 16-bit codes at every opset.
int64_t opset_of(const Node& node, const WrittenGrid& grid) {
  constexpr int64_t kHalfScales = 19;  // QuantizeLinear-19
  const int64_t scale = grid.scale && is_half(grid.scale->type()) ? kHalfScales : 0;
  const auto formats = code_formats();
  const auto format =
      grid.zero_point ? std::ranges::find(formats, grid.zero_point->type(), &CodeFormat::type) : formats.end();
  const bool needs_none = format == formats.end() || (node.of_microsoft && format->bits == 16);
  return std::max(scale, needs_none ? 0 : format->opset);
}

}  // namespace

std::vector<Flaw> find_grid_flaws(const Graph& written, const Node& node, const Target& target, CodeType type) {
  std::vector<Flaw> flaws;
  const auto add = [&](const std::string& what) {
    if (!what.empty()) flaws.push_back({describe(node), what});
  };
  const WrittenGrid grid = grid_of(written, node);
  add(scale_flaw(grid.scale));
  add(zero_point_flaw(written, node, grid, target, type));
  if (!grid.has_axis) add("it has no axis attribute");
  const int64_t needed = std::max(*target.engine.minimum_opset, opset_of(node, grid));
  if (written.opset() < needed)
    add("opset " + std::to_string(written.opset()) + " is too old for it: " + std::to_string(needed) + " is needed");
  return flaws;
}

}  // namespace detent
