#include "detent/base/tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

#include "core/extents.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "core/onnx_type.h"
#include "core/wrong_element_type.h"

namespace detent {

namespace {

struct TypeInfo {
  DataType type;
  std::string_view name;
  size_t bytes;  // in memory
  size_t bits;   // in a file
  int32_t onnx;  // number; the installed library has no names after BFLOAT16
};

// Names, in lower case, and numbers as in TensorProto.DataType of onnx.proto, ONNX 1.23.
constexpr TypeInfo kElementTypes[] = {
    {DataType::Undefined, "undefined", 0, 0, 0},
    {DataType::Float32, "float", 4, 32, 1},
    {DataType::Float64, "double", 8, 64, 11},
    {DataType::Float16, "float16", 2, 16, 10},
    {DataType::BFloat16, "bfloat16", 2, 16, 16},
    {DataType::Int8, "int8", 1, 8, 3},
    {DataType::Int16, "int16", 2, 16, 5},
    {DataType::Int32, "int32", 4, 32, 6},
    {DataType::Int64, "int64", 8, 64, 7},
    {DataType::UInt8, "uint8", 1, 8, 2},
    {DataType::UInt16, "uint16", 2, 16, 4},
    {DataType::UInt32, "uint32", 4, 32, 12},
    {DataType::UInt64, "uint64", 8, 64, 13},
    {DataType::Bool, "bool", 1, 8, 9},
    {DataType::Int4, "int4", 1, 4, 22},
    {DataType::UInt4, "uint4", 1, 4, 21},
    {DataType::Int2, "int2", 1, 2, 26},
    {DataType::UInt2, "uint2", 1, 2, 25},
    {DataType::Float8E4M3FN, "float8e4m3fn", 1, 8, 17},
    {DataType::Float8E4M3FNUZ, "float8e4m3fnuz", 1, 8, 18},
    {DataType::Float8E5M2, "float8e5m2", 1, 8, 19},
    {DataType::Float8E5M2FNUZ, "float8e5m2fnuz", 1, 8, 20},
    {DataType::Float8E8M0, "float8e8m0", 1, 8, 24},
    {DataType::Float6E2M3, "float6e2m3", 1, 6, 27},
    {DataType::Float6E3M2, "float6e3m2", 1, 6, 28},
    {DataType::Float4E2M1, "float4e2m1", 1, 4, 23},
    {DataType::String, "string", 0, 0, 0},
    {DataType::Sequence, "sequence", 0, 0, 0},
};

/// A shape as batch x channels x spatial; requires rank >= 3.
struct ChannelView {
  int64_t batch, channels, spatial;
};

ChannelView channel_view(const Shape& shape) {
  if (shape.rank() < 3)
    throw Error(ErrorCode::Internal, "channels-last layout needs rank 3 or more, got " + shape.to_string());
  return {shape[0], shape[1], shape.element_count(2, shape.rank())};
}

/// Computes out[c][r] = in[r][c] for the few channels of an image: loops of constant length vectorize.
template <int64_t kRows, class T>
void interleave(const T* in, T* out, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < kRows; ++r) out[c * kRows + r] = in[r * columns + c];
}

/// Computes out[c][r] = in[r][c] in blocks that stay in L1.
template <class T>
void transpose_2d(const T* in, T* out, int64_t rows, int64_t columns) {
  if (rows == 3) return interleave<3>(in, out, columns);
  if (rows == 4) return interleave<4>(in, out, columns);
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const int64_t r1 = std::min(rows, r0 + kBlock);
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const int64_t c1 = std::min(columns, c0 + kBlock);
      for (int64_t c = c0; c < c1; ++c)
        for (int64_t r = r0; r < r1; ++r) out[c * rows + r] = in[r * columns + c];
    }
  }
}

void transpose_batches(const Tensor& in, Tensor& out, int64_t batch, int64_t rows, int64_t columns) {
  const auto each = [&]<class T>(T) {
    const T* source = static_cast<const T*>(in.raw());
    T* target = static_cast<T*>(out.mutable_raw());
    for (int64_t n = 0; n < batch; ++n)
      transpose_2d(source + n * rows * columns, target + n * rows * columns, rows, columns);
  };
  switch (byte_size(in.type())) {
    case 1: return each(uint8_t{});
    case 2: return each(uint16_t{});
    case 4: return each(uint32_t{});
    case 8: return each(uint64_t{});
    default: throw Error(ErrorCode::Internal, "cannot reorder a tensor of type " + std::string(name_of(in.type())));
  }
}

}  // namespace

