#include "run/batch_trials.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/index.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/find_shapes.h"
#include "exec/runnable_part.h"

namespace detent {

namespace {

constexpr int64_t kOtherExtent = 32;      // of other open axes: enough for a few strides and windows
constexpr int64_t kLongExtent = 512;      // where 32 are too few
constexpr int64_t kMostElements = 65536;  // of the inputs of a trial with numbers

/// The elements of a tensor as [outer, extent, bytes behind the axis].
struct Slices {
  Slices(const Shape& shape, size_t axis, size_t element)
      : outer(shape.element_count(0, axis)), extent(shape[axis]),
        bytes(as_index(shape.element_count(axis + 1, shape.rank())) * element) {}
  [[nodiscard]] size_t offset(int64_t o, int64_t slice) const { return as_index(o * extent + slice) * bytes; }
  int64_t outer, extent;
  size_t bytes;
};

/// Returns the inputs with `extent` on these axes and `other` on other open ones.
std::vector<InputSpec> sized_inputs(const Graph& graph, std::span<const int> axes, int64_t extent, int64_t other) {
  std::vector<InputSpec> specs;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    std::vector<int64_t> shape;
    for (const int64_t declared : value.declared_shape.value_or(std::vector<int64_t>{}))
      shape.push_back(declared > 0 ? declared : std::ssize(shape) == axes[i] ? extent : other);
    specs.push_back({value.name, value.declared_type.value_or(DataType::Float32), std::move(shape), kNoBatchAxis});
  }
  return specs;
}

std::vector<Tensor> zeros_of(std::span<const InputSpec> specs) {
  std::vector<Tensor> inputs;
  for (const InputSpec& spec : specs) {
    Tensor zeros(spec.type, Shape(std::span<const int64_t>(spec.shape)));
    std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
    inputs.push_back(std::move(zeros));
  }
  return inputs;
}

/// Makes two different random samples; integers are 0 or 1.
std::vector<std::vector<Tensor>> random_inputs(std::span<const InputSpec> specs) {
  const auto source = open_data({.sources = {"random:normal,n=2"}}, specs);
  return {source->read(0).inputs, source->read(1).inputs};
}

/// Returns `inputs` with the first slice of each batch axis taken from `others`.
std::vector<Tensor> with_other_first_sample(const std::vector<Tensor>& inputs, const std::vector<Tensor>& others,
                                            std::span<const int> axes) {
  std::vector<Tensor> changed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor copy = inputs[i].clone();
    if (axes[i] != kNoBatchAxis) {
      const Slices slices(copy.shape(), as_index(axes[i]), byte_size(copy.type()));
      auto* to = static_cast<std::byte*>(copy.mutable_raw());
      const auto* from = static_cast<const std::byte*>(others[i].raw());
      for (int64_t o = 0; o < slices.outer; ++o)
        std::memcpy(to + slices.offset(o, 0), from + slices.offset(o, 0), slices.bytes);
    }
    changed.push_back(std::move(copy));
  }
  return changed;
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0;
}

/// True when both tensors have `batch` parts on this axis and agree in all except the first: parts are `run`
/// neighbours, or every batch-th run of them.
bool agree_behind_first(const Tensor& a, const Tensor& b, size_t axis, int64_t batch, int64_t run) {
  if (a.shape() != b.shape() || a.shape()[axis] % (batch * run) != 0 || a.shape()[axis] == 0) return false;
  const Slices slices(a.shape(), axis, byte_size(a.type()));
  const auto* left = static_cast<const std::byte*>(a.raw());
  const auto* right = static_cast<const std::byte*>(b.raw());
  for (int64_t o = 0; o < slices.outer; ++o)
    for (int64_t slice = 0; slice < slices.extent; ++slice) {
      if (slice / run % batch == 0) continue;
      const size_t at = slices.offset(o, slice);
      if (std::memcmp(left + at, right + at, slices.bytes) != 0) return false;
    }
  return true;
}

