#include "datasets/npy_source.h"

#include <algorithm>
#include <optional>

#include "core/files/reach.h"
#include "core/index.h"
#include "datasets/audio_folder.h"
#include "datasets/base/natural_order.h"
#include "datasets/base/npy_file.h"
#include "datasets/image_folder.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// Returns "latents.npy[12]"; the plain name when the file holds a single sample.
std::string name_in_file(const std::string& file, size_t samples, size_t row) {
  return samples > 1 ? file + "[" + std::to_string(row) + "]" : file;
}

ArrayFit fit_file(const NpyFile& file, const FeedInput& input) {
  try {
    return fit_array(file.shape(), input);
  } catch (const Error& error) {
    throw error.in(file.name());
  }
}

/// Samples of one .npy.
class NpySource final : public DataSource {
 public:
  NpySource(const fs::path& path, FeedInput input)
      : file_(path), input_(std::move(input)), fit_(fit_file(file_, input_)), name_(path.filename().string()) {}
  size_t size() const override { return fit_.samples; }
  std::string sample_name(size_t i) const override { return name_in_file(name_, fit_.samples, i); }
  Sample read(size_t i) const override {
    ArraySample one = read_sample(file_, fit_, i, input_);
    return {i, sample_name(i), {std::move(one.values)}, {}, {one.next}};
  }
  [[nodiscard]] const NpyFile& file() const { return file_; }

 private:
  NpyFile file_;
  FeedInput input_;
  ArrayFit fit_;
  std::string name_;
};

/// Samples of several files, each opened for every read: a folder may hold more files than a process may have open.
class FilesSource final : public DataSource {
 public:
  FilesSource(fs::path root, std::vector<std::string> names, OpenFile open)
      : root_(std::move(root)), open_(std::move(open)) {
    for (std::string& name : names) {
      Entry entry{std::move(name), size_, 1, {}};
      try {
        entry.samples = open_(root_ / entry.name)->size();
      } catch (const Error& error) {
        entry.failure = error;
      }
      size_ += entry.samples;
      entries_.push_back(std::move(entry));
    }
    if (size_ == 0) throw Error(ErrorCode::InvalidData, root_.string() + ": the files hold no samples");
    if (std::ranges::all_of(entries_, [](const Entry& entry) { return entry.failure.has_value(); }))
      throw Error(*entries_.front().failure);
  }
  size_t size() const override { return size_; }
  std::string sample_name(size_t i) const override {
    const Entry& entry = entry_of(i);
    return name_in_file(entry.name, entry.samples, i - entry.first);
  }
  Sample read(size_t i) const override {
    const Entry& entry = entry_of(i);
    if (entry.failure) throw *entry.failure;
    const auto file = open_(root_ / entry.name);
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
  [[nodiscard]] const Entry& entry_of(size_t i) const {
    return *(std::ranges::upper_bound(entries_, i, {}, &Entry::first) - 1);
  }

  fs::path root_;
  OpenFile open_;
  std::vector<Entry> entries_;
  size_t size_ = 0;
};

bool has_npy_extension(const fs::path& path) { return lower_extension(path) == ".npy"; }

}  // namespace

ArraySample read_sample(const NpyFile& file, const ArrayFit& fit, size_t i, const FeedInput& input) {
  if (fit.cut_axis != 0) return cut_sample(file.read(), fit, i, input);
  const auto row = as_extent(i / fit.windows), first = as_extent(i % fit.windows) * fit.window;
  if (fit.window > 0 && file.shape().rank() == 1)  // a stream: only the window is read, and the token behind it
    return cut_window(file.read_rows(first, std::min(first + fit.window + 1, file.shape()[0])), 0, fit.window, input);
  if (fit.window > 0) return cut_window(file.read_rows(row, row + 1), first, fit.window, input);
  return {shape_sample(file.read_rows(row, row + 1), fit, input), {}};
}

bool is_npy(const std::string& src) { return has_npy_extension(src) && !is_folder(src); }

std::unique_ptr<DataSource> open_npy(const SourceRequest& request) {
  auto source = std::make_unique<NpySource>(request.src, request.inputs.front());
  if (source->size() == 0)
    throw Error(ErrorCode::InvalidData,
                request.src + ": the array holds no samples (shape " + source->file().shape().to_string() + ")");
  return source;
}

bool is_npy_folder(const std::string& src) { return is_folder(src) && !files_below(src, has_npy_extension).empty(); }

std::unique_ptr<DataSource> open_npy_folder(const SourceRequest& request) {
  const auto others = files_below(
      request.src, [](const fs::path& path) { return has_image_extension(path) || has_audio_extension(path); });
  if (!others.empty())
    throw Error(ErrorCode::InvalidData,
                request.src + ": the folder holds .npy files and " +
                    (has_image_extension(others.front()) ? "images (" : "audio (") + others.front() +
                    "), so it is not clear which are meant",
                "name a folder with one kind, or a .txt list of the files");
  return open_npy_files(request.src, files_below(request.src, has_npy_extension), request.inputs.front());
}

std::unique_ptr<DataSource> open_npy_files(const fs::path& root, std::vector<std::string> names,
                                           const FeedInput& input) {
  return open_files(root, std::move(names),
                    [input](const fs::path& path) { return std::make_unique<NpySource>(path, input); });
}

std::unique_ptr<DataSource> open_files(const fs::path& root, std::vector<std::string> names, OpenFile open) {
  return std::make_unique<FilesSource>(root, std::move(names), std::move(open));
}

}  // namespace detent
