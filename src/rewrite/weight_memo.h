#pragma once

#include <map>
#include <vector>

#include "model/graph/graph.h"
#include "rewrite/weight_quantizer.h"

namespace detent {

/// Weights that were quantized before, for many plans of one graph. Used by one thread at a time.
class WeightMemo {
 public:
  /// The result of quantize_weight() for the value `id`, which is `weight`. Errors  those of quantize_weight().
  QuantizedWeight get(ValueId id, const Tensor& weight, int axis, const WeightOptions& options) {
    std::vector<Entry>& entries = entries_[{id, axis}];
    for (const Entry& entry : entries)
      if (entry.options == options) return entry.quantized;
    return entries.emplace_back(Entry{options, quantize_weight(weight, axis, options)}).quantized;
  }

 private:
  struct Entry {
    WeightOptions options;
    QuantizedWeight quantized;
  };
  std::map<std::pair<ValueId, int>, std::vector<Entry>> entries_;
};

}  // namespace detent
