#pragma once

#include <map>
#include <string>
#include <vector>

#include "detent/detent.h"
#include "model/model.h"

namespace detent {

/// Mean of each channel over samples and positions, in double, added in the order of the samples: threads change nothing.
/// axes_from_right  how many axes lie behind the one that counts channels, by name of the value.
/// A value whose channels change from sample to sample, or that is no float, is left out.
/// Errors  those of reading and running; Internal when the model has no such value.
[[nodiscard]] std::map<std::string, std::vector<double>> channel_means(
    const Model& model, const std::map<std::string, size_t>& axes_from_right, const DataSource& source,
    const RunSettings& settings);

}  // namespace detent
