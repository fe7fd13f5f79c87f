#include "prepare/shapes_without_data.h"

#include <algorithm>

#include "detent/base/error.h"
#include "exec/find_shapes.h"
#include "ops/traits.h"

namespace detent {

namespace {

using Extents = std::vector<int64_t>;

void check_given(const Graph& graph, const InputShapes& given) {
  for (const auto& [name, shape] : given)
    if (const MaybeValue id = graph.find_value(name); !id || !graph.value(*id).is_input)
      throw Error(ErrorCode::InvalidOption, "--shape names '" + name + "', which is not an input of the model");
}

/// True when some input uses the symbol for its first extent: the batch, which is a later extent in states [layers,
/// batch, hidden].
bool leads_an_input(const Graph& graph, const std::string& symbol) {
  return !symbol.empty() && std::ranges::any_of(graph.inputs(), [&](ValueId id) {
    const auto& symbols = graph.value(id).symbols;
    return !symbols.empty() && symbols.front() == symbol;
  });
}

/// Returns the extents that --shape gives an input, else the declared ones, an open batch as 1; -1 for an open size.
/// nullopt when not even the rank is known.
std::optional<Extents> extents_of(const Graph& graph, const Value& input, const InputShapes& given) {
  const auto& declared = input.declared_shape;
  const auto named = given.find(input.name);
  if (named == given.end() && !declared) return std::nullopt;
  Extents extents = named == given.end() ? *declared : named->second;
  if (declared && declared->size() != extents.size())
    throw Error(ErrorCode::InvalidOption, "--shape gives '" + input.name + "' rank " + std::to_string(extents.size()) +
                                              ", the model declares rank " + std::to_string(declared->size()));
  if (!extents.empty() && extents.front() < 0) extents.front() = 1;
  for (size_t i = 0; given.empty() && declared && i < extents.size(); ++i)
    if (extents[i] < 0 && leads_an_input(graph, input.symbols[i])) extents[i] = 1;
  for (size_t i = 0; i < extents.size(); ++i)
    if (declared && extents[i] >= 0 && (*declared)[i] >= 0 && (*declared)[i] != extents[i])
      throw Error(ErrorCode::InvalidOption, "--shape gives '" + input.name + "' extent " + std::to_string(extents[i]) +
                                                " on axis " + std::to_string(i) + ", the model fixes " +
                                                std::to_string((*declared)[i]));
  return extents;
}

bool is_open(const Extents& extents) {
  return std::ranges::any_of(extents, [](int64_t extent) { return extent < 0; });
}

/// Returns zeros of these shapes: shapes do not depend on values.
std::vector<Tensor> zero_inputs(const Graph& graph, const std::vector<Extents>& shapes) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (value.declared_type == DataType::String)
      throw Error(ErrorCode::Unsupported, "input '" + value.name + "' holds strings, which no operator here takes");
    Tensor zeros(value.declared_type.value_or(DataType::Float32), Shape(std::span<const int64_t>(shapes[i])));
    std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
    inputs.push_back(std::move(zeros));
  }
  return inputs;
}

/// Returns axis 1 of an input that a convolution reads, which counts its channels.
std::optional<int64_t> channels_read(const Graph& graph, const Value& input) {
  for (const Use& use : input.uses) {
    const Node& node = graph.node(use.node);
    if (use.slot != 0 || traits_of(graph, node).kind != OpKind::Conv) continue;
    const Tensor* weight = graph.constant(node.input(1));
    int64_t channels = 0;
    if (weight && weight->shape().rank() > 2 &&
        !__builtin_mul_overflow(weight->shape()[1], node.int_or("group", 1), &channels) && channels >= 0)
      return channels;
  }
  return std::nullopt;
}

/// Replaces open extents by `size`; channels by the number that a convolution reads, or 3 for an image.
Extents filled(const Graph& graph, const Value& input, Extents extents, int64_t size) {
  constexpr int64_t kColours = 3;
  if (extents.size() > 2 && extents[1] < 0)
    extents[1] = channels_read(graph, input).value_or(extents.size() == 4 ? kColours : size);
  std::ranges::replace_if(
      extents, [](int64_t extent) { return extent < 0; }, size);
  return extents;
}

/// Returns the shapes of all inputs at this size; nullopt when an open one would be too large for a trial.
std::optional<std::vector<Extents>> inputs_of_size(const Graph& graph, const std::vector<Extents>& open, int64_t size) {
  constexpr int64_t kMostElements = 1 << 20;  // 4 MB; 3 x 512 x 512 is less
  std::vector<Extents> shapes;
  for (size_t i = 0; i < open.size(); ++i) {
    shapes.push_back(filled(graph, graph.value(graph.inputs()[i]), open[i], size));
    if (is_open(open[i]) && Shape(std::span<const int64_t>(shapes.back())).element_count() > kMostElements)
      return std::nullopt;
  }
  return shapes;
}

}  // namespace

std::optional<std::vector<Tensor>> inputs_without_data(const Graph& graph, const InputShapes& given) {
  check_given(graph, given);
  std::vector<Extents> shapes;
  for (const ValueId id : graph.inputs()) {
    const auto extents = extents_of(graph, graph.value(id), given);
    if (!extents || is_open(*extents)) return std::nullopt;
    shapes.push_back(*extents);
  }
  return zero_inputs(graph, shapes);
}

std::optional<ValueShapes> shapes_without_data(const Graph& graph, const InputShapes& given) {
  const auto inputs = inputs_without_data(graph, given);
  return inputs ? std::optional(find_shapes(graph, *inputs)) : std::nullopt;
}

TrialShapes shapes_at_trial_sizes(const Graph& graph, const InputShapes& given) {
  // Deep strides divide 256 and 320; 224 suits networks that end in a window of 7 x 7, the others short sequences and
  // volumes.
  constexpr int64_t kSizes[] = {256, 320, 224, 128, 64, 48, 32, 16};
  constexpr size_t kEnough = 2;
  check_given(graph, given);
  std::vector<Extents> open;
  for (const ValueId id : graph.inputs()) {
    const auto extents = extents_of(graph, graph.value(id), given);
    if (!extents) return {{}, "the model declares no rank for '" + graph.value(id).name + "'"};
    open.push_back(*extents);
  }
  TrialShapes trial;
  for (const int64_t size : kSizes) {
    const auto shapes = inputs_of_size(graph, open, size);
    if (!shapes) continue;
    try {
      trial.runs.push_back(find_shapes(graph, zero_inputs(graph, *shapes)));
    } catch (const Error& error) {
      if (trial.missing.empty())
        trial.missing = "the model does not run at the sizes tried (" + std::string(error.what()) + ")";
    }
    if (trial.runs.size() == kEnough) break;
  }
  if (trial.runs.empty() && trial.missing.empty()) trial.missing = "the inputs are too large for a trial";
  if (!trial.runs.empty()) trial.missing.clear();
  return trial;
}

}  // namespace detent