void check_extents(DataType type, const Shape& shape) {
  int64_t bytes = static_cast<int64_t>(std::max<size_t>(byte_size(type), 1));
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) throw Error(ErrorCode::InvalidData, "a tensor cannot have the shape " + shape.to_string());
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes) || bytes > as_extent(kAddressableBytes))
      throw Error(ErrorCode::InvalidData, "a tensor of shape " + shape.to_string() + " fits no memory");
    empty = empty || extent == 0;
  }
  if (empty)
    check_memory(static_cast<uint64_t>(bytes), [&] {
      return "a " + std::string(name_of(type)) + " tensor of shape " + shape.to_string() + ", its zeros left out,";
    });
}

size_t byte_size(DataType type) { return kElementTypes[static_cast<size_t>(type)].bytes; }

size_t bit_size(DataType type) { return kElementTypes[static_cast<size_t>(type)].bits; }

bool is_small_float(DataType type) { return type >= DataType::Float8E4M3FN && type <= DataType::Float4E2M1; }

std::string_view name_of(DataType type) { return kElementTypes[static_cast<size_t>(type)].name; }

DataType data_type_named(std::string_view name) {
  for (const TypeInfo& info : kElementTypes)
    if (info.name == name) return info.type;
  return DataType::Undefined;
}

DataType data_type_from_onnx(int64_t onnx_type) {
  const auto* const found = std::ranges::find(kElementTypes, onnx_type, &TypeInfo::onnx);
  return found == std::end(kElementTypes) ? DataType::Undefined : found->type;
}

int32_t onnx_type_of(DataType type) { return kElementTypes[static_cast<size_t>(type)].onnx; }

Shape::Shape(std::span<const int64_t> dims) {
  for (const int64_t extent : dims) push_back(extent);
}

void Shape::push_back(int64_t extent) {
  if (rank_ == kMaxRank)
    throw Error(ErrorCode::Unsupported,
                "tensors of more than " + std::to_string(kMaxRank) + " dimensions are not supported");
  dims_[rank_++] = extent;
}

int64_t Shape::element_count() const { return element_count(0, rank_); }

int64_t Shape::element_count(size_t first, size_t last) const {
  // An attribute may hold any extents: their product saturates instead of wrapping.
  int64_t count = 1;
  bool overflows = false, negative = false, empty = false;
  for (size_t i = first; i < last; ++i) {
    negative = negative || dims_[i] < 0;
    empty = empty || dims_[i] == 0;
    overflows = __builtin_mul_overflow(count, dims_[i], &count) || overflows;
  }
  if (negative) return -1;
  if (empty) return 0;
  return overflows ? std::numeric_limits<int64_t>::max() : count;
}

std::string Shape::to_string() const {
  if (rank_ == 0) return "scalar";
  std::string text;
  for (size_t i = 0; i < rank_; ++i) text += (i ? "x" : "") + std::to_string(dims_[i]);
  return text;
}

Tensor::Tensor(DataType type, const Shape& shape, Allocator& allocator, Layout layout)
    : type_(type), layout_(layout), shape_(shape) {
  if (byte_size(type) == 0)
    throw Error(ErrorCode::Unsupported, "tensors of type " + std::string(name_of(type)) + " are not supported");
  check_extents(type, shape);
  check_memory(byte_count(),
               [&] { return "a " + std::string(name_of(type)) + " tensor of shape " + shape.to_string(); });
  buffer_ = allocator.allocate(byte_count());
  data_ = buffer_.data();
}

Tensor Tensor::view(DataType type, const Shape& shape, const void* data, Layout layout) {
  check_extents(type, shape);
  Tensor tensor;
  tensor.layout_ = layout;
  tensor.type_ = type;
  tensor.shape_ = shape;
  tensor.data_ = const_cast<void*>(data);  // never written: owns_memory_alone() is false without a buffer
  return tensor;
}

struct Tensor::Deferred {
  std::once_flag once;
  std::function<Tensor()> make;
  Tensor made;
};

Tensor Tensor::deferred(DataType type, const Shape& shape, std::function<Tensor()> make) {
  check_extents(type, shape);
  Tensor tensor;
  tensor.type_ = type;
  tensor.shape_ = shape;
  tensor.deferred_ = std::make_shared<Deferred>();
  tensor.deferred_->make = std::move(make);
  return tensor;
}

const void* Tensor::deferred_bytes() const {
  std::call_once(deferred_->once, [this] { deferred_->made = deferred_->make(); });
  return deferred_->made.raw();
}

