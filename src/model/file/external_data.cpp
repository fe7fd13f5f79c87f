#include "model/file/external_data.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>

#include "core/files/allowed_folders.h"
#include "core/files/mapped_file.h"
#include "core/memory_limit.h"
#include "core/parse.h"
#include "detent/base/error.h"
#include "model/graph/stored_data.h"
#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

struct Location {
  std::string file;
  uint64_t offset = 0;
  std::optional<uint64_t> length;  // absent: what the tensor's shape and type take, as ONNX Runtime reads it
};

uint64_t number_of(const onnx::StringStringEntryProto& entry) {
  if (const auto number = parse_number<uint64_t>(entry.value())) return *number;
  throw Error(ErrorCode::InvalidModel, "external data " + entry.key() + " '" + entry.value() + "' is not a number");
}

Location location_of(const onnx::TensorProto& tensor) {
  Location location;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") location.file = entry.value();
    if (entry.key() == "offset") location.offset = number_of(entry);
    if (entry.key() == "length") location.length = number_of(entry);
  }
  if (location.file.empty()) throw Error(ErrorCode::InvalidModel, "external data without a location");
  return location;
}

bool is_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool is_allowed(const fs::path& real_file) {
  return std::ranges::any_of(allowed_folders(), [&](const fs::path& folder) { return is_inside(real_file, folder); });
}

/// Returns the path of the data. A model must not make Detent read files outside its folder: links are followed only
/// into the folder that the model file itself lies in (download caches link both files into one store), or a folder
/// that
/// --allow-external names.
fs::path checked_path(const std::string& location, const fs::path& model_file) {
  const std::string data = "external data '" + location + "'";
  const fs::path folder = fs::absolute(model_file).parent_path().lexically_normal();
  const fs::path file = (folder / location).lexically_normal();  // an absolute location stays
  const bool claims_inside = !fs::path(location).is_absolute() && is_inside(file, folder);
  const fs::path real_file = fs::weakly_canonical(file);
  const bool is_beside = claims_inside && (is_inside(real_file, fs::canonical(folder)) ||
                                           is_inside(real_file, fs::canonical(model_file).parent_path()));
  if (!is_beside && !is_allowed(real_file))
    throw Error(ErrorCode::InvalidModel, data + " lies outside the model's folder",
                "--allow-external DIR lets data lie in DIR too; or move it beside the model and save that again with a "
                "relative location");
  if (!fs::exists(real_file))
    throw claims_inside ? Error(ErrorCode::InvalidModel, data + " is missing beside the model",
                                "copy '" + location + "' into the folder of the model")
                        : Error(ErrorCode::InvalidModel, data + " is missing");
  if (!fs::is_regular_file(real_file))  // opening a pipe waits for a writer, a device has no end
    throw Error(ErrorCode::InvalidModel, data + " is not a regular file");
  return real_file;
}

class Loader {
 public:
  explicit Loader(fs::path model_file) : model_file_(std::move(model_file)) {}

  /// Makes the main graph's initializers look into their files, whose pages are read on demand.
  void load_main(onnx::GraphProto& graph) {
    for (onnx::TensorProto& tensor : *graph.mutable_initializer())
      locate(tensor, [&](const MappedFile& file, uint64_t offset, uint64_t length) {
        set_stored_data(tensor, file, offset, length);
      });
    load_rest(graph);
  }

  void load(onnx::GraphProto& graph) {
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) load(tensor);
    load_rest(graph);
  }

  void load_rest(onnx::GraphProto& graph) {
    for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer()) load(tensor);
    for (onnx::NodeProto& node : *graph.mutable_node()) load(node);
  }

  [[nodiscard]] const ExternalFiles& files() const { return files_; }

  void load(onnx::NodeProto& node) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) load(*attribute.mutable_t());
      if (attribute.has_g()) load(*attribute.mutable_g());
      if (attribute.has_sparse_tensor()) load(*attribute.mutable_sparse_tensor());
      for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) load(tensor);
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) load(graph);
    }
  }

 private:
  void load(onnx::SparseTensorProto& tensor) {
    if (tensor.has_values()) load(*tensor.mutable_values());
    if (tensor.has_indices()) load(*tensor.mutable_indices());
  }

  /// Copies data in attributes and subgraphs, which is small, into the document.
  void load(onnx::TensorProto& tensor) {
    locate(tensor, [&](const MappedFile& file, uint64_t offset, uint64_t length) {
      check_memory(length, [&] { return "external data of tensor '" + tensor.name() + "'"; });
      tensor.set_raw_data(std::string(file.bytes().substr(offset, length)));
      tensor.clear_external_data();
      tensor.clear_data_location();
    });
  }

  /// Calls use(file, offset, length) for a tensor whose data is external.
  template <class Use>
  void locate(const onnx::TensorProto& tensor, Use use) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    try {
      const Location location = location_of(tensor);
      const MappedFile& file = open(location.file);
      const uint64_t size = file.bytes().size();
      const uint64_t available = location.offset <= size ? size - location.offset : 0;
      const uint64_t wanted =
          location.length ? *location.length : std::min(available, raw_data_bytes(tensor).value_or(available));
      if (wanted > available || location.offset > size)
        throw Error(ErrorCode::InvalidModel,
                    "external data '" + location.file + "' is too short: " + std::to_string(wanted) + " bytes at " +
                        std::to_string(location.offset) + " wanted, the file has " + std::to_string(size));
      use(file, location.offset, wanted);
    } catch (const Error& error) {
      throw error.in("tensor '" + tensor.name() + "'");
    }
  }

  const MappedFile& open(const std::string& location) {
    std::shared_ptr<const MappedFile>& file = files_[location];
    if (!file) file = MappedFile::open(checked_path(location, model_file_));
    return *file;
  }

  fs::path model_file_;
  ExternalFiles files_;
};

}  // namespace

ExternalFiles load_external_data(onnx::ModelProto& model, const fs::path& model_file) {
  Loader loader(model_file);
  loader.load_main(*model.mutable_graph());
  for (onnx::FunctionProto& function : *model.mutable_functions())
    for (onnx::NodeProto& node : *function.mutable_node()) loader.load(node);
  return loader.files();
}

}  // namespace detent
