#include "datasets/npz.h"

#include <fcntl.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/files/reach.h"
#include "core/files/temporary.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "core/system_reason.h"
#include "core/text.h"
#include "datasets/base/made_sources.h"
#include "datasets/base/natural_order.h"
#include "datasets/image_folder.h"
#include "datasets/npy_source.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = 1 << 16;

[[noreturn]] void refuse_npz(const std::string& file, const std::string& what, std::string hint = {}) {
  throw Error(ErrorCode::InvalidData, file + ": " + what, std::move(hint));
}

/// Opens a file without a name, gone when it is closed.
int file_to_unpack_into(const std::string& label) {
  try {
    return open_temporary_file();
  } catch (const Error& error) {
    throw error.in(label + ": the array is compressed and cannot be unpacked");
  }
}

void write_all(int descriptor, const char* data, size_t bytes, const std::string& file) {
  while (bytes > 0) {
    const ssize_t put = ::write(descriptor, data, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) refuse_npz(file, with_system_reason("cannot unpack into a temporary file"));
    data += put;
    bytes -= as_index(put);
  }
}

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

}  // namespace

/// The source of bytes for libzip: the file, and the place of its last read.
struct NpzFile::Archive {
  std::shared_ptr<const FileBytes> bytes;
  uint64_t at = 0, last_read = 0;
  zip_error_t error{};
  zip_t* zip = nullptr;

  explicit Archive(const fs::path& path) : bytes(FileBytes::open(path)) { zip_error_init(&error); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (zip) zip_discard(zip);
    zip_error_fini(&error);
  }

  zip_int64_t read(void* out, uint64_t wanted) {
    const uint64_t taken = std::min(wanted, bytes->size() - at);
    try {
      bytes->read(at, out, taken);
    } catch (const Error&) {
      zip_error_set(&error, ZIP_ER_READ, EIO);
      return -1;
    }
    last_read = at;
    at += taken;
    return static_cast<zip_int64_t>(taken);
  }

  static zip_int64_t answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& archive = *static_cast<Archive*>(self);
    switch (command) {
      case ZIP_SOURCE_OPEN: archive.at = 0; return 0;
      case ZIP_SOURCE_READ: return archive.read(data, length);
      case ZIP_SOURCE_TELL: return static_cast<zip_int64_t>(archive.at);
      case ZIP_SOURCE_SEEK: {
        const auto to = zip_source_seek_compute_offset(archive.at, archive.bytes->size(), data, length, &archive.error);
        if (to < 0) return -1;
        archive.at = static_cast<uint64_t>(to);
        return 0;
      }
      case ZIP_SOURCE_STAT: {
        auto& stat = *static_cast<zip_stat_t*>(data);
        zip_stat_init(&stat);
        stat.valid = ZIP_STAT_SIZE;
        stat.size = archive.bytes->size();
        return sizeof stat;
      }
      case ZIP_SOURCE_ERROR: return zip_error_to_data(&archive.error, data, length);
      case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_SEEKABLE;
      default: return 0;
    }
  }
};

