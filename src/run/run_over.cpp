#include "run/run_over.h"

#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

StreamOptions stream_options(const SamplePass& pass) {
  StreamOptions options;
  options.threads = worker_count(pass.settings);
  options.group_size = pass.together > 1 ? pass.together : pass.source.batch();
  options.last_group = pass.together > 1 ? SamplePass::LastBatch::Short : pass.last_batch;
  options.skip_bad_data = pass.settings.skip_bad_data;
  options.reporter = pass.settings.reporter;
  return options;
}

void run_group(const SamplePass& pass, std::vector<Sample>&& group, size_t real,
               const std::function<void(std::vector<Sample>&& batch, size_t real)>& run) {
  const auto run_named = [&](std::vector<Sample>&& batch, size_t counting) {
    const std::string name = batch.front().name;
    try {
      run(std::move(batch), counting);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted || error.code() == ErrorCode::InvalidModel) throw;
      throw error.in("sample '" + name + "'");
    }
  };
  const auto run_singly = [&](const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) run_named({sample}, 1);
  };
  if (pass.together <= 1) return run_named(std::move(group), real);
  if (group.size() < pass.together) return run_singly(group);
  const std::vector<Sample> samples = group;  // tensors are shared
  try {
    run_named(std::move(group), real);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Interrupted) run_singly(samples);
    throw;
  }
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
