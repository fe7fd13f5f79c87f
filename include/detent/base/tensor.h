#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/error.h"

namespace detent {

/// Element types of ONNX tensors that Detent computes with. Types below eight bits are unpacked to one byte an element:
/// integers as int8/uint8, floats as their bits.
enum class DataType : uint8_t {
  Undefined,
  Float32,
  Float64,
  Float16,
  BFloat16,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Bool,
  Int4,
  UInt4,
  Int2,
  UInt2,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0,
  Float6E2M3,
  Float6E3M2,
  Float4E2M1,
  String,
  Sequence,  ///< not an element type: the tensor is a list of tensors
};

/// Returns the bytes of one element in memory. Undefined, String and Sequence -> 0.
[[nodiscard]] DETENT_API size_t byte_size(DataType type);
/// Returns the name in ONNX text form: "float", "int64" ...
[[nodiscard]] DETENT_API std::string_view name_of(DataType type);
/// Returns the bits of one element in a file: 4 for int4, 6 for float6e2m3. Undefined, String and Sequence -> 0.
[[nodiscard]] DETENT_API size_t bit_size(DataType type);
/// Returns true for float types of one byte or less, which are converted and moved but never computed with.
[[nodiscard]] DETENT_API bool is_small_float(DataType type);
/// Returns the type of that name; Undefined when there is none.
[[nodiscard]] DETENT_API DataType data_type_named(std::string_view name);

/// Extents of a tensor, held inline. Rank 0 is a scalar with one element.
class DETENT_API Shape {
 public:
  static constexpr size_t kMaxRank = 12;  // the limit of oneDNN's memory descriptors

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  /// Errors  Unsupported when there are more than kMaxRank extents.
  explicit Shape(std::span<const int64_t> dims);

  [[nodiscard]] size_t rank() const { return rank_; }
  [[nodiscard]] int64_t operator[](size_t i) const { return dims_[i]; }
  [[nodiscard]] int64_t& operator[](size_t i) { return dims_[i]; }
  [[nodiscard]] const int64_t* begin() const { return dims_.data(); }
  [[nodiscard]] const int64_t* end() const { return dims_.data() + rank_; }
  [[nodiscard]] std::span<const int64_t> dims() const { return {dims_.data(), rank_}; }
  void push_back(int64_t extent);
  /// Returns the number of elements: 1 for a scalar, -1 when an extent is negative, else 0 when one is 0. A product
  /// beyond 64 bits gives the largest number.
  [[nodiscard]] int64_t element_count() const;
  /// Returns the product of extents [first, last), with the same rules.
  [[nodiscard]] int64_t element_count(size_t first, size_t last) const;
  /// Returns "1x3x224x224"; "scalar" for rank 0.
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b) { return std::ranges::equal(a.dims(), b.dims()); }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  size_t rank_ = 0;
};

/// Position of the channel axis (axis 1) in memory. There is no padding: a tensor holds exactly element_count()
/// elements.
enum class Layout : uint8_t {
  Plain,         ///< row-major in the order of the shape (N C H W)
  ChannelsLast,  ///< shape says N C spatial..., memory is N spatial... C; rank >= 3 only
};

class Allocator;

/// Reference-counted block of memory, 64-byte aligned. It returns to its allocator with the last reference.
class DETENT_API Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

 private:
  friend class BufferRef;
  friend class Allocator;
  Buffer() = default;
  std::byte* data_ = nullptr;
  size_t capacity_ = 0;
  Allocator* owner_ = nullptr;
  int references_ = 0;  // atomic access through std::atomic_ref: constants are shared between workers
};

/// A reference to a buffer.
class DETENT_API BufferRef {
 public:
  BufferRef() = default;
  BufferRef(const BufferRef& other);
  BufferRef(BufferRef&& other) noexcept : buffer_(other.buffer_) { other.buffer_ = nullptr; }
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() { reset(); }

