#include "calibrate/sample_tracker.h"

#include <algorithm>

#include "core/files/content_hash.h"
#include "detent/base/error.h"

namespace detent {

namespace {

TableSample identity(const Sample& sample) {
  ContentHash hash;
  for (const Tensor& input : sample.inputs) {
    hash.add_text(name_of(input.type()));
    hash.add_number(input.shape().rank());
    for (const int64_t extent : input.shape()) hash.add_number(static_cast<uint64_t>(extent));
    hash.add({static_cast<const std::byte*>(input.raw()), input.byte_count()});
  }
  return {sample.name, hash.digest()};
}

constexpr const char* kBeginAgain = "begin again without --resume, or give the data and options of the interrupted run";
constexpr const char* kOther = "give the data of that table, --overwrite to replace it, or another name";

}  // namespace

SampleTracker::SampleTracker(std::span<const TableSample> done, Others others) : known_(done.size()), others_(others) {
  for (const TableSample& sample : done) ++open_[sample];
}

std::vector<TableSample> SampleTracker::identify(std::span<const Sample> batch) {
  std::vector<TableSample> samples;
  for (const Sample& sample : batch) samples.push_back(identity(sample));
  return samples;
}

bool SampleTracker::measured_before(std::span<const TableSample> batch) {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::count_if(batch, [&](const TableSample& sample) { return open_.contains(sample); });
  if (known == 0 && others_ == Others::Refused)
    throw Error(ErrorCode::TableMismatch, "is not among the samples of the table that is there, which is complete",
                kOther);
  if (known == 0) return false;
  if (static_cast<size_t>(known) != batch.size())
    throw Error(ErrorCode::TableMismatch,
                "sample '" + batch.front().name + "' was not measured together with the same samples before",
                kBeginAgain);
  for (const TableSample& sample : batch) {
    const auto found = open_.find(sample);
    if (found != open_.end() && --found->second == 0) open_.erase(found);
  }
  return true;
}

void SampleTracker::add(std::span<const TableSample> batch, std::span<const size_t> indices) {
  const std::scoped_lock lock(mutex_);
  for (size_t i = 0; i < batch.size(); ++i) added_.push_back({batch[i], indices[i]});
}

std::string SampleTracker::name_of(size_t index) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(added_, index, &Added::index);
  return found == added_.end() ? std::string() : found->sample.name;
}

std::vector<SampleTracker::Added> SampleTracker::added() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Added> sorted = added_;
  std::ranges::sort(sorted);
  return sorted;
}

void SampleTracker::check_all_came_up() const {
  const std::scoped_lock lock(mutex_);
  if (open_.empty()) return;
  throw Error(ErrorCode::TableMismatch,
              "sample '" + open_.begin()->first.name + "' was measured before, but is not in the data" +
                  (open_.size() > 1 ? ", nor are " + std::to_string(open_.size() - 1) + " more" : ""),
              others_ == Others::Refused ? kOther : kBeginAgain);
}

std::string sample_digest(std::span<const TableSample> samples) {
  if (samples.empty()) return {};
  ContentHash hash;
  hash.add_number(samples.size());
  for (const TableSample& sample : samples) {
    hash.add_text(sample.name);
    hash.add_number(sample.content.first);
    hash.add_number(sample.content.second);
  }
  return hash.digest().hex();
}

}  // namespace detent