namespace {

/// Unpacks the array of `member` and checks its length and checksum.
NpyFile unpacked(zip_file_t& member, uint64_t length, uint64_t packed, const std::string& label) {
  // Deflate makes at most 258 bytes of two bits: a larger claim is cut short or damaged, or meant to fill the disk.
  constexpr uint64_t kMostDeflated = 1032;
  if (length / kMostDeflated > packed)
    refuse_npz(label,
               "claims " + memory_text(length) + ", which " + std::to_string(packed) + " compressed bytes cannot hold");
  check_memory(length, [&] { return label + ": the array"; });
  const int descriptor = file_to_unpack_into(label);
  try {
    std::vector<char> block(kBlock);
    uint64_t done = 0;
    for (zip_int64_t got = 1; got > 0; done += static_cast<uint64_t>(got)) {
      got = zip_fread(&member, block.data(), block.size());
      if (got < 0)
        refuse_npz(label,
                   std::string("the array is damaged, its length or checksum is wrong: ") + zip_file_strerror(&member));
      if (done + static_cast<uint64_t>(got) > length)
        refuse_npz(label, "the compressed data is longer than the archive says");
      write_all(descriptor, block.data(), as_index(got), label);
    }
    if (done != length) refuse_npz(label, "the compressed data is cut short");
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  return NpyFile(std::make_shared<const FileBytes>(descriptor, label), 0, length, label);
}

/// Fits the last of the arrays of a .npz.
/// fits  of those before it
ArrayFit fit_last(const std::string& src, const NpyFile& array, const std::vector<FeedInput>& inputs,
                  const std::vector<ArrayFit>& fits) {
  const FeedInput& input = inputs[fits.size()];
  ArrayFit fit;
  try {
    fit = fit_array(array.shape(), input);
  } catch (const Error& error) {
    throw error.in(array.name());
  }
  if (fit.samples == 0) refuse_npz(array.name(), "the array holds no samples");
  if (!fits.empty() && fit.samples != fits.front().samples)
    refuse_npz(src,
               "input '" + inputs.front().spec.name + "' has " + std::to_string(fits.front().samples) + " samples, '" +
                   input.spec.name + "' has " + std::to_string(fit.samples),
               "give every array as many; where a file is one sample of the whole batch, --batch-axis NAME=none for " +
                   std::string(inputs.size() > 1 ? "each of " : "") +
                   listed(inputs, 5, [](const FeedInput& one) { return "'" + one.spec.name + "'"; }));
  return fit;
}

bool has_npz_extension(const fs::path& path) { return lower_extension(path) == ".npz"; }

}  // namespace

NpzFile::NpzFile(const fs::path& path) : archive_(std::make_shared<Archive>(path)) {
  const std::string& file = archive_->bytes->name();
  if (archive_->bytes->size() == 0) refuse_npz(file, "the file is empty (0 bytes)");
  zip_source_t* source = zip_source_function_create(&Archive::answer, archive_.get(), &archive_->error);
  if (source) archive_->zip = zip_open_from_source(source, ZIP_RDONLY, &archive_->error);
  if (!archive_->zip) {
    zip_source_free(source);
    if (zip_error_code_zip(&archive_->error) == ZIP_ER_NOZIP)
      refuse_npz(file, "not a .npz file, or cut short: the zip directory at its end is missing");
    refuse_npz(file, std::string("the zip directory is damaged: ") + zip_error_strerror(&archive_->error));
  }
  const zip_int64_t count = zip_get_num_entries(archive_->zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* raw = zip_get_name(archive_->zip, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    std::string name = raw ? raw : "";
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    members_.push_back({std::move(name), static_cast<uint64_t>(i)});
  }
  if (members_.empty()) refuse_npz(file, "the archive holds no arrays");
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.name);
  return names;
}

NpyFile NpzFile::open(const std::string& name) const {
  for (const Member& member : members_)
    if (member.name == name) return open_member(member);
  refuse_npz(archive_->bytes->name(), "holds no array named '" + name + "'; its arrays are " + join(names()));
}

NpyFile NpzFile::open_member(const Member& member) const {
  const FileBytes& bytes = *archive_->bytes;
  const std::string label = bytes.name() + "[" + member.name + "]";
  zip_stat_t stat;
  if (zip_stat_index(archive_->zip, member.index, ZIP_FL_ENC_RAW, &stat) != 0)
    refuse_npz(label, std::string("the zip directory is damaged: ") + zip_strerror(archive_->zip));
  if (stat.encryption_method != ZIP_EM_NONE) refuse_npz(label, "the array is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    refuse_npz(label,
               "is compressed by method " + std::to_string(stat.comp_method) + "; stored and deflated are supported");
  const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen_index(archive_->zip, member.index, 0));
  if (!file) refuse_npz(label, std::string("the zip header is damaged: ") + zip_strerror(archive_->zip));
  if (stat.comp_method == ZIP_CM_DEFLATE) return unpacked(*file, stat.size, stat.comp_size, label);
  // libzip does not tell the place of a member: a first read shows it.
  char first;
  const uint64_t begin = zip_fread(file.get(), &first, 1) == 1 ? archive_->last_read : 0;
  if (stat.size > bytes.size() - begin) refuse_npz(label, "the file is cut short");
  return NpyFile(archive_->bytes, begin, stat.size, label);
}

bool is_npz(const std::string& src) { return lower_extension(src) == ".npz" && !is_folder(src); }

std::unique_ptr<DataSource> open_npz(const SourceRequest& request) {
  const std::vector<FeedInput> inputs(request.inputs.begin(), request.inputs.end());
  const NpzFile archive(request.src);
  const auto names = archive.names();
  std::vector<NpyFile> arrays;
  std::vector<ArrayFit> fits;
  for (const FeedInput& input : inputs) {
    std::string array = input.spec.name;
    if (std::find(names.begin(), names.end(), array) == names.end()) {
      if (inputs.size() != 1 || names.size() != 1)
        refuse_npz(request.src, "holds no array named after the input '" + array + "'; its arrays are " + join(names),
                   "name the arrays as the model's inputs: numpy.savez(file, **{'" + array + "': ...})");
      array = names.front();
    }
    arrays.push_back(archive.open(array));
    fits.push_back(fit_last(request.src, arrays.back(), inputs, fits));
  }
  const auto read = [=](size_t i) {
    Sample sample;
    for (size_t k = 0; k < inputs.size(); ++k) add_array(sample, read_sample(arrays[k], fits[k], i, inputs[k]));
    return sample;
  };
  return std::make_unique<ReadSource>(fits.front().samples, names_in(fs::path(request.src).filename().string()), read);
}

bool is_npz_folder(const std::string& src) {
  return is_folder(src) && !files_below(src, has_npz_extension).empty() &&
         files_below(src, has_image_extension).empty();
}

std::unique_ptr<DataSource> open_npz_folder(const SourceRequest& request) {
  const std::vector<FeedInput> inputs(request.inputs.begin(), request.inputs.end());
  return open_files(request.src, files_below(request.src, has_npz_extension), [inputs](const fs::path& path) {
    return open_npz({path.string(), inputs, {}});
  });
}

}  // namespace detent
