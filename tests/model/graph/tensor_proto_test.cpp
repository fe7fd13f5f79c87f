#include "model/graph/tensor_proto.h"

#include <gtest/gtest.h>

#include "model/onnx_protos.h"

namespace detent {
namespace {

constexpr DataType kPacked[] = {DataType::Int4,       DataType::UInt4,      DataType::Int2,      DataType::UInt2,
                                DataType::Float6E2M3, DataType::Float6E3M2, DataType::Float4E2M1};

/// Makes `count` elements 0, 1, 2 ... of the type's bits.
Tensor counting(DataType type, int64_t count) {
  Tensor wide(DataType::Int32, {count});
  for (int32_t i = 0; i < count; ++i) wide.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
  if (!is_small_float(type)) return cast(wide, type);
  Tensor tensor(type, {count});
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    tensor.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i % (1U << bit_size(type)));
  return tensor;
}

TEST(TensorProto, KeepsElementsBelowEightBitsThatAreStoredPacked) {
  for (const DataType type : kPacked)
    for (const int64_t count : {0, 1, 3, 4, 5, 64, 71}) {
      const Tensor tensor = counting(type, count);
      onnx::TensorProto proto;
      tensor_to_proto(tensor, proto);
      EXPECT_EQ(proto.raw_data().size(), (static_cast<size_t>(count) * bit_size(type) + 7) / 8) << name_of(type);
      const Tensor back = tensor_from_proto(proto);
      ASSERT_EQ(back.type(), type);
      EXPECT_EQ(std::memcmp(back.raw(), tensor.raw(), static_cast<size_t>(count)), 0) << name_of(type) << " " << count;
    }
}

/// onnx.proto: four 6-bit elements are a 24-bit stream, the first in the lowest bits.
TEST(TensorProto, PacksSixBitsAcrossBytes) {
  Tensor tensor(DataType::Float6E2M3, {4});
  const uint8_t elements[] = {0x01, 0x3f, 0x20, 0x15};
  std::copy(std::begin(elements), std::end(elements), tensor.mutable_data<uint8_t>().begin());
  onnx::TensorProto proto;
  tensor_to_proto(tensor, proto);
  EXPECT_EQ(proto.raw_data(), std::string("\xc1\x0f\x56", 3));
}

TEST(TensorProto, RefusesPackedDataOfAnotherSize) {
  onnx::TensorProto proto;
  tensor_to_proto(counting(DataType::UInt2, 8), proto);
  proto.set_dims(0, 9);
  EXPECT_THROW(static_cast<void>(tensor_from_proto(proto)), Error);
}

}  // namespace
}  // namespace detent
