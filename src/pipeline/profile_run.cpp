#include "pipeline/profile_run.h"

#include "model/qoperators.h"
#include "observe/collector.h"
#include "place/make_plan.h"
#include "prepare/prepare_model.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

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
  const Schedule schedule(graph, values, {.team = team_size(settings, source)});
  ExecutorSlots slots(schedule, worker_count(settings), true);
  std::vector<std::unique_ptr<Collector>> collectors(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    if (!collectors[slot]) collectors[slot] = std::make_unique<Collector>(graph, values);
    slots.at(slot).run(stack_samples(std::move(batch)), *collectors[slot]);
    return true;
  };
  run_over<bool>({.source = source,
                  .settings = settings,
                  .task = "timing a calibration",
                  .last_batch = SamplePass::LastBatch::Drop,
                  .refuse_empty = {}},
                 run, [](bool) {});
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

ProfileReport profile_run(const Schedule& schedule, const StepTimes& times, const Model& model,
                          const DataSource& source, const RunSettings& settings) {
  const Graph& graph = schedule.graph();
  ProfileReport report;
  report.samples = times.runs;
  report.total_ms = milliseconds(times.total() - times.observing, times.runs);
  for (size_t i = 0; i < schedule.steps().size(); ++i) {
    const Step& step = schedule.steps()[i];
    report.nodes.push_back(
        {graph.node(step.node).name, operators_of(graph, step), milliseconds(times.steps[i], times.runs)});
  }
  if (!is_quantized(graph)) report.collecting = profile_collecting(model, source, settings);
  return report;
}

}  // namespace detent
