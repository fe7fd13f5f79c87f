#include "pipeline/latency/latency_timer.h"

#include <system_error>

#include "core/files/atomic_file.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "model/file/data_files.h"
#include "model/model.h"
#include "pipeline/parts/written_file.h"
#include "place/engines/target.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/write_same.h"

namespace detent {

namespace fs = std::filesystem;

namespace {

void copy_model(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  for (const fs::path& data : data_files_of(from))
    fs::copy_file(data, to.parent_path() / data.filename(), fs::copy_options::overwrite_existing, failed);
  const fs::path temporary = to.string() + ".partial";
  if (!failed) fs::copy_file(from, temporary, fs::copy_options::overwrite_existing, failed);
  if (!failed) fs::rename(temporary, to, failed);
  if (failed) throw Error(ErrorCode::CannotWrite, to.string() + ": " + failed.message());
}

}  // namespace

LatencyTimer::LatencyTimer(const QuantizeOptions& options)
    : command(options.latency, folder), table(options.latency.table), of_float(command.ask(options.model)) {}

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

void write_without_pairs(const LatencyTimer& timer, const QuantizeOptions& options, QuantizeReport& report) {
  const Model model = read_float_model(timer.chosen);
  write_same(model, options.output, write_options(options.overwrite, options.external_data));
  report.written_opset = model.graph().opset();
  report.output_bytes = written_bytes(options.output);
}

void write_kept(const LatencyTimer& timer, const QuantizeOptions& options) {
  if (timer.kept.empty()) return;
  copy_model(timer.kept, options.output);
  Reporter& reporter = *options.run.reporter;
  reporter.end();
  reporter.warn("interrupted after " + plural(timer.calls, "call") + " of --latency-command: wrote " +
                options.output.string() + ", the fastest file so far (" + timer.kept_what + ")");
}

}  // namespace detent
