#include "pipeline/evaluate_variants.h"

#include <algorithm>
#include <cstring>

#include "core/float_type.h"
#include "exec/runnable_part.h"
#include "pipeline/batch_stream.h"

namespace detent {

namespace {

/// A model ready to run as far as the named values.
struct Prepared {
  std::vector<ValueId> wanted;
  ExecutionPlan plan;

  Prepared(const Model& model, const std::vector<std::string>& names, int team)
      : wanted(values_named(model.graph(), names)), plan(model.graph(), wanted, {.team = team}) {}

  /// The models of one worker share a pool, so that it holds the activations of one at a time.
  [[nodiscard]] std::vector<Tensor> run(std::span<const Tensor> inputs, BufferPool& pool) const {
    OutputKeeper keeper(plan.graph(), wanted);
    Executor(plan, pool).run(inputs, keeper);
    return keeper.take();
  }
};

/// The first `rows` of axis 0 of a plain tensor. Rows at the end of a batch that repeat the last sample are left out so.
Tensor first_rows(const Tensor& tensor, int64_t rows) {
  Shape shape = tensor.shape();
  shape[0] = rows;
  Tensor part(tensor.type(), shape);
  std::memcpy(part.mutable_raw(), tensor.raw(), part.byte_count());
  return part;
}

/// What counts of one batch's outputs.
std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real) {
  if (real == batch) return outputs;
  for (Tensor& output : outputs)
    if (is_floating_point(output.type()) && output.shape().rank() > 0 && output.shape()[0] == static_cast<int64_t>(batch))
      output = first_rows(output, static_cast<int64_t>(real));
  return outputs;
}

/// One batch: [variant][output], and which outputs had the float model's shape in every variant.
struct BatchErrors {
  std::vector<std::vector<ErrorSums>> errors;
  std::vector<bool> comparable;
  size_t real = 0;
};

BatchErrors compare(const Prepared& reference, const std::vector<std::unique_ptr<Prepared>>& variants,
                    std::vector<Sample>&& batch, size_t real, BufferPool& pool) {
  const size_t size = batch.size();
  const std::string name = batch.front().name;
  const std::vector<Tensor> inputs = stack_samples(std::move(batch));
  BatchErrors result{{}, std::vector<bool>(reference.wanted.size(), true), real};
  try {
    const std::vector<Tensor> expected = real_part(reference.run(inputs, pool), size, real);
    for (const auto& variant : variants) {
      const std::vector<Tensor> outputs = real_part(variant->run(inputs, pool), size, real);
      auto& sums = result.errors.emplace_back(outputs.size());
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (expected[i].type() == outputs[i].type() && expected[i].shape() == outputs[i].shape())
          sums[i] = ErrorSums::of(expected[i], outputs[i]);
        else
          result.comparable[i] = false;
      }
    }
  } catch (const Error& error) {
    throw error.in("sample '" + name + "'");
  }
  return result;
}

/// The nodes' inputs that are computed themselves, each once.
std::vector<ValueId> values_before(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<ValueId> before;
  for (const ValueId value : values) {
    const Node* producer = graph.producer(value);
    if (!producer) continue;
    for (const ValueId input : producer->inputs)
      if (input != kNoValue && graph.producer(input) && !graph.constant(input) &&
          std::find(before.begin(), before.end(), input) == before.end())
        before.push_back(input);
  }
  return before;
}

}  // namespace

std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs) {
  const Graph& graph = model.graph();
  std::vector<ValueId> candidates = RunnablePart(graph).ends();
  while (!candidates.empty()) {  // at most as often as the graph is deep: each round goes one node back
    const std::vector<Tensor> tensors = run_once(graph, inputs, candidates);
    std::vector<ValueId> measured;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (is_floating_point(tensors[i].type())) measured.push_back(candidates[i]);
    if (!measured.empty()) return names_of(graph, measured);
    candidates = values_before(graph, candidates);
  }
  return {};
}

Evaluation evaluate_variants(const Model& reference, std::span<const Model> variants,
                             const std::vector<std::string>& names, const DataSource& source,
                             const RunSettings& settings, std::string_view task) {
  const Graph& graph = reference.graph();
  const int team = team_size(settings, source.size(), fixed_batch(graph));
  const Prepared original(reference, names, team);
  std::vector<std::unique_ptr<Prepared>> prepared;
  for (const Model& variant : variants) prepared.push_back(std::make_unique<Prepared>(variant, names, team));

  std::vector<std::vector<ErrorSums>> totals(variants.size(), std::vector<ErrorSums>(names.size()));
  std::vector<bool> comparable(names.size(), true);
  Evaluation result;
  Reporter& reporter = *settings.reporter;
  reporter.begin(task, source.size());
  std::vector<BufferPool> pools(worker_count(settings));
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    return compare(original, prepared, std::move(batch), real, pools[slot]);
  };
  const auto add = [&](size_t, BatchErrors&& batch) {
    for (size_t v = 0; v < totals.size(); ++v)
      for (size_t i = 0; i < names.size(); ++i) totals[v][i] += batch.errors[v][i];
    for (size_t i = 0; i < names.size(); ++i) comparable[i] = comparable[i] && batch.comparable[i];
    reporter.advance_to(result.samples += batch.real);
  };
  stream<BatchErrors>(source, batch_stream_options(graph, settings, true), process, add);
  reporter.end();
  if (result.samples == 0) throw Error(ErrorCode::InvalidData, "no sample of the data could be read");

  result.errors.resize(variants.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!comparable[i]) continue;
    result.outputs.push_back(names[i]);
    for (size_t v = 0; v < totals.size(); ++v) result.errors[v].push_back(totals[v][i]);
  }
  return result;
}

}  // namespace detent
