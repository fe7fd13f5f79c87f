#include "run/run_over.h"

#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

StreamOptions stream_options(const SamplePass& pass) {
  StreamOptions options;
  options.threads = worker_count(pass.settings);
  options.group_size = pass.source.batch();
  options.last_group = pass.last_batch;
  options.skip_bad_data = pass.settings.skip_bad_data;
  options.reporter = pass.settings.reporter;
  return options;
}

void begin_progress(const SamplePass& pass) {
  if (!pass.task.empty()) pass.settings.reporter->begin(pass.task, pass.source.size());
}

void show_progress(const SamplePass& pass, size_t samples) {
  if (!pass.task.empty()) pass.settings.reporter->advance_to(samples);
}

void end_progress(const SamplePass& pass, const SampleCounts& counts) {
  if (!pass.task.empty()) pass.settings.reporter->end();
  if (counts.samples == 0 && !pass.refuse_empty.empty())
    throw Error(ErrorCode::InvalidData, std::string(pass.refuse_empty));
}

}  // namespace detent
