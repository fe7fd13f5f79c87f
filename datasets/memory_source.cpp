#include <utility>

#include "detent/base/data_source.h"
#include "detent/base/error.h"

namespace detent {

namespace {

class CallbackSource final : public DataSource {
 public:
  CallbackSource(size_t count, std::function<std::vector<Tensor>(size_t)> read)
      : count_(count), read_(std::move(read)) {}

  size_t size() const override { return count_; }
  std::string sample_name(size_t i) const override { return "sample " + std::to_string(i + 1); }
  Sample read(size_t i) const override { return {i, sample_name(i), read_(i)}; }

 private:
  size_t count_;
  std::function<std::vector<Tensor>(size_t)> read_;
};

}  // namespace

std::shared_ptr<const DataSource> samples_from(size_t count, std::function<std::vector<Tensor>(size_t)> read) {
  return std::make_shared<CallbackSource>(count, std::move(read));
}

std::shared_ptr<const DataSource> samples_in_memory(std::vector<std::vector<Tensor>> samples) {
  for (size_t i = 1; i < samples.size(); ++i)
    if (samples[i].size() != samples[0].size())
      throw Error(ErrorCode::InvalidData, "sample " + std::to_string(i + 1) + " holds " +
                                              std::to_string(samples[i].size()) + " tensors, sample 1 " +
                                              std::to_string(samples[0].size()));
  const size_t count = samples.size();
  return samples_from(count, [held = std::move(samples)](size_t i) { return held[i]; });
}

}  // namespace detent
