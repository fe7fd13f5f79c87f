#include "core/atomic_file.h"
#include "detent/detent.h"
#include "model/model.h"
#include "run/batches.h"
#include "run/output_writer.h"
#include "prepare/prepare_model.h"
#include "pipeline/profile_run.h"
#include "core/stopwatch.h"

namespace detent {

namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw Error(ErrorCode::CannotWrite, folder.string() + ": cannot be made a folder: " + error.message());
}

}  // namespace

RunReport run_model(const RunOptions& options) {
  const Stopwatch stopwatch;
  const Model model = read_runnable_model(options.model);
  const Graph& graph = model.graph();
  const auto source = open_data(options.data, input_specs(graph));
  const ExecutionPlan plan(graph, graph.outputs(),
                           {.team = team_size(options.run, source->size(), fixed_batch(graph))});
  make_folder(options.output_folder);
  const int64_t batch_size = fixed_batch(graph);
  std::vector<OutputWriter> writers;
  for (const ValueId output : graph.outputs())
    writers.emplace_back(options.output_folder, graph.value(output).name, batch_size, options.overwrite);

  RunReport report;
  report.model = options.model.string();
  ExecutorSlots slots(plan, worker_count(options.run), options.profile);
  Reporter& reporter = *options.run.reporter;
  reporter.begin("running", source->size());
  using Outputs = std::pair<size_t, std::vector<Tensor>>;
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    const std::string name = batch.front().name;
    OutputKeeper keeper(graph, graph.outputs());
    try {
      slots.at(slot).run(stack_samples(std::move(batch)), keeper);
    } catch (const Error& error) {
      throw error.in("sample '" + name + "'");
    }
    return Outputs(real, keeper.take());
  };
  const auto finish = [&](size_t, Outputs&& outputs) {
    for (size_t i = 0; i < writers.size(); ++i) writers[i].append(outputs.second[i], outputs.first);
    reporter.advance_to(report.samples += outputs.first);
  };
  report.skipped_samples =
      stream<Outputs>(*source, batch_stream_options(graph, options.run, true), process, finish).skipped;
  reporter.end();
  for (OutputWriter& writer : writers) report.written.push_back(writer.close());
  report.seconds = stopwatch.seconds();
  if (options.profile) report.profile = profile_run(plan, slots.times(), model, *source, options.run);
  return report;
}

}  // namespace detent
