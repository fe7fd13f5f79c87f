#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/options/run_settings.h"
#include "run/sample_stream.h"

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
  /// The error when no sample could be read; empty: no sample is no error.
  std::string_view refuse_empty = "no sample of the data could be read";
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

/// Streams all samples in batches through `run`, in parallel, and their results through `take`, in order.
///
/// run(size_t slot, std::vector<Sample>&& batch, size_t real) -> Result   `real` of the batch count; see stream().
/// take(Result&&)                                                         one at a time.
/// Errors  those of `run` and `take`; an error of `run` names the first sample of its batch, except Interrupted.
template <class Result, class Run, class Take>
SampleCounts run_over(const SamplePass& pass, Run run, Take take) {
  using Batch = std::pair<size_t, Result>;
  SampleCounts counts;
  begin_progress(pass);
  const auto process = [&run](size_t slot, std::vector<Sample>&& batch, size_t real) {
    const std::string name = batch.front().name;
    try {
      return Batch(real, run(slot, std::move(batch), real));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted) throw;
      throw error.in("sample '" + name + "'");
    }
  };
  const auto finish = [&](size_t, Batch&& batch) {
    take(std::move(batch.second));
    show_progress(pass, counts.samples += batch.first);
  };
  counts.skipped = stream<Batch>(pass.source, stream_options(pass), process, finish).skipped;
  end_progress(pass, counts);
  return counts;
}

}  // namespace detent
