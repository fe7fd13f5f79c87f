#include <algorithm>

#include "core/files/atomic_file.h"
#include "core/files/output_set.h"
#include "core/index.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/options/run_settings.h"
#include "detent/run.h"
#include "evaluate/detection_judge.h"
#include "exec/schedule.h"
#include "exec/step_times.h"
#include "model/model.h"
#include "model/qoperators.h"
#include "observe/collector.h"
#include "ops/use_instruction_set.h"
#include "options/command_inputs.h"
#include "pipeline/parts/decoded_files.h"
#include "pipeline/parts/detection_pictures.h"
#include "pipeline/parts/pipeline_options.h"
#include "place/make_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"
#include "run/output_writer.h"
#include "run/run_over.h"
#include "run/sample_axes.h"
#include "run/sample_subset.h"
#include "run/samples_together.h"
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

/// Times one pass with histograms of `values`, as calibrate() runs it.
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
  const Target& target = default_target();
  prepare_model(model, target);
  std::vector<ValueId> values;
  for (const ValueId value : make_placement_plan(model.graph(), target, {}).quantized_values())
    if (!model.graph().constant(value)) values.push_back(value);
  const StepTimes times = time_collecting(model.graph(), values, source, settings);
  return {target.spec(), values.size(), milliseconds(times.total(), times.runs),
          milliseconds(times.observing, times.runs)};
}

/// Returns the times of a run of `schedule` by node. A float model runs again over `source` as a calibration for the
/// default target, to measure the collector's share.
/// Errors  those of running.
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

/// True when the declared extents do not tell which axis counts the samples of a batch.
bool leaves_doubt(const Value& output, int64_t batch) {
  if (batch == 1) return false;
  if (!output.declared_shape) return true;
  return std::ranges::count_if(*output.declared_shape, [&](int64_t e) { return e < 0 || e == batch; }) > 1;
}

/// Returns the outputs to write: of a model that runs in steps those that feed no input, for caches of every step are
/// large; all where each feeds one.
std::vector<ValueId> outputs_to_write(const Graph& graph, const std::optional<StateFile>& state) {
  std::vector<ValueId> outputs(graph.outputs().begin(), graph.outputs().end());
  if (!state) return outputs;
  std::erase_if(outputs, [&](ValueId output) {
    return std::ranges::any_of(state->feeds, [&](const auto& feed) { return feed.first == graph.value(output).name; });
  });
  return outputs.empty() ? outputs_to_write(graph, {}) : outputs;
}

/// Appends the output of a batch; of samples that ran together, as if they had run one by one.
void append_samples(OutputWriter& writer, const Tensor& output, size_t real, size_t together, const SampleAxis& axis) {
  if (together == 1) return writer.append(output, real, axis);
  for (size_t i = 0; i < real; ++i) writer.append(output.slice0(as_extent(i), as_extent(i + 1)), 1, axis);
}

/// Returns the layout of the detections that --draw draws; nullopt without --draw.
/// Errors  those of check_drawing, check_drawable and running the model on a sample.
std::optional<DetectionLayout> choose_layout(const Model& model, const DataSource& source, const RunOptions& options) {
  if (options.draw.empty()) return std::nullopt;
  check_drawing(options.draw, options.overwrite);
  auto recognized = recognize_detections(model, source, options.run);
  check_drawable(options.model, recognized);
  return recognized;
}

void draw_first_samples(const Model& model, const DetectionLayout& layout, const DataSource& source,
                        const std::optional<PreprocessSpec>& preprocess, const RunOptions& options) {
  const size_t count = options.data.limit ? source.size() : kDrawnSamples;
  const SampleSubset first(source, consecutive_samples(source, 0, count));
  draw_detections(options.draw, detect(model, layout, first, options.run), {source, preprocess}, DrawnModels::One);
}

