#include "datasets/tensor_pb.h"

#include <onnx/onnx-data_pb.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "datasets/natural_order.h"
#include "datasets/npy.h"
#include "detent/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// onnx::TensorProto::DataType, by number: the library of ONNX 1.12 does not name those after BFLOAT16.
DataType type_of_number(int number) {
  switch (number) {
    case 1: return DataType::Float32;
    case 2: return DataType::UInt8;
    case 3: return DataType::Int8;
    case 4: return DataType::UInt16;
    case 5: return DataType::Int16;
    case 6: return DataType::Int32;
    case 7: return DataType::Int64;
    case 8: return DataType::String;
    case 9: return DataType::Bool;
    case 10: return DataType::Float16;
    case 11: return DataType::Float64;
    case 12: return DataType::UInt32;
    case 13: return DataType::UInt64;
    case 16: return DataType::BFloat16;
    case 21: return DataType::UInt4;
    case 22: return DataType::Int4;
    default: return DataType::Undefined;
  }
}

bool is_packed(DataType type) { return type == DataType::Int4 || type == DataType::UInt4; }

[[noreturn]] void refuse(ErrorCode code, const std::string& what) { throw Error(code, what); }

/// Bytes that raw_data must have.
size_t raw_bytes(DataType type, int64_t count) {
  return is_packed(type) ? static_cast<size_t>((count + 1) / 2) : static_cast<size_t>(count) * byte_size(type);
}

void unpack_halves(const unsigned char* packed, Tensor& tensor) {
  auto* out = static_cast<unsigned char*>(tensor.mutable_raw());
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    const unsigned half = i % 2 == 0 ? packed[i / 2] & 0xfU : packed[i / 2] >> 4U;
    const bool negative = tensor.type() == DataType::Int4 && half >= 8;
    out[i] = static_cast<unsigned char>(negative ? half | 0xf0U : half);
  }
}

void fill_from_raw(const std::string& raw, Tensor& tensor) {
  const size_t wanted = raw_bytes(tensor.type(), tensor.element_count());
  if (raw.size() != wanted)
    refuse(ErrorCode::InvalidData, "the tensor of shape " + tensor.shape().to_string() + " and type " +
                                       std::string(name_of(tensor.type())) + " takes " + std::to_string(wanted) +
                                       " bytes, " + std::to_string(raw.size()) + " are there");
  if (is_packed(tensor.type())) return unpack_halves(reinterpret_cast<const unsigned char*>(raw.data()), tensor);
  if (wanted > 0) std::memcpy(tensor.mutable_raw(), raw.data(), wanted);
  if (tensor.type() == DataType::Bool) {
    auto* bytes = static_cast<uint8_t*>(tensor.mutable_raw());
    for (size_t i = 0; i < wanted; ++i) bytes[i] = bytes[i] != 0;
  }
}

template <class Field>
void check_count(const Field& field, int64_t wanted) {
  if (field.size() != wanted)
    refuse(ErrorCode::InvalidData, "the tensor should hold " + std::to_string(wanted) + " elements, " +
                                       std::to_string(field.size()) + " are there");
}

template <class Stored, class Field>
void fill_from(const Field& field, Tensor& tensor) {
  check_count(field, tensor.element_count());
  auto* out = static_cast<Stored*>(tensor.mutable_raw());
  for (int i = 0; i < field.size(); ++i) out[i] = static_cast<Stored>(field.Get(i));
}

void fill_from_field(const onnx::TensorProto& proto, Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::Float32: return fill_from<float>(proto.float_data(), tensor);
    case DataType::Float64: return fill_from<double>(proto.double_data(), tensor);
    case DataType::Int64: return fill_from<int64_t>(proto.int64_data(), tensor);
    case DataType::UInt64: return fill_from<uint64_t>(proto.uint64_data(), tensor);
    case DataType::UInt32: return fill_from<uint32_t>(proto.uint64_data(), tensor);
    case DataType::Int32: return fill_from<int32_t>(proto.int32_data(), tensor);
    case DataType::Int16: return fill_from<int16_t>(proto.int32_data(), tensor);
    case DataType::Int8: return fill_from<int8_t>(proto.int32_data(), tensor);
    case DataType::UInt8: return fill_from<uint8_t>(proto.int32_data(), tensor);
    case DataType::Bool: return fill_from<bool>(proto.int32_data(), tensor);
    case DataType::UInt16:
    case DataType::Float16:
    case DataType::BFloat16: return fill_from<uint16_t>(proto.int32_data(), tensor);
    default: break;
  }
  check_count(proto.int32_data(), (tensor.element_count() + 1) / 2);
  std::string packed;
  for (const int32_t two : proto.int32_data()) packed += static_cast<char>(two);
  fill_from_raw(packed, tensor);
}

