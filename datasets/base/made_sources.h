#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// Samples that functions name and read. Many threads call both at once.
class ReadSource final : public DataSource {
 public:
  using Name = std::function<std::string(size_t)>;
  using Read = std::function<Sample(size_t)>;

  /// read  gives all of a sample except its index and its name.
  ReadSource(size_t count, Name name, Read read) : count_(count), name_(std::move(name)), read_(std::move(read)) {}
  [[nodiscard]] size_t size() const override { return count_; }
  [[nodiscard]] std::string sample_name(size_t i) const override { return name_(i); }
  [[nodiscard]] Sample read(size_t i) const override {
    Sample sample = read_(i);
    sample.index = i, sample.name = name_(i);
    return sample;
  }

 private:
  size_t count_;
  Name name_;
  Read read_;
};

/// Names samples "sample 1", "sample 2" ...
[[nodiscard]] inline std::string number_name(size_t i) { return "sample " + std::to_string(i + 1); }

/// Names samples "FILE[0]", "FILE[1]" ...
[[nodiscard]] inline ReadSource::Name names_in(std::string file) {
  return [file = std::move(file)](size_t i) { return file + "[" + std::to_string(i) + "]"; };
}

/// Makes a source of files below `root`, one sample each, named as in `names`.
[[nodiscard]] inline std::unique_ptr<DataSource> decoded_files(
    const std::filesystem::path& root, std::vector<std::string> names,
    std::function<Sample(const std::filesystem::path&)> decode) {
  const auto held = std::make_shared<const std::vector<std::string>>(std::move(names));
  return std::make_unique<ReadSource>(
      held->size(), [held](size_t i) { return (*held)[i]; },
      [held, root, decode = std::move(decode)](size_t i) { return decode(root / (*held)[i]); });
}

/// A source made of another one. A wrapper overrides what it changes; the rest is the other source's.
class WrappedSource : public DataSource {
 public:
  explicit WrappedSource(std::shared_ptr<const DataSource> source) : source_(std::move(source)) {}
  /// `source` must outlive this object.
  explicit WrappedSource(const DataSource& source) : source_(std::shared_ptr<const DataSource>(), &source) {}

  [[nodiscard]] size_t size() const override { return source_->size(); }
  [[nodiscard]] std::string sample_name(size_t i) const override { return source_->sample_name(i); }
  [[nodiscard]] Sample read(size_t i) const override { return source_->read(i); }
  [[nodiscard]] size_t batch() const override { return source_->batch(); }

 private:
  std::shared_ptr<const DataSource> source_;
};

/// The same samples, each changed or refused by a function, which many threads call at once.
class ChangedSource final : public WrappedSource {
 public:
  using Change = std::function<void(Sample& sample, size_t i)>;
  ChangedSource(std::shared_ptr<const DataSource> source, Change change)
      : WrappedSource(std::move(source)), change_(std::move(change)) {}
  [[nodiscard]] Sample read(size_t i) const override {
    Sample sample = WrappedSource::read(i);
    change_(sample, i);
    return sample;
  }

 private:
  Change change_;
};

/// Some samples of another source, in any order. Names and `Sample::index` stay those of the other source.
class SampleSubset final : public WrappedSource {
 public:
  /// `source` must outlive this object; every index lies below its size.
  SampleSubset(const DataSource& source, std::vector<size_t> indices)
      : WrappedSource(source), indices_(std::move(indices)) {}
  SampleSubset(std::shared_ptr<const DataSource> source, std::vector<size_t> indices)
      : WrappedSource(std::move(source)), indices_(std::move(indices)) {}
  [[nodiscard]] size_t size() const override { return indices_.size(); }
  [[nodiscard]] std::string sample_name(size_t i) const override { return WrappedSource::sample_name(indices_[i]); }
  [[nodiscard]] Sample read(size_t i) const override { return WrappedSource::read(indices_[i]); }

 private:
  std::vector<size_t> indices_;
};

/// Returns the same samples, counted by their place here.
[[nodiscard]] inline std::unique_ptr<DataSource> numbered_anew(std::shared_ptr<const DataSource> source) {
  return std::make_unique<ChangedSource>(std::move(source), [](Sample& sample, size_t i) { sample.index = i; });
}

}  // namespace detent
