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
  size_t from_right = 0;  ///< axes behind the one that counts channels
  std::map<ValueId, Range> ranges =
      {};  ///< of the pairs behind it, by value of the reference: what lies beyond is cut off
};

/// By how much each channel of a value lies higher in `reference` than in `variant`: the shift that makes the squared
/// error least behind the activation that reads it, to first order: sum of w * (reference - variant) over the sum of w,
/// where w is the squared slope of the activation in the reference; w = 1 where no single activation follows. Pixels
/// that a Relu cuts off do not count, nor those that a pair behind it clips: with percentile ranges the few large ones,
/// off by much, would shift all others.
///
/// Sums in double, in the order of the samples: threads change nothing. A channel of which nothing counts -> 0.
/// Returns  one a channel; nullopt where the channels change from sample to sample, or where the value is no float.
/// Errors   those of reading and running; Internal when a model has no such value.
[[nodiscard]] std::optional<std::vector<double>> channel_errors(const Model& reference, const Model& variant,
                                                                const ChannelsOf& channels, const DataSource& source,
                                                                const RunSettings& settings);

}  // namespace detent