  void reset();
  [[nodiscard]] bool unique() const;  ///< exactly one reference: the holder may overwrite the content
  [[nodiscard]] std::byte* data() const { return buffer_ ? buffer_->data_ : nullptr; }
  [[nodiscard]] size_t capacity() const { return buffer_ ? buffer_->capacity_ : 0; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  friend class Allocator;
  explicit BufferRef(Buffer* buffer);
  Buffer* buffer_ = nullptr;
};

/// Provides buffers and takes them back. Must outlive every buffer it provided.
class DETENT_API Allocator {
 public:
  virtual ~Allocator() = default;
  /// Returns at least `bytes` bytes, content undefined. 0 bytes -> a valid empty buffer.
  [[nodiscard]] virtual BufferRef allocate(size_t bytes) = 0;
  /// Returns the process-wide allocator: plain aligned heap memory. Thread-safe.
  [[nodiscard]] static Allocator& heap();

 protected:
  friend class BufferRef;
  virtual void take_back(Buffer* buffer) = 0;
  [[nodiscard]] static Buffer* make_buffer(size_t bytes, Allocator* owner);
  static void destroy(Buffer* buffer);
  [[nodiscard]] static BufferRef refer(Buffer* buffer) { return BufferRef(buffer); }
  [[nodiscard]] static size_t capacity_of(const Buffer* buffer) { return buffer->capacity_; }
};

/// The DataType of a C++ type; Undefined when there is none.
template <class T>
inline constexpr DataType data_type_of = std::is_same_v<T, float>      ? DataType::Float32
                                         : std::is_same_v<T, double>   ? DataType::Float64
                                         : std::is_same_v<T, int8_t>   ? DataType::Int8
                                         : std::is_same_v<T, int16_t>  ? DataType::Int16
                                         : std::is_same_v<T, int32_t>  ? DataType::Int32
                                         : std::is_same_v<T, int64_t>  ? DataType::Int64
                                         : std::is_same_v<T, uint8_t>  ? DataType::UInt8
                                         : std::is_same_v<T, uint16_t> ? DataType::UInt16
                                         : std::is_same_v<T, uint32_t> ? DataType::UInt32
                                         : std::is_same_v<T, uint64_t> ? DataType::UInt64
                                         : std::is_same_v<T, bool>     ? DataType::Bool
                                                                       : DataType::Undefined;

/// A typed, shaped view on a shared buffer. Copies share memory; clone() does not.
class DETENT_API Tensor {
 public:
  Tensor() = default;
  /// Allocates uninitialised memory.
  /// Errors  Unsupported for strings; InvalidData for a negative extent, or for non-zero extents that need more bytes
  ///         than processors address. view, deferred and reshaped refuse these too.
  Tensor(DataType type, const Shape& shape, Allocator& allocator = Allocator::heap(), Layout layout = Layout::Plain);
  /// Copies `values` into a new tensor.
  template <class T>
  static Tensor from(const Shape& shape, std::span<const T> values);
  template <class T>
  static Tensor from(const Shape& shape, std::initializer_list<T> values) {
    return from<T>(shape, std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor scalar(T value) {
    return from<T>(Shape{}, std::span<const T>(&value, 1));
  }
  /// Refers to memory owned elsewhere, which must outlive the tensor and is never written.
  static Tensor view(DataType type, const Shape& shape, const void* data, Layout layout = Layout::Plain);
  /// Makes a tensor whose elements `make` computes, in plain layout, at the first access: once for all copies, in the
  /// thread that comes first. An exception of `make` reaches the accessing thread.
  static Tensor deferred(DataType type, const Shape& shape, std::function<Tensor()> make);
  /// Returns a tensor with its elements, and the type, shape and layout of this one: this one or, if deferred, one
  /// computed only for the caller, for large elements that are read once. This tensor must outlive it.
  [[nodiscard]] Tensor made() const;
  /// Makes a list of tensors (an ONNX sequence). Its type is Sequence, its shape the number of elements.
  static Tensor sequence(std::vector<Tensor> elements);

  [[nodiscard]] bool empty_handle() const { return type_ == DataType::Undefined; }
  [[nodiscard]] DataType type() const { return type_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Layout layout() const { return layout_; }
  [[nodiscard]] int64_t element_count() const { return shape_.element_count(); }
  [[nodiscard]] size_t byte_count() const { return static_cast<size_t>(element_count()) * byte_size(type_); }
  [[nodiscard]] const void* raw() const { return deferred_ ? deferred_bytes() : data_; }
  [[nodiscard]] void* mutable_raw() { return data_; }
  /// Returns true when this is the only reference to the memory, so that an in-place kernel may overwrite it.
  [[nodiscard]] bool owns_memory_alone() const { return buffer_ && buffer_.unique(); }

  /// Returns the elements in memory order.
  /// Errors  Internal when T is not the tensor's type (int8_t/uint8_t also read Int4/UInt4 and Int2/UInt2, uint8_t the
  ///         bits of small floats, uint16_t those of Float16/BFloat16).
  template <class T>
  [[nodiscard]] std::span<const T> data() const {
    check_type(data_type_of<T>);
    return {static_cast<const T*>(raw()), static_cast<size_t>(element_count())};
  }
  template <class T>
  [[nodiscard]] std::span<T> mutable_data() {
    check_type(data_type_of<T>);
    return {static_cast<T*>(data_), static_cast<size_t>(element_count())};
  }

  [[nodiscard]] bool is_sequence() const { return type_ == DataType::Sequence; }
  /// Returns the tensors of a sequence.
  /// Errors  Internal when this is not a sequence.
  [[nodiscard]] const std::vector<Tensor>& elements() const;

  /// Returns the same memory with another shape of equal element count. Plain layout only.
  /// Errors  Internal otherwise.
  [[nodiscard]] Tensor reshaped(const Shape& shape) const;
  /// Returns the same memory and shape with another type of the same element size.
  [[nodiscard]] Tensor reinterpreted(DataType type) const;
  /// Returns the same memory with another layout, for shapes where both are the same (C == 1, no spatial extent).
  [[nodiscard]] Tensor relabelled(Layout layout) const;
  /// Returns elements [first, last) of axis 0, sharing memory. Plain layout only.
  [[nodiscard]] Tensor slice0(int64_t first, int64_t last) const;
  [[nodiscard]] Tensor clone(Allocator& allocator = Allocator::heap()) const;

 private:
  struct Deferred;

  void check_type(DataType wanted) const;
  const void* deferred_bytes() const;

  DataType type_ = DataType::Undefined;
  Layout layout_ = Layout::Plain;
  Shape shape_;
  BufferRef buffer_;
  void* data_ = nullptr;
  std::shared_ptr<const std::vector<Tensor>> elements_;  // of a sequence; immutable, so shared by copies
  std::shared_ptr<Deferred> deferred_;                   // of a deferred tensor, whose data_ is null
};

/// Returns the tensor in plain row-major layout; the same memory when it already is.
[[nodiscard]] DETENT_API Tensor to_plain(const Tensor& tensor, Allocator& allocator = Allocator::heap());
/// Returns the tensor in channels-last layout; rank >= 3, else Internal.
[[nodiscard]] DETENT_API Tensor to_channels_last(const Tensor& tensor, Allocator& allocator = Allocator::heap());

/// Conversion of values that a small float type cannot hold.
/// Source  ONNX, tables of operator Cast.
struct CastOptions {
  enum class Rounding : uint8_t { Up, Down, Nearest };  ///< away from zero, towards zero, nearest with ties up
  bool saturate = true;                    ///< 8-bit floats: to the largest magnitude; false: to infinity or NaN
  Rounding power_rounding = Rounding::Up;  ///< of Float8E8M0, which holds powers of two only
};

/// Converts element by element as ONNX Cast does for numeric types: float to integer truncates, other floats round to
/// nearest even.
/// Errors  Unsupported for strings and sequences.
[[nodiscard]] DETENT_API Tensor cast(const Tensor& tensor, DataType type, Allocator& allocator = Allocator::heap(),
                                     const CastOptions& options = {});

/// Converts IEEE half and bfloat16, rounding to nearest even.
[[nodiscard]] DETENT_API float half_to_float(uint16_t bits);
[[nodiscard]] DETENT_API uint16_t float_to_half(float value);
[[nodiscard]] DETENT_API float bfloat16_to_float(uint16_t bits);
[[nodiscard]] DETENT_API uint16_t float_to_bfloat16(float value);

template <class T>
Tensor Tensor::from(const Shape& shape, std::span<const T> values) {
  Tensor tensor(data_type_of<T>, shape);
  auto out = tensor.mutable_data<T>();
  if (out.size() != values.size())
    throw Error(ErrorCode::Internal,
                "a tensor of shape " + shape.to_string() + " was given " + std::to_string(values.size()) + " values");
  std::ranges::copy(values, out.begin());
  return tensor;
}

}  // namespace detent
