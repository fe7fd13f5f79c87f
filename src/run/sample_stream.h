#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/progress.h"

namespace detent {

struct StreamOptions {
  size_t threads = 1;     ///< 0: all cores
  size_t group_size = 1;  ///< samples delivered together: the model's fixed batch
  /// An incomplete last group is left out with a warning, filled by repeating its last sample, or stays short.
  enum class LastGroup : uint8_t { Drop, Fill, Short } last_group = LastGroup::Drop;
  bool skip_bad_data = false;  ///< count and pass over samples whose reading ends in InvalidData
  Reporter* reporter = &Reporter::silent();
};

struct StreamStatistics {
  size_t skipped = 0;  ///< samples that could not be read
  size_t dropped = 0;  ///< samples of an incomplete last group
};

/// Samples that are processed together; `real` of them count, the rest repeat the last.
struct SampleGroup {
  std::vector<Sample> samples;
  size_t real = 0;
};

/// Does what stream() does, with its result type behind a pointer.
[[nodiscard]] StreamStatistics stream_groups(
    const DataSource& source, const StreamOptions& options,
    const std::function<std::shared_ptr<void>(size_t slot, SampleGroup&& group)>& process,
    const std::function<void(size_t group_index, const std::shared_ptr<void>& result)>& finish);

/// Streams every sample of `source` through `process`: decoding runs beside execution on the same `threads` threads, at
/// most 2 * threads samples, or threads + 1 groups, are in memory however many there are. Results arrive in order.
///
/// process(slot, std::vector<Sample>&& group, size_t real) -> Result   in parallel; `slot` < threads is unique among
/// running calls.
/// finish(size_t group_index, Result&&)   one at a time, in ascending order.
/// Groups  consecutive samples; skipped samples leave no gap, so that groups stay full.
/// Stop    once stop_requested(), no further sample is begun; finish is still called for every group whose process()
///         returned, and Interrupted is thrown.
/// Empty   no sample -> nothing is called.
/// Errors  those of reading, process and finish, as thrown; of several the one of the lowest sample, whatever the
/// number
///         of threads.
template <class Result, class Process, class Finish>
StreamStatistics stream(const DataSource& source, const StreamOptions& options, Process process, Finish finish) {
  return stream_groups(
      source, options,
      [&process](size_t slot, SampleGroup&& group) -> std::shared_ptr<void> {
        return std::make_shared<Result>(process(slot, std::move(group.samples), group.real));
      },
      [&finish](size_t index, const std::shared_ptr<void>& result) {
        finish(index, std::move(*static_cast<Result*>(result.get())));
      });
}

}  // namespace detent
