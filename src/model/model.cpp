#include "model/model.h"

#include <onnx/onnx_pb.h>

#include <mutex>

#include "model/graph/graph_indexer.h"
#include "model/graph/stored_data.h"

namespace detent {

struct Model::State {
  std::unique_ptr<onnx::ModelProto> proto;
  std::filesystem::path path;
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::mutex mutex;  // graph() is const: two threads may call it at once
  std::unique_ptr<Graph> graph;
};

Model::Model(std::unique_ptr<onnx::ModelProto> proto, std::filesystem::path path,
             std::vector<std::shared_ptr<const MappedFile>> files)
    : state_(std::make_unique<State>()) {
  state_->files = std::move(files);
  state_->proto = std::move(proto);
  state_->path = std::move(path);
}

Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::clone() const {
  return Model(std::make_unique<onnx::ModelProto>(*state_->proto), state_->path, state_->files);
}

const std::filesystem::path& Model::path() const { return state_->path; }

int64_t Model::ir_version() const { return state_->proto->ir_version(); }

std::map<std::string, int64_t> Model::opsets() const {
  std::map<std::string, int64_t> opsets;
  for (const onnx::OperatorSetIdProto& set : state_->proto->opset_import())
    opsets[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
  return opsets;
}

size_t Model::byte_size() const {
  size_t bytes = state_->proto->ByteSizeLong();
  for (const onnx::TensorProto& tensor : state_->proto->graph().initializer())
    if (has_stored_data(tensor)) bytes += raw_bytes(tensor).size();
  return bytes;
}

const Graph& Model::graph() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->graph) state_->graph = index_graph(*state_->proto);
  return *state_->graph;
}

const onnx::ModelProto& Model::proto() const { return *state_->proto; }

onnx::ModelProto& Model::mutable_proto() {
  state_->graph.reset();
  return *state_->proto;
}

}  // namespace detent
