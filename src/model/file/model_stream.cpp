#include "model/file/model_stream.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <string>
#include <string_view>

#include "core/files/mapped_file.h"
#include "model/file/detached_initializers.h"
#include "model/file/wire_fields.h"
#include "model/graph/stored_data.h"

namespace detent {

namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

constexpr uint32_t tag_of(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

/// Returns the bytes of a length-delimited field: tag, length, content.
uint64_t field_bytes(int field, uint64_t content) {
  return CodedOutputStream::VarintSize32(tag_of(field)) + CodedOutputStream::VarintSize64(content) + content;
}

/// A serialised message, split where the field `number` belongs.
struct Parted {
  std::string bytes;
  size_t before = 0;

  Parted(std::string serialised, int number) : bytes(std::move(serialised)) {
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::optional<WireField> field = take_field(rest);
      if (!field || field->number >= static_cast<uint64_t>(number)) return;
      before = bytes.size() - rest.size();
    }
  }
  void write_before(CodedOutputStream& out) const { out.WriteRaw(bytes.data(), static_cast<int>(before)); }
  void write_behind(CodedOutputStream& out) const {
    out.WriteRaw(bytes.data() + before, static_cast<int>(bytes.size() - before));
  }
};

std::string serialised(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

/// Returns a tensor whose data stays in a file, without its place.
Parted header_of(const onnx::TensorProto& tensor) {
  onnx::TensorProto header = tensor;
  header.clear_external_data();
  header.clear_data_location();
  return {serialised(header), onnx::TensorProto::kRawDataFieldNumber};
}

uint64_t tensor_bytes(const onnx::TensorProto& tensor) {
  if (!has_stored_data(tensor)) return tensor.ByteSizeLong();
  return header_of(tensor).bytes.size() + field_bytes(onnx::TensorProto::kRawDataFieldNumber, raw_bytes(tensor).size());
}

using Tensors = google::protobuf::RepeatedPtrField<onnx::TensorProto>;

uint64_t initializer_bytes(const Tensors& tensors) {
  uint64_t bytes = 0;
  for (const onnx::TensorProto& tensor : tensors)
    bytes += field_bytes(onnx::GraphProto::kInitializerFieldNumber, tensor_bytes(tensor));
  return bytes;
}

void write_tensor(const onnx::TensorProto& tensor, CodedOutputStream& out) {
  if (!has_stored_data(tensor)) {
    tensor.SerializeToCodedStream(&out);
    return;
  }
  const Parted header = header_of(tensor);
  const std::string_view raw = raw_bytes(tensor);
  header.write_before(out);
  out.WriteVarint32(tag_of(onnx::TensorProto::kRawDataFieldNumber));
  out.WriteVarint64(raw.size());
  out.WriteRaw(raw.data(), static_cast<int>(raw.size()));
  header.write_behind(out);
  let_go_of_pages(raw.data(), raw.size());
}

/// The document in three shells: the model around its graph, the graph around its initializers, and the initializers.
class Stream {
 public:
  explicit Stream(onnx::ModelProto& proto)
      : held_(*proto.mutable_graph()), graph_(serialised(proto.graph()), onnx::GraphProto::kInitializerFieldNumber),
        model_(without_graph(proto), onnx::ModelProto::kGraphFieldNumber),
        graph_bytes_(graph_.bytes.size() + initializer_bytes(held_.tensors())) {}

  [[nodiscard]] uint64_t bytes() const {
    return model_.bytes.size() + field_bytes(onnx::ModelProto::kGraphFieldNumber, graph_bytes_);
  }

  void write(CodedOutputStream& out) const {
    model_.write_before(out);
    out.WriteVarint32(tag_of(onnx::ModelProto::kGraphFieldNumber));
    out.WriteVarint64(graph_bytes_);
    graph_.write_before(out);
    for (const onnx::TensorProto& tensor : held_.tensors()) {
      out.WriteVarint32(tag_of(onnx::GraphProto::kInitializerFieldNumber));
      out.WriteVarint64(tensor_bytes(tensor));
      write_tensor(tensor, out);
    }
    graph_.write_behind(out);
    model_.write_behind(out);
  }

 private:
  static std::string without_graph(onnx::ModelProto& proto) {
    onnx::GraphProto* const graph = proto.release_graph();
    std::string bytes = serialised(proto);
    proto.set_allocated_graph(graph);
    return bytes;
  }

  const DetachedInitializers held_;
  const Parted graph_, model_;
  const uint64_t graph_bytes_;
};

}  // namespace

bool write_model_stream(onnx::ModelProto& proto, google::protobuf::io::ZeroCopyOutputStream& stream) {
  const Stream document(proto);
  if (document.bytes() > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return false;
  CodedOutputStream out(&stream);
  document.write(out);
  out.Trim();
  return !out.HadError();
}

}  // namespace detent
