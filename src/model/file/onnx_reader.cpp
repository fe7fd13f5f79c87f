#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <fstream>

#include "core/files/mapped_file.h"
#include "core/files/reach.h"
#include "core/system_reason.h"
#include "model/file/convert_old_opset.h"
#include "model/file/default_domain.h"
#include "model/file/external_data.h"
#include "model/file/model_shell.h"
#include "model/file/onnx_checker.h"
#include "model/graph/file_boundary.h"
#include "model/graph/graph_indexer.h"
#include "model/graph/node_names.h"
#include "model/graph/stored_data.h"
#include "model/model.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

// The opsets that Detent reads; models of older opsets are converted.
constexpr int64_t kOldestOpset = 7;
constexpr int64_t kNewestOpset = 28;

Error invalid(const std::string& message, std::string hint = {}) {
  return {ErrorCode::InvalidModel, message, std::move(hint)};
}

/// Refuses a path that is no readable file, before protobuf sees it.
void check_file(const fs::path& path) {
  std::error_code error;
  if (const std::string why = no_reach(path); !why.empty()) throw invalid(why);
  if (is_folder(path)) throw invalid("is a folder, not an ONNX file");
  if (!is_regular(path))  // a model is opened twice, and a pipe may never end or begin
    throw invalid("is not a regular file (a pipe or a device)", "write the model to a file first");
  if (fs::file_size(path, error) == 0) throw invalid("the file is empty");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw invalid(with_system_reason("cannot be opened for reading"));
  constexpr std::string_view kPointer = "version https://git-lfs";
  std::string start(kPointer.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == kPointer) throw invalid("is a Git LFS pointer, not the model itself", "run 'git lfs pull' beside it");
}

ModelShell parse_file(const MappedFile& file) {
  ModelShell shell = parse_model_shell(file);
  if (!shell.proto)  // protobuf's bound: 100 messages, three for each graph in a graph
    throw invalid(
        "is not an ONNX model, is truncated, or its graphs are nested deeper than 32 (protobuf cannot parse it)");
  return shell;
}

void check_header(const onnx::ModelProto& proto) {
  if (!proto.has_graph() || proto.ir_version() <= 0)
    throw invalid("is not an ONNX model (it has no graph or no IR version)");
  if (proto.opset_import_size() == 0) throw invalid("the model imports no operator set; the file may be truncated");
  const int64_t opset = default_opset(proto);
  if (opset < 0) throw invalid("the model imports opset " + std::to_string(opset) + ", and versions begin at 1");
  if (opset > kNewestOpset)
    throw invalid("the model uses opset " + std::to_string(opset) + "; opsets up to " + std::to_string(kNewestOpset) +
                      " can be read",
                  "export the model again with an older opset");
}

/// Sorts the file's nodes into execution order, which they nearly always have.
void sort_nodes(onnx::ModelProto& proto) {
  const std::unique_ptr<Graph> graph = index_graph(proto);
  const std::vector<std::string> names = node_names(proto.graph());
  NodeMap<int> position_of(names.size());
  bool sorted = true;
  for (size_t i = 0; i < names.size(); ++i) {
    const NodeId id = *graph->find_node(names[i]);  // by the same names
    position_of[id] = static_cast<int>(i);
    sorted = sorted && id == NodeId(i);
  }
  if (sorted) return;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> ordered;
  for (const int position : position_of) ordered.Add()->Swap(proto.mutable_graph()->mutable_node(position));
  proto.mutable_graph()->mutable_node()->Swap(&ordered);
}

/// Checks and completes a document from any source.
void make_readable(onnx::ModelProto& proto) {
  use_empty_default_domain(proto);
  const int64_t opset = default_opset(proto);
  if (opset > 0 && opset < kOldestOpset) convert_old_opset(proto, opset, kOldestOpset);
  sort_nodes(proto);
}

}  // namespace

Model read_model(const fs::path& path) {
  try {
    check_file(path);
    const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
    ModelShell shell = parse_file(*file);
    onnx::ModelProto& proto = *shell.proto;
    check_header(proto);
    std::vector<std::shared_ptr<const MappedFile>> files;
    for (const auto& [location, data] : load_external_data(proto, path)) files.push_back(data);
    for (const ModelShell::Raw& raw : shell.raw) {
      onnx::TensorProto& tensor = *proto.mutable_graph()->mutable_initializer(raw.initializer);
      if (!has_stored_data(tensor)) set_stored_data(tensor, *file, raw.offset, raw.length);
    }
    if (!shell.raw.empty()) files.push_back(file);
    make_readable(proto);
    for (const onnx::NodeProto& node : proto.graph().node())
      if (node.domain() == kBoundaryDomain)
        throw invalid("node '" + node.name() + "' has the domain " + std::string(kBoundaryDomain) +
                      ", which stands between the files of a pipeline while they are one model");
    return Model(std::move(shell.proto), path, std::move(files));
  } catch (const Error& error) {
    throw error.in(path.string());
  } catch (const fs::filesystem_error& error) {
    throw invalid(path.string() + ": " + error.code().message());
  }
}

Model read_back(const fs::path& path) {
  Model model = read_model(path);
  try {
    run_onnx_checker(model.mutable_proto());
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return model;
}

Model parse_model_text(const std::string& text) {
  auto proto = std::make_unique<onnx::ModelProto>();
  const onnx::Common::Status status = onnx::OnnxParser::Parse(*proto, text.c_str());
  if (!status.IsOK()) throw invalid("the model text cannot be parsed: " + status.ErrorMessage());
  check_header(*proto);
  make_readable(*proto);
  return Model(std::move(proto));
}

}  // namespace detent
