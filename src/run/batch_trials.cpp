#include "run/batch_trials.h"

#include <algorithm>
#include <cstring>

#include "detent/data_source.h"
#include "detent/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"

namespace detent {

namespace {

/// Elements of a tensor as [outer, extent, bytes behind the axis].
struct Slices {
  Slices(const Shape& shape, size_t axis, size_t element)
      : outer(shape.element_count(0, axis)), extent(shape[axis]),
        bytes(static_cast<size_t>(shape.element_count(axis + 1, shape.rank())) * element) {}
  [[nodiscard]] size_t offset(int64_t o, int64_t slice) const {
    return static_cast<size_t>(o * extent + slice) * bytes;
  }
  int64_t outer, extent;
  size_t bytes;
};

/// Two different random samples of the whole declared shapes. Errors  InvalidOption where a size is open.
std::vector<std::vector<Tensor>> random_inputs(const Graph& graph) {
  std::vector<InputSpec> specs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    specs.push_back({value.name, value.declared_type.value_or(DataType::Float32),
                     value.declared_shape.value_or(std::vector<int64_t>{}), kNoBatchAxis});
  }
  const auto source = open_data({.sources = {"random:normal,n=2"}}, specs);
  return {source->read(0).inputs, source->read(1).inputs};
}

/// `inputs` with the first slice of each batch axis taken from `others`.
std::vector<Tensor> with_other_first_sample(const std::vector<Tensor>& inputs, const std::vector<Tensor>& others,
                                            std::span<const int> axes) {
  std::vector<Tensor> changed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor copy = inputs[i].clone();
    if (axes[i] != kNoBatchAxis) {
      const Slices slices(copy.shape(), static_cast<size_t>(axes[i]), byte_size(copy.type()));
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

/// Both tensors have `batch` slices on this axis and agree in all but the first.
bool agree_behind_first(const Tensor& a, const Tensor& b, size_t axis, int64_t batch) {
  if (a.shape() != b.shape() || a.shape()[axis] != batch) return false;
  const Slices slices(a.shape(), axis, byte_size(a.type()));
  const auto* left = static_cast<const std::byte*>(a.raw());
  const auto* right = static_cast<const std::byte*>(b.raw());
  for (int64_t o = 0; o < slices.outer; ++o) {
    const size_t second = slices.offset(o, 1);
    if (std::memcmp(left + second, right + second, slices.bytes * static_cast<size_t>(batch - 1)) != 0) return false;
  }
  return true;
}

}  // namespace

bool keeps_samples_apart(const Graph& graph, std::span<const int> axes, int64_t batch) {
  try {
    const auto random = random_inputs(graph);
    const std::vector<ValueId> ends = RunnablePart(graph).ends();
    const auto before = run_once(graph, random[0], ends);
    const auto after = run_once(graph, with_other_first_sample(random[0], random[1], axes), ends);
    bool changed = false;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (before[i].is_sequence() || is_same(before[i], after[i])) continue;
      changed = true;
      bool apart = false;
      for (size_t axis = 0; axis < before[i].shape().rank() && !apart; ++axis)
        apart = agree_behind_first(before[i], after[i], axis, batch);
      if (!apart) return false;
    }
    return changed;
  } catch (const Error&) {
    return false;
  }
}

bool runs_on_two_samples(const Graph& graph, std::span<const int> axes) {
  constexpr int64_t kOtherExtent = 32;  // enough for a few strides and windows
  try {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const Value& value = graph.value(graph.inputs()[i]);
      Shape shape;
      for (const int64_t extent : value.declared_shape.value_or(std::vector<int64_t>{})) {
        const bool counts = static_cast<int>(shape.rank()) == axes[i];
        shape.push_back(extent > 0 ? extent : counts ? 2 : kOtherExtent);
      }
      Tensor zeros(value.declared_type.value_or(DataType::Float32), shape);
      std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
      inputs.push_back(std::move(zeros));
    }
    static_cast<void>(run_once(graph, inputs, RunnablePart(graph).ends()));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace detent
