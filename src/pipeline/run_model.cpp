#include <algorithm>

#include "core/files/atomic_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/run.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "pipeline/profile_run.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "run/output_writer.h"
#include "run/run_over.h"
#include "run/sample_axes.h"
#include "run/workers.h"

namespace detent {

namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw Error(ErrorCode::CannotWrite, folder.string() + ": cannot be made a folder: " + error.message());
}

/// An output called like a sample, in the same folder, would replace it.
void refuse_source(const std::filesystem::path& output, const DataOptions& data) {
  for (const std::string& source : data.sources) {
    std::error_code error;
    const std::string path = source.substr(source.find('=') + 1);  // all of it where there is none
    if (std::filesystem::equivalent(output, path, error) || std::filesystem::equivalent(output, source, error))
      throw Error(ErrorCode::CannotWrite,
                  output.string() + ": an output of the model would replace the data that it reads",
                  "choose another folder");
  }
}

/// True unless the declared extents tell which axis counts the samples of a batch.
bool leaves_doubt(const Value& output, int64_t batch) {
  if (batch == 1) return false;
  if (!output.declared_shape) return true;
  return std::ranges::count_if(*output.declared_shape, [&](int64_t e) { return e < 0 || e == batch; }) > 1;
}

}  // namespace

RunReport run_model(const RunOptions& options) {
  const StopScope stop(options.run.stop);
  const Stopwatch stopwatch;
  const Model model = read_runnable_model(options.model);
  const Graph& graph = model.graph();
  const auto source = open_samples(options.data, graph);
  warn_of_unused_preprocess(options.data, {}, graph, *options.run.reporter);
  const Schedule schedule(
      graph, graph.outputs(),
      {.team = team_size(options.run, *source), .keep_large_copies = true, .products = options.run.products});
  make_folder(options.output_folder);
  const int64_t batch_size = static_cast<int64_t>(source->batch());
  std::vector<OutputWriter> writers;
  std::vector<std::string> names;
  for (const ValueId output : graph.outputs()) names.push_back(graph.value(output).name);
  for (const std::string& name : file_names_for(names)) {
    refuse_source(options.output_folder / (name + ".npy"), options.data);
    writers.emplace_back(options.output_folder, name, batch_size, options.overwrite);
  }

  RunReport report;
  report.model = options.model.string();
  ExecutorSlots slots(schedule, worker_count(options.run), options.profile);
  using Outputs = std::pair<size_t, std::vector<Tensor>>;
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    OutputKeeper keeper(graph, graph.outputs());
    slots.at(slot).run(stack_samples(std::move(batch)), keeper);
    return Outputs(real, keeper.take());
  };
  const SampleAxes axes =
      std::ranges::any_of(graph.outputs(), [&](ValueId id) { return leaves_doubt(graph.value(id), batch_size); })
          ? find_sample_axes(schedule, *source, options.run)
          : SampleAxes();
  const auto write = [&](Outputs&& outputs) {
    for (size_t i = 0; i < writers.size(); ++i)
      writers[i].append(outputs.second[i], outputs.first, axes.of(graph.outputs()[i]));
  };
  const SampleCounts counts = run_over<Outputs>(
      {.source = *source, .settings = options.run, .task = "running", .refuse_empty = {}}, run, write);
  report.samples = counts.samples;
  report.skipped_samples = counts.skipped;
  for (OutputWriter& writer : writers) report.written.push_back(writer.close());
  report.seconds = stopwatch.seconds();
  if (options.profile) report.profile = profile_run(schedule, slots.times(), model, *source, options.run);
  return report;
}

}  // namespace detent
