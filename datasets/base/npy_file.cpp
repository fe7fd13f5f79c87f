#include "datasets/base/npy_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "core/index.h"
#include "core/memory_limit.h"
#include "datasets/base/npy_format.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr uint64_t kMaxHeaderBytes = 1 << 20;  // numpy writes some hundred bytes; a longer text is not a header
constexpr size_t kGatherBlock = 1 << 20;

[[noreturn]] void refuse_npy(const std::string& file, const std::string& what, std::string hint = {}) {
  throw Error(ErrorCode::InvalidData, file + ": " + what, std::move(hint));
}

/// Returns the bytes that an array of this type and shape takes.
/// Errors  InvalidData when that overflows.
uint64_t payload_bytes(const std::string& file, DataType type, const Shape& shape) {
  uint64_t bytes = byte_size(type);
  for (const int64_t extent : shape) {
    if (extent != 0 &&
        bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / static_cast<uint64_t>(extent))
      refuse_npy(file, "the shape " + shape.to_string() + " in the .npy header is impossibly large");
    bytes *= static_cast<uint64_t>(extent);
  }
  return bytes;
}

/// Most rows of an array without elements, which takes no bytes in the file whatever number of rows it claims.
constexpr int64_t kMostEmptyRows = 1 << 20;

/// Refuses arrays that would be read endlessly: too many empty rows, and a sparse file far larger than memory.
void check_claim(const FileBytes& bytes, const std::string& file, uint64_t payload, const Shape& shape) {
  if (payload == 0 && std::ranges::any_of(shape, [](int64_t extent) { return extent > kMostEmptyRows; }))
    refuse_npy(file, "the array of shape " + shape.to_string() + " holds no elements");
  if (payload <= memory_limit()) return;
  if (const uint64_t stored = bytes.stored_bytes(); stored < payload / 1000)
    refuse_npy(file, shape.to_string() + " elements take " + memory_text(payload) + ", of which the disk holds " +
                         memory_text(stored) + ": the rest of the file was never written");
}

/// Normalises bools: NumPy writes 0 and 1, other writers may not, and any other byte in a bool is undefined behaviour.
void normalise_bools(Tensor& tensor) {
  if (tensor.type() != DataType::Bool) return;
  auto* bytes = static_cast<uint8_t*>(tensor.mutable_raw());
  for (int64_t i = 0; i < tensor.element_count(); ++i) bytes[i] = bytes[i] != 0;
}

/// Copies `in`, whose first axis varies fastest, to `out`, row-major over `dims`.
template <class T>
void reorder_from_fortran(const T* in, T* out, std::span<const int64_t> dims) {
  std::array<int64_t, Shape::kMaxRank> strides{};
  std::array<int64_t, Shape::kMaxRank> index{};
  int64_t count = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    strides[axis] = count;
    count *= dims[axis];
  }
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = in[offset];
    for (size_t axis = dims.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < dims[axis]) break;
      offset -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

/// Does the same for elements of 1, 2, 4 or 8 bytes.
void reorder_from_fortran(const void* in, void* out, size_t element, std::span<const int64_t> dims) {
  const auto reorder = [&]<class T>(T) { reorder_from_fortran(static_cast<const T*>(in), static_cast<T*>(out), dims); };
  switch (element) {
    case 1: return reorder(uint8_t{});
    case 2: return reorder(uint16_t{});
    case 4: return reorder(uint32_t{});
    default: return reorder(uint64_t{});
  }
}

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path) : bytes_(FileBytes::open(path)), name_(path.string()) {
  parse_header(bytes_->size());
}

NpyFile::NpyFile(std::shared_ptr<const FileBytes> bytes, uint64_t offset, uint64_t length, std::string name)
    : bytes_(std::move(bytes)), begin_(offset), name_(std::move(name)) {
  parse_header(length);
}