Shape shape_of(const onnx::TensorProto& proto) {
  Shape shape;
  int64_t count = 1;
  for (const int64_t extent : proto.dims()) {
    if (extent < 0 || (extent > 0 && count > (int64_t{1} << 40) / extent))
      refuse(ErrorCode::InvalidData, "the tensor has an impossible extent, " + std::to_string(extent));
    if (extent > 0) count *= extent;
    shape.push_back(extent);
  }
  return shape;
}

template <class Proto>
Proto parse(const std::string& bytes, const std::string& what) {
  if (bytes.empty()) refuse(ErrorCode::InvalidData, "the file is empty (0 bytes)");
  Proto proto;
  if (!proto.ParseFromString(bytes)) refuse(ErrorCode::InvalidData, "not a serialised " + what + ", or cut short");
  return proto;
}

/// file_bytes  of the whole file, which no tensor in it can exceed.
Tensor tensor_of(const onnx::TensorProto& proto, size_t file_bytes) {
  // SequenceProto and OptionalProto begin like a TensorProto and keep their tensors where a TensorProto has its segment.
  if (proto.has_segment()) refuse(ErrorCode::Unsupported, "holds a sequence, an optional or a segment, not a tensor");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    refuse(ErrorCode::Unsupported, "the tensor's elements lie in another file");
  const DataType type = type_of_number(proto.data_type());
  if (proto.data_type() == 0) refuse(ErrorCode::InvalidData, "not a serialised tensor: it has no type");
  if (type == DataType::Undefined || type == DataType::String)
    refuse(ErrorCode::Unsupported,
           "tensors of " +
               (type == DataType::String ? std::string("strings") : "ONNX type " + std::to_string(proto.data_type())) +
               " are not supported");
  const Shape shape = shape_of(proto);  // may be nonsense: sizes are compared before memory is taken
  if (proto.has_raw_data() && proto.raw_data().size() < raw_bytes(type, shape.element_count()))
    refuse(ErrorCode::InvalidData, "the tensor of shape " + shape.to_string() + " is cut short");
  if (!proto.has_raw_data() && shape.element_count() > static_cast<int64_t>(2 * file_bytes))
    refuse(ErrorCode::InvalidData, "the tensor of shape " + shape.to_string() + " is cut short");
  Tensor tensor(type, shape);
  if (proto.has_raw_data())
    fill_from_raw(proto.raw_data(), tensor);
  else
    fill_from_field(proto, tensor);
  return tensor;
}

Tensor sequence_of(const onnx::SequenceProto& proto, size_t file_bytes) {
  using P = onnx::SequenceProto;
  if (proto.elem_type() != P::TENSOR && proto.elem_type() != P::UNDEFINED)
    refuse(ErrorCode::Unsupported, "holds a sequence of something else than tensors");
  std::vector<Tensor> elements;
  for (const onnx::TensorProto& element : proto.tensor_values()) elements.push_back(tensor_of(element, file_bytes));
  return Tensor::sequence(std::move(elements));
}

Tensor content_of(const onnx::OptionalProto& proto, size_t file_bytes) {
  switch (proto.elem_type()) {
    case onnx::OptionalProto::UNDEFINED: return {};
    case onnx::OptionalProto::TENSOR: return tensor_of(proto.tensor_value(), file_bytes);
    case onnx::OptionalProto::SEQUENCE: return sequence_of(proto.sequence_value(), file_bytes);
    default: refuse(ErrorCode::Unsupported, "holds an optional of something else than a tensor or a sequence");
  }
}

Tensor parse_value(const std::string& bytes, PbForm form) {
  switch (form) {
    case PbForm::Sequence: return sequence_of(parse<onnx::SequenceProto>(bytes, "sequence"), bytes.size());
    case PbForm::Optional: return content_of(parse<onnx::OptionalProto>(bytes, "optional"), bytes.size());
    default: return tensor_of(parse<onnx::TensorProto>(bytes, "tensor"), bytes.size());
  }
}

}  // namespace

Tensor read_tensor_pb(const fs::path& path) { return read_value_pb(path, PbForm::Tensor); }

Tensor read_value_pb(const fs::path& path, PbForm form) {
  const auto file = FileBytes::open(path);
  std::string bytes(file->size(), '\0');
  file->read(0, bytes.data(), bytes.size());
  try {
    return parse_value(bytes, form);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

std::vector<fs::path> find_test_data_sets(const fs::path& folder) {
  std::error_code error;
  const auto holds_set = [&](const fs::path& path) {
    return fs::exists(path / "input_0.pb", error) || fs::exists(path / "output_0.pb", error);
  };
  if (holds_set(folder)) return {folder};
  std::vector<fs::path> sets;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with("test_data_set_") && fs::is_directory(entry->path(), error))
      sets.push_back(entry->path());
  std::sort(sets.begin(), sets.end(),
            [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
  return sets;
}

}  // namespace detent
