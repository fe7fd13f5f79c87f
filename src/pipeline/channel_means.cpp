#include "pipeline/channel_means.h"

#include "core/float_type.h"
#include "exec/runnable_part.h"
#include "pipeline/batch_stream.h"

namespace detent {

namespace {

/// Sums of one channel each, and how many elements each has.
struct ChannelSums {
  std::vector<double> sums;
  double count = 0;
  bool alike = true;  ///< the same channels in every sample

  void add(const ChannelSums& other) {
    if (other.sums.empty()) return;
    if (sums.empty()) sums.resize(other.sums.size());
    alike = alike && sums.size() == other.sums.size();
    for (size_t c = 0; alike && c < sums.size(); ++c) sums[c] += other.sums[c];
    count += other.count;
  }
};

ChannelSums sums_of(const Tensor& tensor, size_t from_right) {
  ChannelSums result;
  const Shape& shape = tensor.shape();
  if (!is_floating_point(tensor.type()) || shape.rank() <= from_right || shape.element_count() == 0) return result;
  const size_t axis = shape.rank() - 1 - from_right;
  const Tensor floats = cast(tensor, DataType::Float32);
  const int64_t outer = shape.element_count(0, axis), inner = shape.element_count(axis + 1, shape.rank());
  result.sums.resize(static_cast<size_t>(shape[axis]));
  result.count = static_cast<double>(outer * inner);
  const float* next = floats.data<float>().data();
  for (int64_t o = 0; o < outer; ++o)
    for (double& sum : result.sums)
      for (int64_t i = 0; i < inner; ++i) sum += static_cast<double>(*next++);
  return result;
}

}  // namespace

std::map<std::string, std::vector<double>> channel_means(const Model& model,
                                                         const std::map<std::string, size_t>& axes_from_right,
                                                         const DataSource& source, const RunSettings& settings) {
  const Graph& graph = model.graph();
  std::vector<std::string> names;
  for (const auto& [name, from_right] : axes_from_right) names.push_back(name);
  const std::vector<ValueId> wanted = values_named(graph, names);
  const ExecutionPlan plan(graph, wanted, {.team = team_size(settings, source.size(), fixed_batch(graph))});
  ExecutorSlots slots(plan, worker_count(settings));
  using Sums = std::vector<ChannelSums>;
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    OutputKeeper keeper(graph, wanted);
    slots.at(slot).run(stack_samples(std::move(batch)), keeper);
    const std::vector<Tensor> tensors = keeper.take();
    Sums sums;
    for (size_t i = 0; i < tensors.size(); ++i) sums.push_back(sums_of(tensors[i], axes_from_right.at(names[i])));
    return sums;
  };
  Sums totals(names.size());
  stream<Sums>(source, batch_stream_options(graph, settings, true), process, [&](size_t, Sums&& sums) {
    for (size_t i = 0; i < totals.size(); ++i) totals[i].add(sums[i]);
  });
  std::map<std::string, std::vector<double>> means;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!totals[i].alike || totals[i].count == 0) continue;
    for (double& sum : totals[i].sums) sum /= totals[i].count;
    means[names[i]] = std::move(totals[i].sums);
  }
  return means;
}

}  // namespace detent
