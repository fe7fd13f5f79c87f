#include "model/file/model_shell.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/mapped_file.h"
#include "model/file/wire_fields.h"

namespace detent {

namespace {

constexpr size_t kLeastStored = 4096;  // bytes of raw data; less is not worth a second read of the file

void append_message(std::string& out, uint64_t number, std::string_view message) {
  const auto put_varint = [&out](uint64_t rest) {
    for (; rest >= 0x80; rest >>= 7) out.push_back(static_cast<char>(rest | 0x80));
    out.push_back(static_cast<char>(rest));
  };
  put_varint(number << 3 | 2);
  put_varint(message.size());
  out.append(message);
}

/// A cutter of large raw data out of a serialised model; keeps their places.
class Shell {
 public:
  /// Cuts; returns false when `model` has to be read as a whole.
  bool cut(std::string_view model) {
    bool has_graph = false;
    return each_field(model, bytes_,
                      [&](const WireField& field, std::string& out) {
                        if (field.number != onnx::ModelProto::kGraphFieldNumber || !field.is_delimited) return false;
                        std::string graph;
                        complete_ =
                            complete_ && !has_graph && cut_graph(field.content, graph);  // two graphs would be merged
                        has_graph = true;
                        append_message(out, field.number, graph);
                        return true;
                      }) &&
           complete_;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Returns by initializer of the main graph its raw data where that was cut out.
  [[nodiscard]] const std::vector<std::optional<std::string_view>>& raw() const { return raw_; }

 private:
  /// Copies every field of `message` to `out` that `replace` has not written.
  template <class Replace>
  static bool each_field(std::string_view message, std::string& out, Replace replace) {
    while (!message.empty()) {
      const std::optional<WireField> field = take_field(message);
      if (!field) return false;
      if (!replace(*field, out)) out.append(field->whole);
    }
    return true;
  }

  bool cut_graph(std::string_view graph, std::string& out) {
    return each_field(graph, out, [&](const WireField& field, std::string& written) {
      if (field.number != onnx::GraphProto::kInitializerFieldNumber || !field.is_delimited) return false;
      std::string tensor;
      raw_.emplace_back();
      complete_ = complete_ && cut_tensor(field.content, tensor);
      append_message(written, field.number, tensor);
      return true;
    });
  }

  bool cut_tensor(std::string_view tensor, std::string& out) {
    return each_field(tensor, out, [&](const WireField& field, std::string&) {
      if (field.number != onnx::TensorProto::kRawDataFieldNumber || field.content.size() < kLeastStored) return false;
      raw_.back() = field.content;
      return true;
    });
  }

  std::string bytes_;
  std::vector<std::optional<std::string_view>> raw_;
  bool complete_ = true;
};

bool parse(std::string_view bytes, onnx::ModelProto& proto) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  const google::protobuf::LogSilencer silence;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return proto.ParseFromZeroCopyStream(&stream);
}

}  // namespace

ModelShell parse_model_shell(const MappedFile& file) {
  ModelShell result;
  auto proto = std::make_unique<onnx::ModelProto>();
  Shell shell;
  const bool cut = shell.cut(file.bytes());
  if (!parse(cut ? shell.bytes() : file.bytes(), *proto)) return result;
  for (int i = 0; cut && i < proto->graph().initializer_size(); ++i)
    if (const std::optional<std::string_view> raw = shell.raw()[static_cast<size_t>(i)])
      result.raw.push_back({i, static_cast<uint64_t>(raw->data() - file.bytes().data()), raw->size()});
  result.proto = std::move(proto);
  return result;
}

}  // namespace detent
