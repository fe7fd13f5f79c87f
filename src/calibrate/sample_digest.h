#pragma once

#include <span>
#include <string>

#include "observe/calibration_table.h"

namespace detent {

/// Of the samples' names and contents, which are sorted: order, threads and shards change nothing. "" without samples.
[[nodiscard]] std::string sample_digest(std::span<const TableSample> samples);

}  // namespace detent
