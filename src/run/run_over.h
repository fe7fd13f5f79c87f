#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/process/early_end.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/options/run_settings.h"
#include "run/sample_stream.h"
#include "run/sample_subset.h"

namespace detent {

/// A pass of one model over many samples.
struct SamplePass {
  const DataSource& source;
  const RunSettings& settings;
  /// The text of the progress line; empty: the caller shows progress, over several passes.
  std::string_view task = {};
  /// An incomplete last batch is filled by repeating its last sample, dropped with a warning, or runs as it is, which a
  /// model that leaves its batch open takes.
  using LastBatch = StreamOptions::LastGroup;
  LastBatch last_batch = LastBatch::Fill;
  /// Consecutive samples of a source without batches that `run` takes at once (samples_together); where fewer are left,
  /// and to name the sample of an error, it takes them one by one.
  size_t together = 1;
  /// The error when no sample could be read; empty: no sample is no error.
  std::string_view refuse_empty = "no sample of the data could be read";
  bool may_be_cut = true;  ///< false: other passes over the same samples belong to it (PartOfSamples)
};

struct SampleCounts {
  size_t samples = 0;  ///< run, without repetitions
  size_t skipped = 0;  ///< not readable
};

/// Returns the options of the stream below a pass: threads, batch, Ctrl-C, unreadable samples and warnings as the
/// settings say.
[[nodiscard]] StreamOptions stream_options(const SamplePass& pass);
/// Show the progress of a pass that has a task.
void show_progress(const SamplePass& pass, size_t samples);
void begin_progress(const SamplePass& pass);
/// Ends the progress line.
/// Errors  InvalidData when there was no sample and the pass refuses that.
void end_progress(const SamplePass& pass, const SampleCounts& counts);

/// Calls run(batch, real) for a group of the stream: once, or where the pass has samples together and the group is
/// short of them, for each sample. Errors  those of `run`, which name the first sample of the batch, except
/// Interrupted.
void run_group(const SamplePass& pass, std::vector<Sample>&& group, size_t real,
               const std::function<void(std::vector<Sample>&& batch, size_t real)>& run);

/// Streams all samples in batches through `run`, in parallel, and their results through `take`, in order.
///
/// run(size_t slot, std::vector<Sample>&& batch, size_t real) -> Result   `real` of the batch count; see stream().
/// take(Result&&)                                                         one at a time.
/// Errors  those of `run` and `take`; an error of `run` names the first sample of its batch, or the sample in samples
///         that run together, except Interrupted.
template <class Result, class Run, class Take>
SampleCounts run_over(const SamplePass& pass, Run run, Take take) {
  using Batch = std::pair<size_t, Result>;
  SampleCounts counts;
  begin_progress(pass);
  const auto process = [&](size_t slot, std::vector<Sample>&& group, size_t real) {
    std::vector<Batch> done;
    run_group(pass, std::move(group), real, [&](std::vector<Sample>&& batch, size_t counting) {
      done.emplace_back(counting, run(slot, std::move(batch), counting));
    });
    return done;
  };
  const auto finish = [&](size_t, std::vector<Batch>&& done) {
    for (Batch& batch : done) {
      take(std::move(batch.second));
      show_progress(pass, counts.samples += batch.first);
    }
  };
  const auto run_on = [&](const DataSource& source) {
    counts.skipped = stream<std::vector<Batch>>(source, stream_options(pass), process, finish).skipped;
  };
  const bool may_be_cut = pass.may_be_cut && takes_part_of_samples();
  try {
    if (!may_be_cut || !is_ending_early()) run_on(pass.source);
  } catch (const Error& error) {
    if (!may_be_cut || !ends_early(error)) throw;
  }
  // One batch is the least that has a result.
  if (may_be_cut && is_ending_early() && counts.samples == 0)
    run_on(SampleSubset(pass.source, consecutive_samples(pass.source, 0, std::max<size_t>(1, pass.source.batch()))));
  end_progress(pass, counts);
  return counts;
}

}  // namespace detent
