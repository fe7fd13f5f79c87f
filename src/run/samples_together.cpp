#include "run/samples_together.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/index.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/find_shapes.h"
#include "ops/traits.h"
#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

namespace {

std::atomic<int> apart_count{0};

constexpr double kPositions = 64;
constexpr double kMost = 8;

/// True when every input counts samples on axis 0, which is open, and leaves no other size open.
bool takes_any_number(const Graph& graph, const Sample& sample) {
  const auto in_front = [](int axis) { return axis == 0; };
  if (!std::ranges::all_of(sample.batch_axes, in_front)) return false;
  return !graph.inputs().empty() && std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && !shape->empty() && shape->front() < 0 &&
           std::ranges::all_of(shape->begin() + 1, shape->end(), [](int64_t extent) { return extent > 0; });
  });
}

/// Returns the positions of a sample that an average weight is read for. No layer with a weight -> kPositions.
double positions_of(const Graph& graph, std::span<const Tensor> inputs) {
  const ValueShapes shapes = find_shapes(graph, inputs);
  double products = 0, weights = 0;
  for (const Node& node : graph.nodes()) {
    const OpKind kind = traits_of(graph, node).kind;
    const bool conv = kind == OpKind::Conv || kind == OpKind::ConvTranspose;
    if ((!conv && kind != OpKind::Gemm && kind != OpKind::MatMul) || node.inputs.size() < 2) continue;
    const Tensor* weight = graph.constant(node.inputs[1]);
    const Shape* shape = find_shape(shapes, node.output(0));
    if (!weight || !shape || shape->rank() < 2) continue;
    const int64_t channels = (*shape)[conv ? 1 : shape->rank() - 1];
    const auto elements = static_cast<double>(weight->element_count());
    products += elements * static_cast<double>(shape->element_count()) / static_cast<double>(channels);
    weights += elements;
  }
  return weights > 0 ? products / weights : kPositions;
}

/// True when the rows of `all` are those of `singles`, one after the other.
bool same_rows(const Tensor& all, std::span<const std::vector<Tensor>> singles, size_t output) {
  if (all.empty_handle() || all.is_sequence() || all.type() == DataType::String || all.shape().rank() == 0)
    return false;
  if (all.shape()[0] != std::ssize(singles)) return false;
  const size_t row = all.byte_count() / singles.size();
  for (size_t i = 0; i < singles.size(); ++i) {
    const Tensor& one = singles[i][output];
    if (one.empty_handle() || one.type() != all.type() || one.byte_count() != row) return false;
    if (std::memcmp(static_cast<const std::byte*>(all.raw()) + i * row, one.raw(), row) != 0) return false;
  }
  return true;
}

}  // namespace

SamplesApart::SamplesApart(bool apart) : apart_(apart) {
  if (apart_) ++apart_count;
}

SamplesApart::~SamplesApart() {
  if (apart_) --apart_count;
}

bool are_cut_by_sample(std::span<const ValueId> values, const ValueShapes& one, const ValueShapes& joined,
                       size_t together) {
  return std::ranges::all_of(values, [&](ValueId value) {
    const auto single = one.find(value), all = joined.find(value);
    if (single == one.end() || all == joined.end()) return false;
    if (single->second.rank() == 0 || single->second.rank() != all->second.rank()) return false;
    for (size_t axis = 1; axis < single->second.rank(); ++axis)
      if (single->second[axis] != all->second[axis]) return false;
    return single->second[0] == 1 && all->second[0] == as_extent(together);
  });
}

size_t samples_together(const Graph& graph, std::span<const ValueId> wanted, const DataSource& source) {
  if (apart_count > 0 || source.batch() != 1 || source.size() < 2 * static_cast<size_t>(kMost)) return 1;
  try {
    std::vector<Sample> samples{source.read(0)};
    if (!takes_any_number(graph, samples.front())) return 1;
    const double positions = positions_of(graph, samples.front().inputs);
    const auto together = static_cast<size_t>(std::clamp(std::ceil(kPositions / positions), 1.0, kMost));
    if (together == 1) return 1;
    while (samples.size() < together) samples.push_back(source.read(samples.size()));
    const Schedule schedule(graph, wanted);
    const auto outputs_of = [&](std::span<const Tensor> inputs) {
      OutputKeeper keeper(graph, wanted);
      Executor(schedule).run(inputs, keeper);
      return keeper.take();
    };
    std::vector<std::vector<Tensor>> singles;
    for (const Sample& sample : samples) singles.push_back(outputs_of(sample.inputs));
    const std::vector<Tensor> all = outputs_of(stack_samples(std::move(samples)));
    for (size_t output = 0; output < wanted.size(); ++output)
      if (!same_rows(all[output], singles, output)) return 1;
    return together;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return 1;  // the pass over all samples reports the error
  }
}

}  // namespace detent
