#include "datasets/base/tensor_pb.h"

#include <onnx/onnx-data_pb.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/index.h"
#include "core/onnx_type.h"
#include "core/typed_fields.h"
#include "datasets/base/natural_order.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_tensor(ErrorCode code, const std::string& what) { throw Error(code, what); }

Tensor from_raw(const std::string& raw, DataType type, const Shape& shape) {
  Tensor tensor(type, shape);
  const size_t wanted = stored_bytes(type, shape.element_count());
  if (raw.size() != wanted)
    refuse_tensor(ErrorCode::InvalidData, "the tensor of shape " + shape.to_string() + " and type " +
                                              std::string(name_of(type)) + " takes " + std::to_string(wanted) +
                                              " bytes, " + std::to_string(raw.size()) + " are there");
  if (is_packed(type)) {
    unpack({reinterpret_cast<const uint8_t*>(raw.data()), raw.size()}, tensor);
    return tensor;
  }
  if (wanted > 0) std::memcpy(tensor.mutable_raw(), raw.data(), wanted);
  if (type == DataType::Bool) {
    auto* bytes = static_cast<uint8_t*>(tensor.mutable_raw());
    for (size_t i = 0; i < wanted; ++i) bytes[i] = bytes[i] != 0;
  }
  return tensor;
}

Shape shape_of(const onnx::TensorProto& proto) {
  Shape shape;
  int64_t count = 1;
  for (const int64_t extent : proto.dims()) {
    if (extent < 0 || (extent > 0 && count > (int64_t{1} << 40) / extent))
      refuse_tensor(ErrorCode::InvalidData, "the tensor has an impossible extent, " + std::to_string(extent));
    if (extent > 0) count *= extent;
    shape.push_back(extent);
  }
  return shape;
}

template <class Proto>
Proto parse(const std::string& bytes, const std::string& what) {
  if (bytes.empty()) refuse_tensor(ErrorCode::InvalidData, "the file is empty (0 bytes)");
  Proto proto;
  if (!proto.ParseFromString(bytes))
    refuse_tensor(ErrorCode::InvalidData, "not a serialised " + what + ", or cut short");
  return proto;
}

/// Reads a tensor. file_bytes  bytes of the whole file, which no tensor in it can exceed
Tensor tensor_of(const onnx::TensorProto& proto, size_t file_bytes) {
  // SequenceProto and OptionalProto begin like a TensorProto and keep their tensors where a TensorProto has its
  // segment.
  if (proto.has_segment())
    refuse_tensor(ErrorCode::Unsupported, "holds a sequence, an optional or a segment, not a tensor");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    refuse_tensor(ErrorCode::Unsupported, "the tensor's elements lie in another file");
  const DataType type = data_type_from_onnx(proto.data_type());
  if (proto.data_type() == 0) refuse_tensor(ErrorCode::InvalidData, "not a serialised tensor: it has no type");
  if (type == DataType::Undefined)
    refuse_tensor(ErrorCode::Unsupported,
                  "tensors of " +
                      (proto.data_type() == kOnnxString ? std::string("strings")
                                                        : "ONNX type " + std::to_string(proto.data_type())) +
                      " are not supported");
  const Shape shape = shape_of(proto);  // may be damaged: sizes are compared before memory is allocated
  if (proto.has_raw_data() && proto.raw_data().size() < stored_bytes(type, shape.element_count()))
    refuse_tensor(ErrorCode::InvalidData, "the tensor of shape " + shape.to_string() + " is cut short");
  if (!proto.has_raw_data() && shape.element_count() > as_extent(4 * file_bytes))
    refuse_tensor(ErrorCode::InvalidData, "the tensor of shape " + shape.to_string() + " is cut short");
  return proto.has_raw_data() ? from_raw(proto.raw_data(), type, shape)
                              : TypedFields(proto, ErrorCode::InvalidData).read(type, shape);
}

Tensor sequence_of(const onnx::SequenceProto& proto, size_t file_bytes) {
  using P = onnx::SequenceProto;
  if (proto.elem_type() != P::TENSOR && proto.elem_type() != P::UNDEFINED)
    refuse_tensor(ErrorCode::Unsupported, "holds a sequence whose elements are not tensors");
  std::vector<Tensor> elements;
  for (const onnx::TensorProto& element : proto.tensor_values()) elements.push_back(tensor_of(element, file_bytes));
  return Tensor::sequence(std::move(elements));
}

Tensor content_of(const onnx::OptionalProto& proto, size_t file_bytes) {
  switch (proto.elem_type()) {
    case onnx::OptionalProto::UNDEFINED: return {};
    case onnx::OptionalProto::TENSOR: return tensor_of(proto.tensor_value(), file_bytes);
    case onnx::OptionalProto::SEQUENCE: return sequence_of(proto.sequence_value(), file_bytes);
    default: refuse_tensor(ErrorCode::Unsupported, "holds an optional that is neither a tensor nor a sequence");
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
  const std::string bytes = FileBytes::open(path)->content();
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
