#include "pipeline/latency/latency_timer.h"

#include "core/files/atomic_file.h"
#include "core/files/output_set.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "model/model.h"
#include "pipeline/latency/sample_shapes.h"
#include "pipeline/parts/written_file.h"
#include "place/engines/target.h"
#include "rewrite/write_same.h"

namespace detent {

namespace fs = std::filesystem;

LatencyTimer::LatencyTimer(const QuantizeOptions& options)
    : command(with_sample_shapes(options.latency, options.model, options.data, options.run), folder),
      table(options.latency.table), of_float(command.ask(options.model)), output_(options.output) {}

void LatencyTimer::keep(const fs::path& file, const std::string& what, size_t calls) {
  const std::string plan = "the fastest file so far (" + what + ") is written to " + output_.string();
  if (!work_) work_.emplace(plan);
  work_->plan(plan);
  kept = {file, what, calls};
}

std::unique_ptr<LatencyTimer> begin_latency(const QuantizeOptions& options) {
  if (!options.latency.given()) return nullptr;
  if (!options.data.given())
    throw Error(ErrorCode::Usage, "--latency-command needs --data, to measure the accuracy of the files that it times");
  if (options.stop_after != StopAfter::Nothing)
    throw Error(ErrorCode::Usage, "--latency-command times whole files; --stop-after writes none");
  if (!find_target(options.target).engine.takes_pairs)
    throw Error(
        ErrorCode::InvalidOption,
        "--latency-command: a target that takes a float model and a calibration cache has no other pairs to try");
  if (!options.latency.table.empty()) check_writable(options.latency.table);
  return std::make_unique<LatencyTimer>(options);
}

void write_without_pairs(const Model& model, const QuantizeOptions& options, QuantizeReport& report) {
  write_same(model, options.output, write_options(options.overwrite, options.external_data));
  report.written_opset = model.graph().opset();
  report.output_bytes = written_bytes(options.output);
}

void write_kept(const LatencyTimer& timer, const QuantizeOptions& options) {
  if (timer.kept.file.empty()) return;
  const std::string when = "interrupted after " + plural(timer.kept.calls, "call") + " of --latency-command: ";
  std::string text = when + "wrote " + options.output.string() + ", the fastest file so far (" + timer.kept.what + ")";
  try {
    const AtOnce now;  // the run's other outputs do not appear
    write_model(read_model(timer.kept.file), options.output, write_options(options.overwrite, options.external_data));
  } catch (const Error& error) {
    text = when + "the fastest file so far (" + timer.kept.what + ") is not written: " + error.what();
  }
  Reporter& reporter = *options.run.reporter;
  reporter.end();
  reporter.warn(text);
}

}  // namespace detent
