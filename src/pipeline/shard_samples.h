#pragma once

#include <memory>

#include "detent/data_source.h"
#include "model/graph/graph.h"

namespace detent {

/// The samples of one shard.
struct ShardSamples {
  std::unique_ptr<DataSource> own;    ///< empty where there are more shards than samples
  std::unique_ptr<DataSource> whole;  ///< all samples, where `own` is empty; else null
  /// A source that is not empty: what samples look like.
  [[nodiscard]] const DataSource& shown() const { return whole ? *whole : *own; }
};

/// Opens what `data` selects. More shards than samples are no error: a job array is made before anybody counts images.
/// Errors  those of open_samples, but for an empty shard.
[[nodiscard]] ShardSamples open_shard(const DataOptions& data, const Graph& graph);

}  // namespace detent
