#pragma once

#include <climits>
#include <map>
#include <utility>
#include <vector>

#include "core/files/mapped_file.h"
#include "model/graph/graph.h"
#include "rewrite/weight_quantizer.h"

namespace detent {

/// Weights that were quantized before, for many plans of one graph. Used by one thread at a time.
class WeightMemo {
 public:
  struct Entry {
    WeightOptions options;
    QuantizedWeight quantized;
  };
  /// The result of quantize_weight() for the value `id`, which is `weight`. Errors  those of quantize_weight().
  QuantizedWeight get(ValueId id, const Tensor& weight, int axis, const WeightOptions& options) {
    std::vector<Entry>& entries = entries_[{id, axis}];
    for (const Entry& entry : entries)
      if (entry.options == options) return entry.quantized;
    QuantizedWeight quantized = quantize_weight(weight, axis, options);
    quantized.codes = shared_by_models(std::move(quantized.codes));
    return entries.emplace_back(Entry{options, std::move(quantized)}).quantized;
  }

  /// What get() gave for the value `id`, by axis; one entry for each of the options it was asked with.
  [[nodiscard]] std::vector<std::pair<int, const Entry*>> entries_of(ValueId id) const {
    std::vector<std::pair<int, const Entry*>> found;
    for (auto at = entries_.lower_bound({id, INT_MIN}); at != entries_.end() && at->first.first == id; ++at)
      for (const Entry& entry : at->second) found.emplace_back(at->first.second, &entry);
    return found;
  }

 private:
  std::map<std::pair<ValueId, int>, std::vector<Entry>> entries_;
};

}  // namespace detent
