#include "datasets/npz.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/files/temporary.h"
#include "core/memory_limit.h"
#include "core/system_reason.h"
#include "core/text.h"
#include "datasets/natural_order.h"
#include "datasets/npy_source.h"
#include "detent/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kDirectorySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22;
constexpr size_t kDirectoryBytes = 46;
constexpr size_t kLocalBytes = 30;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kEncrypted = 1;
constexpr size_t kBlock = 1 << 16;

uint32_t little16(const unsigned char* at) { return at[0] | static_cast<uint32_t>(at[1]) << 8; }
uint32_t little32(const unsigned char* at) { return little16(at) | little16(at + 2) << 16; }

[[noreturn]] void refuse_npz(const std::string& file, const std::string& what, std::string hint = {}) {
  throw Error(ErrorCode::InvalidData, file + ": " + what, std::move(hint));
}

[[noreturn]] void refuse_zip64(const std::string& file) {
  refuse_npz(file, "the archive is in zip64 format (4 GiB and more), which is not supported",
             "save the arrays as separate .npy files, which are read lazily");
}

/// A file without a name, gone when it is closed.
int file_to_unpack_into(const std::string& label) {
  try {
    return open_temporary_file();
  } catch (const Error& error) {
    throw error.in(label + ": the array is compressed and cannot be unpacked");
  }
}

/// One raw deflate stream, unpacked block by block.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw Error(ErrorCode::Internal, "zlib cannot be initialised");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

void write_all(int descriptor, const unsigned char* data, size_t bytes, const std::string& file) {
  while (bytes > 0) {
    const ssize_t put = ::write(descriptor, data, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) refuse_npz(file, with_system_reason("cannot unpack into a temporary file"));
    data += put;
    bytes -= static_cast<size_t>(put);
  }
}

struct Unpacked {
  uint64_t bytes = 0;
  uLong checksum = crc32(0, nullptr, 0);
};

/// Inflates `packed` bytes at `offset` into `descriptor`, never more than `limit` bytes.
Unpacked inflate_to(const FileBytes& bytes, uint64_t offset, uint64_t packed, uint64_t limit, int descriptor,
                    const std::string& file) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::vector<unsigned char> in(kBlock);
  std::vector<unsigned char> out(kBlock);
  Unpacked result;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const auto taken = static_cast<size_t>(std::min<uint64_t>(kBlock, packed));
      if (taken == 0) refuse_npz(file, "the compressed data is cut short");
      bytes.read(offset, in.data(), taken);
      offset += taken;
      packed -= taken;
      stream.next_in = in.data();
      stream.avail_in = static_cast<uInt>(taken);
    }
    stream.next_out = out.data();
    stream.avail_out = kBlock;
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      refuse_npz(file, "the compressed data is damaged");
    const size_t got = kBlock - stream.avail_out;
    result.bytes += got;
    if (result.bytes > limit) refuse_npz(file, "the compressed data is longer than the archive says");
    result.checksum = crc32(result.checksum, out.data(), static_cast<uInt>(got));
    write_all(descriptor, out.data(), got, file);
  }
  return result;
}

class NpzSource final : public DataSource {
 public:
  explicit NpzSource(const SourceRequest& request)
      : inputs_(request.inputs.begin(), request.inputs.end()), name_(fs::path(request.src).filename().string()) {
    const NpzFile archive(request.src);
    const auto names = archive.names();
    for (const FeedInput& input : inputs_) {
      std::string array = input.spec.name;
      if (std::find(names.begin(), names.end(), array) == names.end()) {
        if (inputs_.size() != 1 || names.size() != 1)
          refuse_npz(request.src, "holds no array named after the input '" + array + "'; its arrays are " + join(names),
                     "name the arrays as the model's inputs: numpy.savez(file, **{'" + array + "': ...})");
        array = names.front();
      }
      arrays_.push_back(archive.open(array));
      fit_last(request.src);
    }
  }
  size_t size() const override { return fits_.front().samples; }
  std::string sample_name(size_t i) const override { return name_ + "[" + std::to_string(i) + "]"; }
  Sample read(size_t i) const override {
    Sample sample{i, sample_name(i), {}};
    for (size_t k = 0; k < inputs_.size(); ++k) {
      ArraySample one = read_sample(arrays_[k], fits_[k], i, inputs_[k]);
      sample.inputs.push_back(std::move(one.values));
      sample.next.push_back(one.next);
    }
    return sample;
  }

 private:
  void fit_last(const std::string& src) {
    const NpyFile& array = arrays_.back();
    try {
      fits_.push_back(fit_array(array.shape(), inputs_[arrays_.size() - 1]));
    } catch (const Error& error) {
      throw error.in(array.name());
    }
    if (fits_.back().samples == 0) refuse_npz(array.name(), "the array holds no samples");
    if (fits_.back().samples != fits_.front().samples)
      refuse_npz(src, "input '" + inputs_.front().spec.name + "' has " + std::to_string(fits_.front().samples) +
                          " samples, '" + inputs_[arrays_.size() - 1].spec.name + "' has " +
                          std::to_string(fits_.back().samples));
  }

