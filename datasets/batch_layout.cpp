#include "datasets/batch_layout.h"

#include <algorithm>

namespace detent {

namespace {

class BatchedSource final : public DataSource {
 public:
  BatchedSource(std::unique_ptr<DataSource> source, std::vector<int> axes, size_t batch)
      : source_(std::move(source)), axes_(std::move(axes)), batch_(batch) {}

  size_t size() const override { return source_->size(); }
  std::string sample_name(size_t i) const override { return source_->sample_name(i); }
  Sample read(size_t i) const override {
    Sample sample = source_->read(i);
    sample.batch_axes = axes_;
    return sample;
  }
  size_t batch() const override { return batch_; }

 private:
  std::unique_ptr<DataSource> source_;
  std::vector<int> axes_;
  size_t batch_;
};

/// The first extent that all inputs fix; 1 where they differ, -1 where all are open.
int64_t common_first_extent(std::span<const InputSpec> inputs) {
  int64_t common = -1;
  for (const InputSpec& input : inputs) {
    if (input.shape.empty() || input.shape[0] < 1) continue;
    if (common > 0 && common != input.shape[0]) return 1;
    common = input.shape[0];
  }
  return common;
}

}  // namespace

std::vector<FeedInput> feed_inputs(std::span<const InputSpec> inputs) {
  const int64_t common = common_first_extent(inputs);
  std::vector<FeedInput> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<int64_t>& shape = inputs[i].shape;
    const bool leads = !shape.empty() && (shape[0] < 0 || shape[0] == 1 || shape[0] == common);
    result.push_back({inputs[i], i, inputs[i].batch_axis.value_or(leads ? 0 : kNoBatchAxis)});
  }
  return result;
}

size_t group_size(std::span<const InputSpec> inputs) {
  std::optional<int64_t> fixed;
  for (const FeedInput& input : feed_inputs(inputs)) {
    if (input.batch_axis == kNoBatchAxis) continue;
    const int64_t extent = input.spec.shape[static_cast<size_t>(input.batch_axis)];
    if (extent < 1) continue;
    if (fixed && *fixed != extent) return 1;
    fixed = extent;
  }
  return static_cast<size_t>(fixed.value_or(1));
}

std::unique_ptr<DataSource> with_batch_layout(std::unique_ptr<DataSource> source, std::span<const InputSpec> inputs) {
  std::vector<int> axes;
  for (const FeedInput& input : feed_inputs(inputs)) axes.push_back(input.batch_axis);
  return std::make_unique<BatchedSource>(std::move(source), std::move(axes), group_size(inputs));
}

}  // namespace detent