Tensor Tensor::made() const {
  if (!deferred_) return *this;
  Tensor tensor = deferred_->make();
  // The handle may see the elements in another form than `make` (reshaped, reinterpreted, relabelled).
  tensor.type_ = type_, tensor.shape_ = shape_, tensor.layout_ = layout_;
  return tensor;
}

Tensor Tensor::sequence(std::vector<Tensor> elements) {
  Tensor tensor;
  tensor.type_ = DataType::Sequence;
  tensor.shape_ = {std::ssize(elements)};
  tensor.elements_ = std::make_shared<const std::vector<Tensor>>(std::move(elements));
  return tensor;
}

const std::vector<Tensor>& Tensor::elements() const {
  if (!elements_)
    throw Error(ErrorCode::Internal, "a tensor of type " + std::string(name_of(type_)) + " is no sequence");
  return *elements_;
}

void Tensor::check_type(DataType wanted) const {
  const bool same =
      type_ == wanted || (wanted == DataType::Int8 && (type_ == DataType::Int4 || type_ == DataType::Int2)) ||
      (wanted == DataType::UInt8 && (type_ == DataType::UInt4 || type_ == DataType::UInt2 || is_small_float(type_))) ||
      (wanted == DataType::UInt16 && (type_ == DataType::Float16 || type_ == DataType::BFloat16));
  if (!same) throw WrongElementType(type_, wanted);
}

Tensor Tensor::reshaped(const Shape& shape) const {
  if (layout_ != Layout::Plain || shape.element_count() != element_count())
    throw Error(ErrorCode::Internal, "cannot view " + shape_.to_string() + " as " + shape.to_string());
  check_extents(type_, shape);
  Tensor tensor = *this;
  tensor.shape_ = shape;
  return tensor;
}

Tensor Tensor::reinterpreted(DataType type) const {
  if (byte_size(type) != byte_size(type_)) throw Error(ErrorCode::Internal, "cannot reinterpret: element sizes differ");
  Tensor tensor = *this;
  tensor.type_ = type;
  return tensor;
}

Tensor Tensor::relabelled(Layout layout) const {
  Tensor tensor = *this;
  tensor.layout_ = layout;
  return tensor;
}

Tensor Tensor::slice0(int64_t first, int64_t last) const {
  if (layout_ != Layout::Plain || shape_.rank() == 0 || first < 0 || last > shape_[0] || first > last)
    throw Error(ErrorCode::Internal, "cannot slice axis 0 of " + shape_.to_string());
  Tensor tensor = *this;
  if (deferred_) {
    tensor.data_ = const_cast<void*>(raw());
    tensor.buffer_ = deferred_->made.buffer_;
    tensor.deferred_.reset();
  }
  tensor.shape_[0] = last - first;
  const int64_t stride = shape_.element_count(1, shape_.rank());
  tensor.data_ = static_cast<std::byte*>(tensor.data_) + as_index(first * stride) * byte_size(type_);
  return tensor;
}

Tensor Tensor::clone(Allocator& allocator) const {
  if (is_sequence()) {
    std::vector<Tensor> copies;
    for (const Tensor& element : elements()) copies.push_back(element.clone(allocator));
    return sequence(std::move(copies));
  }
  Tensor copy(type_, shape_, allocator, layout_);
  if (byte_count() > 0) std::memcpy(copy.mutable_raw(), raw(), byte_count());
  return copy;
}

Tensor to_plain(const Tensor& tensor, Allocator& allocator) {
  if (tensor.layout() == Layout::Plain) return tensor;
  const ChannelView view = channel_view(tensor.shape());
  if (view.channels == 1 || view.spatial == 1) return tensor.relabelled(Layout::Plain);
  Tensor plain(tensor.type(), tensor.shape(), allocator);
  transpose_batches(tensor, plain, view.batch, view.spatial, view.channels);
  return plain;
}

Tensor to_channels_last(const Tensor& tensor, Allocator& allocator) {
  if (tensor.layout() == Layout::ChannelsLast) return tensor;
  const ChannelView view = channel_view(tensor.shape());
  if (view.channels == 1 || view.spatial == 1) return tensor.relabelled(Layout::ChannelsLast);
  Tensor last(tensor.type(), tensor.shape(), allocator, Layout::ChannelsLast);
  transpose_batches(tensor, last, view.batch, view.channels, view.spatial);
  return last;
}

}  // namespace detent
