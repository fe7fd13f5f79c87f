#include "pipeline/measure_error.h"

#include <algorithm>

#include "exec/runnable_part.h"
#include "pipeline/batch_stream.h"
#include "report/metrics.h"

namespace detent {

namespace {

/// The first samples of another source.
class Head final : public DataSource {
 public:
  Head(const DataSource& source, size_t samples) : source_(source), size_(std::min(samples, source.size())) {}
  [[nodiscard]] size_t size() const override { return size_; }
  [[nodiscard]] std::string sample_name(size_t i) const override { return source_.sample_name(i); }
  [[nodiscard]] Sample read(size_t i) const override { return source_.read(i); }

 private:
  const DataSource& source_;
  size_t size_;
};

/// One model, run in every worker as far as the named values.
struct Runner {
  const Graph& graph;
  std::vector<ValueId> wanted;
  ExecutionPlan plan;
  ExecutorSlots slots;

  Runner(const Graph& model_graph, const std::vector<std::string>& names, size_t workers)
      : graph(model_graph), wanted(values_named(model_graph, names)), plan(model_graph, wanted), slots(plan, workers) {}

  [[nodiscard]] std::vector<Tensor> run(size_t slot, std::span<const Tensor> inputs) {
    OutputKeeper keeper(graph, wanted);
    slots.at(slot).run(inputs, keeper);
    return keeper.take();
  }
};

}  // namespace

ErrorReport measure_error(const Model& reference, const Model& candidate, const DataSource& source, size_t samples,
                          const RunSettings& settings) {
  const Head head(source, samples);
  const std::vector<std::string> names = names_of(reference.graph(), RunnablePart(reference.graph()).ends());
  Runner first(reference.graph(), names, worker_count(settings));
  Runner second(candidate.graph(), names, worker_count(settings));
  std::vector<ErrorSums> totals(names.size());
  size_t measured = 0;
  Reporter& reporter = *settings.reporter;
  reporter.begin("measuring the error", head.size());
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    const std::vector<Tensor> inputs = stack_samples(std::move(batch));
    const std::vector<Tensor> a = first.run(slot, inputs);
    const std::vector<Tensor> b = second.run(slot, inputs);
    std::pair<size_t, std::vector<ErrorSums>> result(real, {});
    for (size_t i = 0; i < a.size(); ++i) result.second.push_back(ErrorSums::of(a[i], b[i]));
    return result;
  };
  const auto finish = [&](size_t, std::pair<size_t, std::vector<ErrorSums>>&& result) {
    for (size_t i = 0; i < totals.size(); ++i) totals[i] += result.second[i];
    reporter.advance_to(measured += result.first);
  };
  stream<std::pair<size_t, std::vector<ErrorSums>>>(head, batch_stream_options(first.graph, settings, true), process,
                                                    finish);
  reporter.end();
  return summarize_errors(names, totals, measured);
}

}  // namespace detent
