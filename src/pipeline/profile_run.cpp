#include "pipeline/profile_run.h"

#include "observe/collector.h"
#include "run/batches.h"
#include "prepare/prepare_model.h"
#include "place/plan/placement_plan.h"

namespace detent {

namespace {

double milliseconds(int64_t nanoseconds, size_t runs) {
  return runs == 0 ? 0 : static_cast<double>(nanoseconds) * 1e-6 / static_cast<double>(runs);
}

std::string operators_of(const Graph& graph, const Step& step) {
  std::string text = graph.node(step.node).op_type;
  for (const FusedOp& fused : step.fused)
    text += " + " + std::string(fused.kind == OpKind::Silu ? "Silu" : fused.node->op_type);
  return text;
}

/// One pass with histograms of `values`, as calibrate() runs it.
StepTimes time_collecting(const Graph& graph, std::span<const ValueId> values, const DataSource& source,
                          const RunSettings& settings) {
  const ExecutionPlan plan(graph, values, {.team = team_size(settings, source.size(), fixed_batch(graph))});
  ExecutorSlots slots(plan, worker_count(settings), true);
  std::vector<std::unique_ptr<Collector>> collectors(worker_count(settings));
  Reporter& reporter = *settings.reporter;
  size_t done = 0;
  reporter.begin("timing a calibration", source.size());
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    const size_t count = batch.size();
    if (!collectors[slot]) collectors[slot] = std::make_unique<Collector>(graph, values);
    slots.at(slot).run(stack_samples(std::move(batch)), *collectors[slot]);
    return count;
  };
  stream<size_t>(source, batch_stream_options(graph, settings, false), process,
                 [&](size_t, size_t count) { reporter.advance_to(done += count); });
  reporter.end();
  return slots.times();
}

ProfileReport::Collecting profile_collecting(const Model& original, const DataSource& source,
                                             const RunSettings& settings) {
  Model model = original.clone();
  const Target& target = find_target("tensorrt");
  prepare_model(model, target);
  std::vector<ValueId> values;
  for (const ValueId value : make_placement_plan(model.graph(), target, {}).quantized_values())
    if (!model.graph().constant(value)) values.push_back(value);
  const StepTimes times = time_collecting(model.graph(), values, source, settings);
  return {target.spec(), values.size(), milliseconds(times.total(), times.runs),
          milliseconds(times.observing, times.runs)};
}

}  // namespace

ProfileReport profile_run(const ExecutionPlan& plan, const StepTimes& times, const Model& model,
                          const DataSource& source, const RunSettings& settings) {
  const Graph& graph = plan.graph();
  ProfileReport report;
  report.samples = times.runs;
  report.total_ms = milliseconds(times.total() - times.observing, times.runs);
  for (size_t i = 0; i < plan.steps().size(); ++i) {
    const Step& step = plan.steps()[i];
    report.nodes.push_back(
        {graph.node(step.node).name, operators_of(graph, step), milliseconds(times.steps[i], times.runs)});
  }
  if (!is_quantized(graph)) report.collecting = profile_collecting(model, source, settings);
  return report;
}

}  // namespace detent
