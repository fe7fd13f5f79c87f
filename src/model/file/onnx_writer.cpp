#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <unistd.h>

#include "core/atomic_file.h"
#include "model/model.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::CannotWrite, path.string() + ": " + why};
}

void write_proto(AtomicFile& file, const fs::path& path, const onnx::ModelProto& proto) {
  const google::protobuf::LogSilencer silence;
  google::protobuf::io::FileOutputStream stream(file.descriptor());
  const bool serialised = proto.SerializeToZeroCopyStream(&stream);
  const bool flushed = stream.Flush();
  if (stream.GetErrno() != 0) file.fail(stream.GetErrno());
  if (!serialised || !flushed)
    throw cannot_write(path, "the model does not fit into one ONNX file (2 GiB without its initializers)");
}

/// Lends a model's initializers to the holder, so that the rest can be copied without the weights.
class DetachedInitializers {
 public:
  explicit DetachedInitializers(onnx::GraphProto& graph) : graph_(graph) { graph_.mutable_initializer()->Swap(&held_); }
  ~DetachedInitializers() { graph_.mutable_initializer()->Swap(&held_); }
  DetachedInitializers(const DetachedInitializers&) = delete;
  DetachedInitializers& operator=(const DetachedInitializers&) = delete;
  [[nodiscard]] const google::protobuf::RepeatedPtrField<onnx::TensorProto>& tensors() const { return held_; }

 private:
  onnx::GraphProto& graph_;
  google::protobuf::RepeatedPtrField<onnx::TensorProto> held_;
};

constexpr uint64_t kSmallTensor = 1024;  // bytes: shapes and scalars stay in the model file
constexpr uint64_t kPageBytes = 4096;    // readers may map the file; source: ONNX docs/ExternalData.md, "offset"

void set_external(onnx::TensorProto& header, const std::string& file, uint64_t offset, uint64_t length) {
  header.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, std::string text) {
    onnx::StringStringEntryProto* entry = header.add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(text));
  };
  add("location", file);
  add("offset", std::to_string(offset));
  add("length", std::to_string(length));
}

/// Copy of `tensor` without its data when that went into `data`, with it otherwise.
void write_tensor(const onnx::TensorProto& tensor, AtomicFile& data, const std::string& file, onnx::TensorProto& copy) {
  const std::string& raw = tensor.raw_data();
  if (raw.size() < kSmallTensor) {
    copy = tensor;
    return;
  }
  const uint64_t padding = (kPageBytes - data.size() % kPageBytes) % kPageBytes;
  data.write(std::string(padding, '\0'));
  set_external(copy, file, data.size(), raw.size());
  data.write(raw);
  copy.set_name(tensor.name());
  copy.set_data_type(tensor.data_type());
  *copy.mutable_dims() = tensor.dims();
  if (tensor.has_doc_string()) copy.set_doc_string(tensor.doc_string());
}

void write_with_data_file(onnx::ModelProto& proto, const fs::path& path, const WriteOptions& options) {
  const fs::path data_path = path.string() + ".data";
  AtomicFile data(data_path, options.overwrite), model(path, options.overwrite);
  onnx::ModelProto shell;
  {
    const DetachedInitializers held(*proto.mutable_graph());
    shell = proto;
    for (const onnx::TensorProto& tensor : held.tensors())
      write_tensor(tensor, data, data_path.filename().string(), *shell.mutable_graph()->add_initializer());
  }
  write_proto(model, path, shell);
  data.sync();
  model.sync();
  const bool replaces = fs::exists(data_path);
  data.commit();
  try {
    model.commit();
  } catch (const Error&) {
    if (!replaces) ::unlink(data_path.c_str());
    throw;
  }
}

}  // namespace

void write_model(const Model& model, const fs::path& path, const WriteOptions& options) {
  check_writable(path, options.overwrite);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))  // a rename would replace the device by a file
    throw cannot_write(path, "exists and is not a regular file");
  if (model.byte_size() > options.external_data_above) {
    // The model is the same before and after: its initializers only step aside while the rest is copied.
    write_with_data_file(const_cast<onnx::ModelProto&>(model.proto()), path, options);
  } else {
    AtomicFile file(path, options.overwrite);
    write_proto(file, path, model.proto());
    file.commit();
  }
}

}  // namespace detent
