#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// A layer's output whose channels are compared.
struct ChannelsOf {
  std::string value;
  size_t from_right = 0;                 ///< axes behind the one that counts channels
  std::map<ValueId, Range> ranges = {};  ///< of the pairs behind it, by value of the reference: elements beyond are cut
};

/// Returns for each channel of a value the shift that minimizes the squared error behind the activation that reads it,
/// to first order: sum of w * (reference - variant) over the sum of w, where w is the squared slope of the activation
/// in the reference, or 1 where no single activation follows. Elements that a Relu cuts or the pair behind it clips
/// have w = 0: with percentile ranges their large errors would shift all others.
///
/// Sums in double, in the order of the samples: threads change nothing. All w = 0 -> 0.
/// Returns  one number a channel; nullopt where the channels change between samples, or where the value is not float.
/// Errors   those of reading and running; Internal when a model has no such value.
[[nodiscard]] std::optional<std::vector<double>> channel_errors(const Model& reference, const Model& variant,
                                                                const ChannelsOf& channels, const DataSource& source,
                                                                const RunSettings& settings);

}  // namespace detent
