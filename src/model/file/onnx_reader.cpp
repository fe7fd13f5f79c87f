#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <fcntl.h>
#include <unistd.h>
#include <fstream>

#include "core/system_reason.h"
#include "model/file/convert_old_opset.h"
#include "model/file/external_data.h"
#include "model/file/first_line.h"
#include "model/graph/graph_indexer.h"
#include "model/graph/node_names.h"
#include "model/model.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

// The newest versions that the installed libonnx (1.12) knows. Source: onnx/defs/operator_sets.h and onnx.proto Version
// of that release.
constexpr int64_t kCheckerOpset = 17;
constexpr int64_t kCheckerIr = 8;
// The opsets that Detent reads; models of older ones are converted.
constexpr int64_t kOldestOpset = 7;
constexpr int64_t kNewestOpset = 28;

Error invalid(const std::string& message, std::string hint = {}) {
  return {ErrorCode::InvalidModel, message, std::move(hint)};
}

/// Refuses a path that is no readable file, before protobuf sees it.
void check_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw invalid("there is no such file");
  if (fs::is_directory(status)) throw invalid("is a folder, not an ONNX file");
  if (fs::is_regular_file(status) && fs::file_size(path, error) == 0) throw invalid("the file is empty");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw invalid("cannot be opened for reading");
  constexpr std::string_view kPointer = "version https://git-lfs";
  std::string start(kPointer.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == kPointer) throw invalid("is a Git LFS pointer, not the model itself", "run 'git lfs pull' beside it");
}

std::unique_ptr<onnx::ModelProto> parse_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw invalid(with_system_reason("cannot be opened for reading"));
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  const google::protobuf::LogSilencer silence;
  auto proto = std::make_unique<onnx::ModelProto>();
  if (!proto->ParseFromZeroCopyStream(&stream))
    throw invalid("is not an ONNX model, or is truncated (protobuf cannot parse it)");
  return proto;
}

int64_t default_opset(const onnx::ModelProto& proto) {
  for (const onnx::OperatorSetIdProto& set : proto.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") return set.version();
  return 0;
}

void check_header(const onnx::ModelProto& proto) {
  if (!proto.has_graph() || proto.ir_version() <= 0)
    throw invalid("is not an ONNX model (it has no graph or no IR version)");
  if (proto.opset_import_size() == 0) throw invalid("the model imports no operator set; the file may be truncated");
  const int64_t opset = default_opset(proto);
  if (opset > kNewestOpset)
    throw invalid("the model uses opset " + std::to_string(opset) + "; opsets up to " + std::to_string(kNewestOpset) +
                      " can be read",
                  "export the model again with an older opset");
}

/// False when an operator is in no schema: the checker would stop at the first, we list all of them before a run.
bool knows_all_operators(const onnx::GraphProto& graph, int64_t opset) {
  for (const onnx::NodeProto& node : graph.node()) {
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    if (standard && !onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset))) return false;
    for (const onnx::AttributeProto& attribute : node.attribute())
      if (attribute.has_g() && !knows_all_operators(attribute.g(), opset)) return false;
  }
  return true;
}

/// libonnx's checker wants a graph name although engines do not; it gets one for the time of the check.
class LentGraphName {
 public:
  explicit LentGraphName(onnx::GraphProto& graph) : graph_(graph), lent_(graph.name().empty()) {
    if (lent_) graph_.set_name("graph");
  }
  ~LentGraphName() {
    if (lent_) graph_.clear_name();
  }
  LentGraphName(const LentGraphName&) = delete;
  LentGraphName& operator=(const LentGraphName&) = delete;

 private:
  onnx::GraphProto& graph_;
  bool lent_;
};

void run_onnx_checker(onnx::ModelProto& proto) {
  const int64_t opset = default_opset(proto);
  if (proto.ir_version() > kCheckerIr || opset > kCheckerOpset || !knows_all_operators(proto.graph(), opset)) return;
  const google::protobuf::LogSilencer silence;
  const LentGraphName name(*proto.mutable_graph());
  try {
    onnx::checker::check_model(proto);
  } catch (const std::exception& error) {
    throw invalid("the ONNX checker refuses the model: " + first_line(error.what()));
  }
}

/// Brings the file's nodes into execution order; nearly always they are already.
void sort_nodes(onnx::ModelProto& proto) {
  const std::unique_ptr<Graph> graph = index_graph(proto);
  const std::vector<std::string> names = node_names(proto.graph());
  std::vector<int> position_of(names.size());
  bool sorted = true;
  for (size_t i = 0; i < names.size(); ++i) {
    const NodeId id = graph->find_node(names[i]);
    position_of[static_cast<size_t>(id)] = static_cast<int>(i);
    sorted = sorted && id == static_cast<NodeId>(i);
  }
  if (sorted) return;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> ordered;
  for (const int position : position_of) ordered.Add()->Swap(proto.mutable_graph()->mutable_node(position));
  proto.mutable_graph()->mutable_node()->Swap(&ordered);
}

/// Checks and completes a document, wherever it comes from.
void make_readable(onnx::ModelProto& proto) {
  const int64_t opset = default_opset(proto);
  if (opset > 0 && opset < kOldestOpset) convert_old_opset(proto, opset, kOldestOpset);
  sort_nodes(proto);
  run_onnx_checker(proto);
}

}  // namespace

Model read_model(const fs::path& path) {
  try {
    check_file(path);
    std::unique_ptr<onnx::ModelProto> proto = parse_file(path);
    check_header(*proto);
    load_external_data(*proto, path);
    make_readable(*proto);
    return Model(std::move(proto), path);
  } catch (const Error& error) {
    throw error.in(path.string());
  } catch (const fs::filesystem_error& error) {
    throw invalid(path.string() + ": " + error.code().message());
  }
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
