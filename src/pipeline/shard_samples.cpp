#include "pipeline/shard_samples.h"

#include "detent/error.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

class NoSamples final : public DataSource {
 public:
  explicit NoSamples(size_t batch) : batch_(batch) {}
  size_t size() const override { return 0; }
  std::string sample_name(size_t) const override { throw none(); }
  Sample read(size_t) const override { throw none(); }
  size_t batch() const override { return batch_; }

 private:
  static Error none() { return {ErrorCode::Internal, "a shard without samples was asked for one"}; }
  size_t batch_;
};

}  // namespace

ShardSamples open_shard(const DataOptions& data, const Graph& graph) {
  try {
    return {open_samples(data, graph), nullptr};
  } catch (const Error& error) {
    if (data.shard_count == 1 || error.code() != ErrorCode::InvalidData) throw;
    DataOptions all = data;
    all.shard_index = all.shard_count = 1;
    auto whole = open_samples(all, graph);
    const size_t groups = (whole->size() + whole->batch() - 1) / whole->batch();
    if (data.shard_index <= groups) throw;
    return {std::make_unique<NoSamples>(whole->batch()), std::move(whole)};
  }
}

}  // namespace detent