/// Refuses options that need outputs, where texts are written.
void check_decodes(const RunOptions& options) {
  for (const auto& [given, name] :
       {std::pair(options.profile, "--profile"), std::pair(!options.draw.empty(), "--draw")})
    if (given)
      throw Error(
          ErrorCode::Usage,
          std::string(name) + " does not go with \"decode\" of " + options.model.string() + ": texts are written",
          "--steps N runs so many steps of its loop and writes their outputs");
}

}  // namespace

RunReport run_model(const RunOptions& given) {
  RunOptions options = given;
  const StopScope stop(options.run.stop);
  const bool runs_steps = options.data.steps.has_value();
  const std::optional<PipelineFile> pipeline = complete_by_model(options.model, options.data);
  if (!options.data.given())
    throw Error(ErrorCode::Usage, "--data is required", pipeline ? "or \"data\" in " + options.model.string() : "");
  const bool decodes = pipeline && pipeline->decode && !runs_steps;
  if (decodes) check_decodes(options);
  const InputFiles protected_inputs = protect_inputs(options);
  const Stopwatch stopwatch;
  use_instruction_set(options.isa);
  const SampleRequest data = parse_samples(options.data);
  Expansion expansion;
  const Model model = read_any_model(options.model, expansion);
  refuse_kept(expansion);
  const Graph& graph = model.graph();
  if (decodes) {
    warn_of_unused_preprocess(data, {}, graph, *options.run.reporter);
    RunReport report = run_decoder(model, *pipeline->decode, data, options);
    report.expanded = expansion.operators;
    return report;
  }
  const auto source = open_samples(data, model, {.refuse_non_finite = false});
  warn_of_unused_preprocess(data, {}, graph, *options.run.reporter);
  const std::vector<ValueId> outputs = outputs_to_write(graph, data.state);
  const Schedule schedule(
      graph, outputs,
      {.team = team_size(options.run, *source), .keep_large_copies = true, .products = options.run.products});
  const auto layout = choose_layout(model, *source, options);
  OutputSet outputs_together;
  make_folder(options.output_folder);
  const int64_t batch_size = static_cast<int64_t>(source->batch());
  std::vector<OutputWriter> writers;
  std::vector<std::string> names;
  for (const ValueId output : outputs) names.push_back(graph.value(output).name);
  for (const std::string& name : file_names_for(names))
    writers.emplace_back(options.output_folder, name, batch_size, options.overwrite);
  if (layout) draw_first_samples(model, *layout, *source, data.preprocess.images, options);

  RunReport report;
  report.model = options.model.string();
  report.expanded = expansion.operators;
  ExecutorSlots slots(schedule, worker_count(options.run), options.profile);
  using Outputs = std::pair<size_t, std::vector<Tensor>>;
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    OutputKeeper keeper(graph, outputs);
    slots.at(slot).run(stack_samples(std::move(batch)), keeper);
    return Outputs(real, keeper.take());
  };
  const SampleAxes axes =
      std::ranges::any_of(outputs, [&](ValueId id) { return leaves_doubt(graph.value(id), batch_size); })
          ? find_sample_axes(schedule, *source, options.run)
          : SampleAxes();
  // A profile is that of a sample.
  const size_t together = options.profile ? 1 : samples_together(schedule, *source, worker_count(options.run));
  const auto write = [&](Outputs&& batch) {
    for (size_t i = 0; i < writers.size(); ++i)
      append_samples(writers[i], batch.second[i], batch.first, together, axes.of(outputs[i]));
  };
  const SampleCounts counts = run_over<Outputs>(
      {.source = *source, .settings = options.run, .task = "running", .together = together}, run, write);
  report.samples = counts.samples;
  report.skipped_samples = counts.skipped;
  for (OutputWriter& writer : writers) report.written.push_back(writer.close());
  outputs_together.commit();
  if (layout) report.written.push_back(options.draw);
  report.seconds = stopwatch.seconds();
  if (options.profile) report.profile = profile_run(schedule, slots.times(), model, *source, options.run);
  return report;
}

}  // namespace detent