/// The samples that change in the outputs when the first of several is replaced.
enum class Replaced : uint8_t { Nothing, Itself, Others };

/// several  an output may hold more than one element of each sample on its axis
Replaced replace_first(const Graph& graph, std::span<const InputSpec> specs, std::span<const int> axes, int64_t batch,
                       bool several) {
  const auto random = random_inputs(specs);
  const std::vector<ValueId> ends = RunnablePart(graph).ends();
  const auto before = run_once(graph, random[0], ends);
  const auto after = run_once(graph, with_other_first_sample(random[0], random[1], axes), ends);
  Replaced shown = Replaced::Nothing;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (before[i].is_sequence() || is_same(before[i], after[i])) continue;
    shown = Replaced::Itself;
    bool apart = false;
    for (size_t axis = 0; axis < before[i].shape().rank() && !apart; ++axis) {
      const int64_t extent = before[i].shape()[axis];
      apart = (several || extent == batch) &&
              (agree_behind_first(before[i], after[i], axis, batch, 1) ||
               agree_behind_first(before[i], after[i], axis, batch, std::max<int64_t>(1, extent / batch)));
    }
    if (!apart) return Replaced::Others;
  }
  return shown;
}

/// Returns the shapes of the outputs; nullopt where the model does not run.
std::optional<std::vector<Shape>> output_shapes(const Graph& graph, std::span<const InputSpec> specs) {
  try {
    const ValueShapes shapes = find_shapes(graph, zeros_of(specs));
    const RunnablePart runnable(graph);
    std::vector<Shape> found;
    for (const ValueId end : runnable.ends())
      if (const Shape* shape = find_shape(shapes, end)) found.push_back(*shape);
    return found;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return std::nullopt;
  }
}

/// True where numbers of all samples together decide on each: a scale, or a random stream.
bool mixes_by_design(const Node& node) {
  return node.op_type == "DynamicQuantizeLinear" || node.op_type == "DynamicQuantizeLSTM" ||
         node.op_type.starts_with("Random") || node.op_type == "Bernoulli" || node.op_type == "Multinomial";
}

}  // namespace

bool keeps_samples_apart(const Graph& graph, std::span<const int> axes, int64_t batch) {
  try {
    return replace_first(graph, sized_inputs(graph, axes, -1, -1), axes, batch, false) == Replaced::Itself;
  } catch (const Error&) {
    return false;
  }
}

bool runs_on_two_samples(const Graph& graph, std::span<const int> axes) {
  try {
    static_cast<void>(
        run_once(graph, zeros_of(sized_inputs(graph, axes, 2, kOtherExtent)), RunnablePart(graph).ends()));
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool count_parts_of_a_sample(const Graph& graph, std::span<const int> axes, bool named) {
  const auto one = output_shapes(graph, sized_inputs(graph, axes, 1, kOtherExtent));
  if (!one)
    return output_shapes(graph, sized_inputs(graph, axes, kOtherExtent, kOtherExtent)) ||
           output_shapes(graph, sized_inputs(graph, axes, kLongExtent, kOtherExtent));
  const auto three = output_shapes(graph, sized_inputs(graph, axes, 3, kOtherExtent));
  const auto is_empty = [](const Shape& shape) { return shape.element_count() == 0; };  // detects nothing in zeros
  if (!three || three->empty() || std::ranges::any_of(*one, is_empty)) return false;
  if (*one == *three) return true;
  if (named) return false;
  const std::vector<InputSpec> two = sized_inputs(graph, axes, 2, kOtherExtent);
  int64_t elements = 0;
  for (const InputSpec& spec : two) elements += Shape(std::span<const int64_t>(spec.shape)).element_count();
  if (elements > kMostElements || std::ranges::any_of(graph.nodes(), mixes_by_design)) return false;
  try {
    return replace_first(graph, two, axes, 2, true) == Replaced::Others;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return false;
  }
}

}  // namespace detent