void NpyFile::parse_header(uint64_t length) {
  if (length == 0) refuse_npy(name_, "the file is empty (0 bytes)");
  std::array<unsigned char, 12> prefix{};
  if (length < 10) refuse_npy(name_, "not a .npy file: it is too short");
  bytes_->read(begin_, prefix.data(), std::min<size_t>(prefix.size(), length));
  if (std::memcmp(prefix.data(), "\x93NUMPY", 6) != 0)
    refuse_npy(name_, "not a .npy file: it does not begin with \\x93NUMPY");
  const int version = prefix[6];
  if (version < 1 || version > 3)
    refuse_npy(name_, "is a .npy file of version " + std::to_string(version) + "; versions 1 to 3 are supported");
  const uint64_t start = version == 1 ? 10 : 12;
  uint64_t header_bytes = prefix[8] | static_cast<uint64_t>(prefix[9]) << 8;
  if (version > 1) header_bytes |= static_cast<uint64_t>(prefix[10]) << 16 | static_cast<uint64_t>(prefix[11]) << 24;
  if (header_bytes > kMaxHeaderBytes || start + header_bytes > length)
    refuse_npy(name_, "the .npy header is cut short");
  std::string text(header_bytes, '\0');
  bytes_->read(begin_ + start, text.data(), text.size());
  try {
    const NpyHeader header = parse_npy_header(text);
    type_ = header.type;
    shape_ = header.shape;
    fortran_ = header.fortran_order;
  } catch (const Error& error) {
    throw error.in(name_);
  }
  const uint64_t wanted = payload_bytes(name_, type_, shape_);
  const uint64_t present = length - start - header_bytes;
  if (present < wanted)
    refuse_npy(name_, "the file is cut short: " + shape_.to_string() + " of " + std::string(name_of(type_)) + " take " +
                          std::to_string(wanted) + " bytes, " + std::to_string(present) + " are there");
  check_claim(*bytes_, name_, wanted, shape_);
  begin_ += start + header_bytes;
  if (shape_.rank() <= 1) fortran_ = false;  // both orders are equal
}

Tensor NpyFile::tensor_of(const Shape& shape) const {
  check_memory(static_cast<uint64_t>(shape.element_count()) * byte_size(type_),
               [&] { return name_ + ": a " + std::string(name_of(type_)) + " array of shape " + shape.to_string(); });
  return {type_, shape};
}

Tensor NpyFile::read() const {
  Tensor stored = tensor_of(shape_);
  bytes_->read(begin_, stored.mutable_raw(), stored.byte_count());
  normalise_bools(stored);
  if (!fortran_) return stored;
  Tensor result = tensor_of(shape_);
  reorder_from_fortran(stored.raw(), result.mutable_raw(), byte_size(type_), shape_.dims());
  return result;
}

Tensor NpyFile::read_rows(int64_t first, int64_t last) const {
  if (shape_.rank() == 0 || first < 0 || last < first || last > shape_[0])
    throw Error(ErrorCode::Internal, name_ + ": rows " + std::to_string(first) + " to " + std::to_string(last) +
                                         " asked of an array of shape " + shape_.to_string());
  Shape shape = shape_;
  shape[0] = last - first;
  Tensor result = tensor_of(shape);
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  const size_t row_bytes = as_index(shape_.element_count(1, shape_.rank())) * byte_size(type_);
  if (fortran_) {
    for (int64_t row = first; row < last; ++row) gather_fortran_row(row, out + as_index(row - first) * row_bytes);
  } else {
    bytes_->read(begin_ + static_cast<uint64_t>(first) * row_bytes, out, result.byte_count());
  }
  normalise_bools(result);
  return result;
}

void NpyFile::gather_fortran_row(int64_t row, std::byte* out) const {
  const size_t element = byte_size(type_);
  const auto stride = as_index(shape_[0]) * element;
  const auto count = as_index(shape_.element_count(1, shape_.rank()));
  const size_t per_block = std::max<size_t>(1, kGatherBlock / stride);
  std::vector<std::byte> block((std::min(per_block, count) - (count > 0)) * stride + element);
  std::vector<std::byte> gathered(count * element);  // operator new's memory is aligned for every element
  for (size_t first = 0; first < count; first += per_block) {
    const size_t taken = std::min(per_block, count - first);
    bytes_->read(begin_ + first * stride + as_index(row) * element, block.data(), (taken - 1) * stride + element);
    for (size_t i = 0; i < taken; ++i)
      std::memcpy(gathered.data() + (first + i) * element, block.data() + i * stride, element);
  }
  reorder_from_fortran(gathered.data(), out, element, shape_.dims().subspan(1));
}

}  // namespace detent
