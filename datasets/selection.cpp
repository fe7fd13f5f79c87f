#include "datasets/selection.h"

#include <algorithm>
#include <numeric>

#include "datasets/synthetic.h"
#include "detent/error.h"

namespace detent {

namespace {

class SelectedSource final : public DataSource {
 public:
  SelectedSource(std::unique_ptr<DataSource> source, std::vector<size_t> chosen)
      : source_(std::move(source)), chosen_(std::move(chosen)) {}

  size_t size() const override { return chosen_.size(); }
  std::string sample_name(size_t i) const override { return source_->sample_name(chosen_[i]); }
  Sample read(size_t i) const override {
    Sample sample = source_->read(chosen_[i]);
    sample.index = i;
    return sample;
  }
  size_t batch() const override { return source_->batch(); }

 private:
  std::unique_ptr<DataSource> source_;
  std::vector<size_t> chosen_;
};

}  // namespace

std::unique_ptr<DataSource> select_samples(std::unique_ptr<DataSource> source, const DataOptions& options) {
  const std::string shard = std::to_string(options.shard_index) + "/" + std::to_string(options.shard_count);
  if (options.shard_index < 1 || options.shard_index > options.shard_count)
    throw Error(ErrorCode::Usage, "--shard " + shard + " makes no sense: I/N with I from 1 to N is wanted");
  if (options.limit == size_t{0}) throw Error(ErrorCode::Usage, "--limit 0 leaves no samples");
  if (!options.shuffle && !options.limit && options.shard_count == 1) return source;
  std::vector<size_t> order(source->size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (options.shuffle) {
    RandomBits bits(*options.shuffle);
    for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[bits.below(left)]);
  }
  if (options.limit && *options.limit < order.size()) {
    const size_t all = order.size(), kept = *options.limit;
    for (size_t i = 0; options.spread && i < kept; ++i) order[i] = order[i * all / kept];
    order.resize(kept);
  }
  std::vector<size_t> chosen;
  for (size_t i = 0; i < order.size(); ++i)
    if (i / source->batch() % options.shard_count == options.shard_index - 1) chosen.push_back(order[i]);
  if (chosen.empty())
    throw Error(ErrorCode::InvalidData,
                "--shard " + shard + " of " + std::to_string(order.size()) + " samples is empty");
  return std::make_unique<SelectedSource>(std::move(source), std::move(chosen));
}

}  // namespace detent
