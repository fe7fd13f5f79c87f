#include "datasets/npz_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "datasets/image_folder.h"
#include "datasets/natural_order.h"
#include "datasets/npz.h"
#include "detent/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

bool has_npz_extension(const fs::path& path) { return lower_extension(path) == ".npz"; }

class NpzFolder final : public DataSource {
 public:
  explicit NpzFolder(const SourceRequest& request)
      : root_(request.src), inputs_(request.inputs.begin(), request.inputs.end()) {
    for (std::string& name : files_below(root_, has_npz_extension)) {
      Entry entry{std::move(name), size_, 1, {}};
      try {
        entry.samples = open(entry)->size();
      } catch (const Error& error) {
        entry.failure = error;
      }
      size_ += entry.samples;
      entries_.push_back(std::move(entry));
    }
    if (std::ranges::all_of(entries_, [](const Entry& entry) { return entry.failure.has_value(); }))
      throw Error(*entries_.front().failure);
  }
  size_t size() const override { return size_; }
  std::string sample_name(size_t i) const override {
    const Entry& entry = entry_of(i);
    return entry.samples == 1 ? entry.name : entry.name + "[" + std::to_string(i - entry.first) + "]";
  }
  Sample read(size_t i) const override {
    const Entry& entry = entry_of(i);
    if (entry.failure) throw *entry.failure;
    const auto file = open(entry);
    if (file->size() != entry.samples)
      throw Error(ErrorCode::InvalidData, (root_ / entry.name).string() + ": the file changed while it was in use");
    Sample sample = file->read(i - entry.first);
    sample.index = i;
    sample.name = sample_name(i);
    return sample;
  }

 private:
  struct Entry {
    std::string name;
    size_t first, samples;
    std::optional<Error> failure;
  };
  /// Not kept: a folder may hold more files than a process may have open.
  [[nodiscard]] std::unique_ptr<DataSource> open(const Entry& entry) const {
    return open_npz({(root_ / entry.name).string(), inputs_, {}});
  }
  [[nodiscard]] const Entry& entry_of(size_t i) const {
    const auto after = std::ranges::upper_bound(entries_, i, {}, &Entry::first);
    return *(after - 1);
  }

  fs::path root_;
  std::vector<FeedInput> inputs_;
  std::vector<Entry> entries_;
  size_t size_ = 0;
};

}  // namespace

bool is_npz_folder(const std::string& src) {
  return fs::is_directory(src) && !files_below(src, has_npz_extension).empty() &&
         files_below(src, has_image_extension).empty();
}

std::unique_ptr<DataSource> open_npz_folder(const SourceRequest& request) {
  return std::make_unique<NpzFolder>(request);
}

}  // namespace detent