  std::vector<FeedInput> inputs_;
  std::string name_;
  std::vector<NpyFile> arrays_;
  std::vector<ArrayFit> fits_;
};

}  // namespace

NpzFile::NpzFile(const fs::path& path) : bytes_(FileBytes::open(path)) { read_directory(); }

void NpzFile::read_directory() {
  const std::string& file = bytes_->name();
  if (bytes_->size() == 0) refuse_npz(file, "the file is empty (0 bytes)");
  // The end record stands last, before a comment of at most 65535 bytes.
  const uint64_t tail_bytes = std::min<uint64_t>(bytes_->size(), kEndBytes + 65535);
  std::vector<unsigned char> tail(tail_bytes);
  bytes_->read(bytes_->size() - tail_bytes, tail.data(), tail.size());
  size_t end = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1;
  while (end > 0 && little32(&tail[end - 1]) != kEndSignature) --end;
  if (end == 0) refuse_npz(file, "not a .npz file, or cut short: the zip directory at its end is missing");
  const unsigned char* record = &tail[end - 1];
  const uint32_t count = little16(record + 10);
  const uint32_t directory_bytes = little32(record + 12);
  const uint32_t directory_offset = little32(record + 16);
  if (count == 0xffff || directory_bytes == 0xffffffff || directory_offset == 0xffffffff) refuse_zip64(file);
  if (static_cast<uint64_t>(directory_offset) + directory_bytes > bytes_->size())
    refuse_npz(file, "the zip directory is damaged");
  std::vector<unsigned char> directory(directory_bytes);
  bytes_->read(directory_offset, directory.data(), directory.size());
  size_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (directory.size() - at < kDirectoryBytes || little32(&directory[at]) != kDirectorySignature)
      refuse_npz(file, "the zip directory is damaged");
    const unsigned char* item = &directory[at];
    const size_t name_bytes = little16(item + 28);
    const size_t item_bytes = kDirectoryBytes + name_bytes + little16(item + 30) + little16(item + 32);
    if (directory.size() - at < item_bytes) refuse_npz(file, "the zip directory is damaged");
    Entry entry;
    entry.name.assign(reinterpret_cast<const char*>(item + kDirectoryBytes), name_bytes);
    entry.flags = static_cast<uint16_t>(little16(item + 8));
    entry.method = static_cast<uint16_t>(little16(item + 10));
    entry.checksum = little32(item + 16);
    entry.packed = little32(item + 20);
    entry.unpacked = little32(item + 24);
    entry.local_header = little32(item + 42);
    at += item_bytes;
    if (entry.packed == 0xffffffff || entry.unpacked == 0xffffffff || entry.local_header == 0xffffffff)
      refuse_zip64(file);
    if (!entry.name.ends_with(".npy")) continue;
    entry.name.resize(entry.name.size() - 4);
    entries_.push_back(std::move(entry));
  }
  if (entries_.empty()) refuse_npz(file, "the archive holds no arrays");
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

NpyFile NpzFile::open(const std::string& name) const {
  for (const Entry& entry : entries_)
    if (entry.name == name) return open_entry(entry);
  refuse_npz(bytes_->name(), "holds no array named '" + name + "'; its arrays are " + join(names()));
}

NpyFile NpzFile::open_entry(const Entry& entry) const {
  const std::string label = bytes_->name() + "[" + entry.name + "]";
  if (entry.flags & kEncrypted) refuse_npz(label, "the array is encrypted");
  unsigned char local[kLocalBytes];
  bytes_->read(entry.local_header, local, sizeof local);
  if (little32(local) != kLocalSignature) refuse_npz(label, "the zip header is damaged");
  const uint64_t data = entry.local_header + kLocalBytes + little16(local + 26) + little16(local + 28);
  if (data + entry.packed > bytes_->size()) refuse_npz(label, "the file is cut short");
  if (entry.method == kStored) return NpyFile(bytes_, data, entry.packed, label);
  if (entry.method != kDeflated)
    refuse_npz(label,
               "is compressed by method " + std::to_string(entry.method) + "; stored and deflated are supported");
  // Deflate makes at most 258 bytes of two bits: what claims more is cut short or damaged, or there to fill the disk.
  constexpr uint64_t kMostDeflated = 1032;
  if (entry.unpacked > (entry.packed + 1) * kMostDeflated)
    refuse_npz(label, "claims " + memory_text(entry.unpacked) + ", which " + std::to_string(entry.packed) +
                          " compressed bytes cannot hold");
  check_memory(entry.unpacked, [&] { return label + ": the array"; });
  const int descriptor = file_to_unpack_into(label);
  try {
    const Unpacked unpacked = inflate_to(*bytes_, data, entry.packed, entry.unpacked, descriptor, label);
    if (unpacked.bytes != entry.unpacked || unpacked.checksum != entry.checksum)
      refuse_npz(label, "the array is damaged: length or checksum is wrong");
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  return NpyFile(std::make_shared<const FileBytes>(descriptor, label), 0, entry.unpacked, label);
}

bool is_npz(const std::string& src) { return lower_extension(src) == ".npz" && !fs::is_directory(src); }

std::unique_ptr<DataSource> open_npz(const SourceRequest& request) { return std::make_unique<NpzSource>(request); }

}  // namespace detent
