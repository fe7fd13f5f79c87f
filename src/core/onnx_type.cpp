#include "core/onnx_type.h"

namespace detent {

namespace {

struct TypePair {
  int32_t onnx;
  DataType type;
};

// By number: the installed library names none after BFLOAT16. Source: onnx.proto of ONNX 1.23, TensorProto.DataType.
constexpr TypePair kOnnxTypes[] = {
    {1, DataType::Float32},
    {2, DataType::UInt8},
    {3, DataType::Int8},
    {4, DataType::UInt16},
    {5, DataType::Int16},
    {6, DataType::Int32},
    {7, DataType::Int64},
    {9, DataType::Bool},
    {10, DataType::Float16},
    {11, DataType::Float64},
    {12, DataType::UInt32},
    {13, DataType::UInt64},
    {16, DataType::BFloat16},
    {17, DataType::Float8E4M3FN},
    {18, DataType::Float8E4M3FNUZ},
    {19, DataType::Float8E5M2},
    {20, DataType::Float8E5M2FNUZ},
    {21, DataType::UInt4},
    {22, DataType::Int4},
    {23, DataType::Float4E2M1},
    {24, DataType::Float8E8M0},
    {25, DataType::UInt2},
    {26, DataType::Int2},
    {27, DataType::Float6E2M3},
    {28, DataType::Float6E3M2},
};

}  // namespace

DataType data_type_from_onnx(int64_t onnx_type) {
  for (const TypePair& pair : kOnnxTypes)
    if (pair.onnx == onnx_type) return pair.type;
  return DataType::Undefined;
}

int32_t onnx_type_of(DataType type) {
  for (const TypePair& pair : kOnnxTypes)
    if (pair.type == type) return pair.onnx;
  return 0;
}

}  // namespace detent
