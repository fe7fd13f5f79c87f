#pragma once

#include <algorithm>
#include <climits>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/files/mapped_file.h"
#include "model/graph/graph.h"
#include "rewrite/weight_quantizer.h"

namespace detent {

/// A cache of quantized weights for many plans of one graph. For use by one thread at a time.
class WeightMemo {
 public:
  struct Entry {
    WeightOptions options;
    QuantizedWeight quantized;
  };
  /// Returns the result of quantize_weight() for the value `id`, which is `weight`.
  /// Errors  those of quantize_weight().
  QuantizedWeight get(ValueId id, const Tensor& weight, int axis, const WeightOptions& options) {
    std::vector<Entry>& entries = entries_[{id, axis}];
    for (const Entry& entry : entries)
      if (serves(entry, options)) return entry.quantized;
    QuantizedWeight quantized = quantize_weight(weight, axis, options);
    quantized.codes = shared_by_models(std::move(quantized.codes));
    return entries.emplace_back(Entry{options, std::move(quantized)}).quantized;
  }

  /// Returns the results of get() for the value `id`, by axis; one entry for each set of options with another result.
  [[nodiscard]] std::vector<std::pair<int, const Entry*>> entries_of(ValueId id) const {
    std::vector<std::pair<int, const Entry*>> found;
    for (auto at = entries_.lower_bound({id, INT_MIN}); at != entries_.end() && at->first.first == id; ++at)
      for (const Entry& entry : at->second) found.emplace_back(at->first.second, &entry);
    return found;
  }

 private:
  /// True when the entry holds for the options. Bounds below every scale change nothing: those of INT32 biases differ
  /// from model to model but rarely take effect.
  static bool serves(const Entry& entry, const WeightOptions& options) {
    if (entry.options == options) return true;
    const auto unbound = [](WeightOptions bound) {
      bound.least_scale.clear();
      bound.zero_scale.clear();
      return bound;
    };
    const QuantizedWeight& known = entry.quantized;
    return known.raised == 0 && known.zero_channels == 0 && unbound(entry.options) == unbound(options) &&
           std::ranges::equal(options.least_scale, std::span(known.qparams.scale).first(options.least_scale.size()),
                              std::ranges::less_equal());
  }

  std::map<std::pair<ValueId, int>, std::vector<Entry>> entries_;
};

}  // namespace detent
