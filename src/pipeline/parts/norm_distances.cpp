#include "pipeline/parts/norm_distances.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/index.h"
#include "evaluate/batch_errors.h"
#include "evaluate/prepared_model.h"
#include "exec/runnable_part.h"
#include "ops/source_of_copy.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

constexpr size_t kNorms = 3;
constexpr double kLeastVariance = 1e-9;

/// The statistics that a BatchNormalization stores of its training.
struct Norm {
  ValueId input = {};
  std::vector<double> mean = {}, variance = {};
};

/// Returns the numbers of a constant list; empty for another value.
std::vector<double> numbers_of(const Graph& graph, const Node& node, size_t slot) {
  if (slot >= node.inputs.size() || !node.inputs[slot]) return {};
  const Tensor* constant = graph.constant(source_of_copy(graph, *node.inputs[slot]));
  if (!constant || constant->type() != DataType::Float32 || constant->shape().rank() != 1) return {};
  const Tensor plain = to_plain(*constant);
  return {plain.data<float>().begin(), plain.data<float>().end()};
}

/// Returns the first normalizations in the order of the graph, of values that can run.
std::vector<Norm> first_norms(const Graph& graph) {
  constexpr size_t kMean = 3, kVariance = 4;
  std::vector<Norm> norms;
  const RunnablePart runnable(graph);
  for (const Node& node : graph.nodes()) {
    if (norms.size() == kNorms) break;
    if (node.op_type != "BatchNormalization" || !node.domain.empty() || node.inputs.empty() || !node.inputs[0])
      continue;
    Norm norm{*node.inputs[0], numbers_of(graph, node, kMean), numbers_of(graph, node, kVariance)};
    if (norm.mean.empty() || norm.mean.size() != norm.variance.size() || !runnable.can_run(norm.input)) continue;
    norms.push_back(std::move(norm));
  }
  return norms;
}

/// Returns the divergence of sample n of [N, C, ...] from a normalization; nullopt for another shape or type.
std::optional<double> divergence_of(const Tensor& samples, size_t n, const Norm& norm) {
  if (samples.empty_handle() || samples.type() != DataType::Float32 || samples.shape().rank() < 3) return std::nullopt;
  const size_t channels = norm.mean.size(), count = as_index(samples.shape()[0]);
  if (n >= count || as_index(samples.shape()[1]) != channels || samples.element_count() == 0) return std::nullopt;
  const size_t whole = samples.data<float>().size() / count, each = whole / channels;
  const std::span<const float> numbers = samples.data<float>().subspan(n * whole, whole);
  double sum = 0;
  for (size_t c = 0; c < channels; ++c) {
    double mean = 0, squares = 0;
    for (const float x : numbers.subspan(c * each, each)) mean += x;
    mean /= static_cast<double>(each);
    for (const float x : numbers.subspan(c * each, each)) squares += (x - mean) * (x - mean);
    const double variance = squares / static_cast<double>(each) + kLeastVariance;
    const double trained = std::max(norm.variance[c], 0.0) + kLeastVariance, apart = mean - norm.mean[c];
    sum += ((variance + apart * apart) / trained - 1 - std::log(variance / trained)) / 2;
  }
  return sum / static_cast<double>(channels);
}

}  // namespace

bool has_norms(const Model& model) { return !first_norms(model.graph()).empty(); }

std::vector<double> norm_distances(const Model& model, const DataSource& source, const RunSettings& settings) {
  const std::vector<Norm> norms = first_norms(model.graph());
  if (norms.empty() || source.size() == 0) return {};
  std::vector<ValueId> values;
  for (const Norm& norm : norms) values.push_back(norm.input);
  const PreparedModel prepared(model, names_of(model.graph(), values), team_size(settings, source));
  const std::vector<SampleAxis> axes = prepared.sample_axes(source, settings);
  std::vector<BufferPool> pools(worker_count(settings));
  std::vector<double> found;
  const auto run = [&](size_t slot, std::vector<Sample>&& samples, size_t real) {
    const size_t size = samples.size();
    const std::vector<Tensor> inputs = stack_samples(std::move(samples));
    const std::vector<Tensor> outputs =
        with_samples_in_front(real_part(prepared.run(inputs, pools[slot]), size, real, axes), real, axes);
    std::vector<double> distances;
    for (size_t n = 0; n < real; ++n) {
      double sum = 0;
      size_t counted = 0;
      for (size_t i = 0; i < norms.size(); ++i)
        if (const auto one = divergence_of(outputs[i], n, norms[i]); one && std::isfinite(*one))
          sum += std::log1p(*one), ++counted;
      if (counted > 0) distances.push_back(sum / static_cast<double>(counted));
    }
    return distances;
  };
  run_over<std::vector<double>>(
      {.source = source, .settings = settings, .refuse_empty = {}, .may_be_cut = false}, run,
      [&](std::vector<double>&& batch) { found.insert(found.end(), batch.begin(), batch.end()); });
  return found;
}

}  // namespace detent
