#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "equalize/channel_range.h"

namespace detent {

/// Runs every sample of `source` once and returns the extremes of each channel.
/// axes  values to watch, and the axis that counts channels. None -> nothing is run.
/// Same samples, any order, any number of threads: same ranges.
/// Errors  InvalidData when there is no sample or a value's channels change from sample to sample; those of running;
/// Interrupted.
[[nodiscard]] ChannelRanges channel_ranges_of(const Graph& graph, const std::map<ValueId, int>& axes,
                                              const DataSource& source, const RunSettings& settings);

}  // namespace detent
