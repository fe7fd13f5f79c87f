#include "datasets/npy_source.h"

#include <algorithm>
#include <optional>

#include "core/files/reach.h"
#include "core/index.h"
#include "datasets/audio_folder.h"
#include "datasets/base/made_sources.h"
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

/// Opens the samples of one .npy.
std::unique_ptr<DataSource> samples_of(const NpyFile& file, const fs::path& path, const FeedInput& input) {
  const ArrayFit fit = fit_file(file, input);
  const auto name = [path = path.filename().string(), fit](size_t i) { return name_in_file(path, fit.samples, i); };
  return std::make_unique<ReadSource>(fit.samples, name, [file, fit, input](size_t i) {
    Sample sample;
    add_array(sample, read_sample(file, fit, i, input));
    return sample;
  });
}

/// One of several files.
struct FileEntry {
  std::string name;
  size_t first, samples;  // of all
  std::optional<Error> failure;
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
  const NpyFile file(request.src);
  auto source = samples_of(file, request.src, request.inputs.front());
  if (source->size() == 0)
    throw Error(ErrorCode::InvalidData,
                request.src + ": the array holds no samples (shape " + file.shape().to_string() + ")");
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
                    [input](const fs::path& path) { return samples_of(NpyFile(path), path, input); });
}

std::unique_ptr<DataSource> open_files(const fs::path& root, std::vector<std::string> names, OpenFile open) {
  const auto entries = std::make_shared<std::vector<FileEntry>>();
  size_t size = 0;
  for (std::string& name : names) {
    FileEntry entry{std::move(name), size, 1, {}};
    try {
      entry.samples = open(root / entry.name)->size();
    } catch (const Error& error) {
      entry.failure = error;
    }
    size += entry.samples;
    entries->push_back(std::move(entry));
  }
  if (size == 0) throw Error(ErrorCode::InvalidData, root.string() + ": the files hold no samples");
  if (std::ranges::all_of(*entries, [](const FileEntry& entry) { return entry.failure.has_value(); }))
    throw Error(*entries->front().failure);
  const auto entry_of = [entries](size_t i) -> const FileEntry& {
    return *(std::ranges::upper_bound(*entries, i, {}, &FileEntry::first) - 1);
  };
  const auto name = [entry_of](size_t i) {
    const FileEntry& entry = entry_of(i);
    return name_in_file(entry.name, entry.samples, i - entry.first);
  };
  // Each is opened for every read: a folder may hold more files than a process may have open.
  const auto read = [root, open = std::move(open), entry_of](size_t i) {
    const FileEntry& entry = entry_of(i);
    if (entry.failure) throw Error(*entry.failure);
    const auto file = open(root / entry.name);
    if (file->size() != entry.samples)
      throw Error(ErrorCode::InvalidData, (root / entry.name).string() + ": the file changed while it was in use");
    return file->read(i - entry.first);
  };
  return std::make_unique<ReadSource>(size, name, read);
}

}  // namespace detent
