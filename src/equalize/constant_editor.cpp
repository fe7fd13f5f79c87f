#include "equalize/constant_editor.h"

#include <vector>

namespace detent {

bool has_channels(const Tensor& constant, size_t from_right, size_t channels) {
  const Shape& shape = constant.shape();
  const int64_t extent = from_right < shape.rank() ? shape[shape.rank() - 1 - from_right] : 1;
  return extent == 1 || extent == static_cast<int64_t>(channels);
}

Tensor over_channels(const Tensor& constant, size_t from_right, std::span<const double> numbers,
                     const std::function<double(double, double)>& combine) {
  const auto channels = static_cast<int64_t>(numbers.size());
  std::vector<int64_t> extents(constant.shape().begin(), constant.shape().end());
  while (extents.size() <= from_right) extents.insert(extents.begin(), 1);
  const size_t axis = extents.size() - 1 - from_right;
  const Shape in{std::span<const int64_t>(extents)};
  extents[axis] = channels;
  const Shape out{std::span<const int64_t>(extents)};
  const int64_t outer = in.element_count(0, axis), inner = in.element_count(axis + 1, in.rank());
  const Tensor wide = cast(constant, DataType::Float64);
  const auto values = wide.data<double>();
  Tensor result(DataType::Float64, out);
  const auto target = result.mutable_data<double>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t from = (o * in[axis] + (in[axis] == 1 ? 0 : c)) * inner + i;
        target[static_cast<size_t>((o * channels + c) * inner + i)] =
            combine(values[static_cast<size_t>(from)], numbers[static_cast<size_t>(c)]);
      }
  return cast(result, constant.type());
}

void ConstantEditor::replace(const Node& node, size_t slot, Tensor content, const std::string& suffix) {
  const ValueId old = node.input(slot);
  if (old != kNoValue) {
    const Value& value = graph_.value(old);
    if (value.uses.size() == 1 && !value.is_output && graph_.constant(old)->shape() == content.shape()) {
      patch_.replace_constants.emplace_back(value.name, std::move(content));
      return;
    }
  }
  const std::string added = fresh(graph_.value(node.output(0)).name + suffix);
  patch_.add_initializers.emplace_back(added, std::move(content));
  patch_.rewire.push_back({node.name, static_cast<int>(slot), added});
}

std::string ConstantEditor::fresh(const std::string& wish) {
  std::string name = unused_value_name(graph_, wish);
  while (!names_.insert(name).second) name = unused_value_name(graph_, name + "_");
  return name;
}

GraphPatch ConstantEditor::take(const std::string& reason) {
  if (!patch_.empty()) patch_.reason = reason;
  return std::move(patch_);
}

}  // namespace detent
