#include "model/joined_models.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "detent/base/error.h"
#include "model/declare_ranks.h"
#include "model/graph/file_boundary.h"
#include "model/graph/node_names.h"
#include "model/graph_patch.h"
#include "model/held_files.h"

namespace detent {

namespace {

using Rename = std::function<std::string(const std::string&)>;

/// New names for everything in a graph.
struct Names {
  Rename values;   ///< and nodes; not called with ""
  Rename symbols;  ///< of open sizes
};

void rename_type(onnx::TypeProto& type, const Names& names) {
  if (type.has_sequence_type()) rename_type(*type.mutable_sequence_type()->mutable_elem_type(), names);
  if (type.has_optional_type()) rename_type(*type.mutable_optional_type()->mutable_elem_type(), names);
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return;
  for (auto& extent : *type.mutable_tensor_type()->mutable_shape()->mutable_dim())
    if (extent.has_dim_param() && !extent.dim_param().empty()) {
      const std::string symbol = names.symbols(extent.dim_param());
      symbol.empty() ? extent.clear_dim_param() : extent.set_dim_param(symbol);
    }
}

void rename_values(google::protobuf::RepeatedPtrField<std::string>& list, const Names& names) {
  for (std::string& name : list)
    if (!name.empty()) name = names.values(name);
}

void rename_graph(onnx::GraphProto& graph, const Names& names);

void rename_node(onnx::NodeProto& node, const Names& names) {
  if (!node.name().empty()) node.set_name(names.values(node.name()));
  rename_values(*node.mutable_input(), names);
  rename_values(*node.mutable_output(), names);
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) rename_graph(*attribute.mutable_g(), names);
    for (onnx::GraphProto& inner : *attribute.mutable_graphs()) rename_graph(inner, names);
  }
}

void rename_infos(google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos, const Names& names) {
  for (onnx::ValueInfoProto& info : infos) {
    info.set_name(names.values(info.name()));
    rename_type(*info.mutable_type(), names);
  }
}

void rename_graph(onnx::GraphProto& graph, const Names& names) {
  for (auto* infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    rename_infos(*infos, names);
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) tensor.set_name(names.values(tensor.name()));
  for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer())
    tensor.mutable_values()->set_name(names.values(tensor.values().name()));
  for (onnx::NodeProto& node : *graph.mutable_node()) rename_node(node, names);
  graph.clear_quantization_annotation();
}

/// Names of open sizes in a joined graph.
class Symbols {
 public:
  /// Samples are the same in all files, so that one name holds for whatever counts them.
  static std::string joined(const std::string& file, const std::string& symbol) {
    std::string small = symbol;
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small.find("batch") != std::string::npos ? "batch" : file + ":" + symbol;
  }
  /// Both name one size.
  void equate(const std::string& one, const std::string& other) {
    const std::string from = known(one), to = known(other);
    if (from != to) (to == "batch" ? same_[from] = to : same_[to] = from);
  }
  [[nodiscard]] std::string known(std::string name) const {
    for (auto found = same_.find(name); found != same_.end(); found = same_.find(name)) name = found->second;
    return name;
  }

 private:
  std::map<std::string, std::string> same_;
};

const onnx::TensorShapeProto* shape_of(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos,
                                       const std::string& name) {
  const auto found = std::ranges::find(infos, name, [](const auto& info) { return info.name(); });
  if (found == infos.end() || !found->type().has_tensor_type() || !found->type().tensor_type().has_shape())
    return nullptr;
  return &found->type().tensor_type().shape();
}

/// Makes one graph of the graphs of several models, whose names differ.
class Joiner {
 public:
  Joiner(const std::vector<FileFeed>& feeds, const std::optional<FrameFeed>& frames) : feeds_(feeds), frames_(frames) {
    if (!frames_) return;
    onnx::ValueInfoProto& frame = *joined_.mutable_graph()->add_input();
    frame.set_name(std::string(kFrameInput));
    auto& type = *frame.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::INT64);
    type.mutable_shape()->add_dim()->set_dim_value(1);
  }

  void add(const std::string& file, onnx::ModelProto& proto) {
    const std::vector<std::string> names = node_names(proto.graph());
    for (int i = 0; i < proto.graph().node_size(); ++i)
      proto.mutable_graph()->mutable_node(i)->set_name(names[static_cast<size_t>(i)]);
    rename_graph(*proto.mutable_graph(), {[&](const std::string& name) { return file + ":" + name; },
                                          [&](const std::string& symbol) { return Symbols::joined(file, symbol); }});
    import_operators(proto);
    joined_.set_ir_version(std::max(joined_.ir_version(), proto.ir_version()));
    add_inputs(*proto.mutable_graph());
    onnx::GraphProto &from = *proto.mutable_graph(), &to = *joined_.mutable_graph();
    for (const FileFeed& feed : feeds_)
      if (file_of_name(feed.second) == file) add_boundary(feed);
    move(*from.mutable_node(), *to.mutable_node());
    move(*from.mutable_initializer(), *to.mutable_initializer());
    move(*from.mutable_sparse_initializer(), *to.mutable_sparse_initializer());
    move(*from.mutable_output(), *to.mutable_output());
    move(*from.mutable_value_info(), *to.mutable_value_info());
  }

  Model take(const std::filesystem::path& path) {
    joined_.mutable_graph()->set_name("joined");
    if (!feeds_.empty()) {
      auto& set = *joined_.add_opset_import();
      set.set_domain(std::string(kBoundaryDomain));
      set.set_version(1);
    }
    equate_symbols();
    auto proto = std::make_unique<onnx::ModelProto>(std::move(joined_));
    auto files = held_files(*proto);
    return Model(std::move(proto), path, std::move(files));
  }

 private:
  template <class T>
  static void move(google::protobuf::RepeatedPtrField<T>& from, google::protobuf::RepeatedPtrField<T>& to) {
    for (T& one : from) to.Add()->Swap(&one);
  }

  void import_operators(const onnx::ModelProto& proto) {
    for (const onnx::OperatorSetIdProto& set : proto.opset_import()) {
      const auto known = std::ranges::find(*joined_.mutable_opset_import(), set.domain(),
                                           [](const auto& one) { return one.domain(); });
      if (known == joined_.mutable_opset_import()->end())
        *joined_.add_opset_import() = set;
      else if (known->version() != set.version())
        throw Error(ErrorCode::InvalidModel,
                    "the files import the operators of '" + set.domain() + "' in versions " +
                        std::to_string(known->version()) + " and " + std::to_string(set.version()),
                    "export them with one version");
    }
  }

  /// Adds the inputs that nothing feeds; one with an initializer is a constant.
  void add_inputs(onnx::GraphProto& graph) {
    std::unordered_set<std::string> constants;
    for (const onnx::TensorProto& tensor : graph.initializer()) constants.insert(tensor.name());
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
      if (constants.contains(input.name())) continue;
      const bool fed = std::ranges::find(feeds_, input.name(), &FileFeed::second) != feeds_.end();
      (fed ? joined_.mutable_graph()->add_value_info() : joined_.mutable_graph()->add_input())->Swap(&input);
    }
  }

  void add_boundary(const FileFeed& feed) {
    onnx::NodeProto& node = *joined_.mutable_graph()->add_node();
    node.set_domain(std::string(kBoundaryDomain));
    node.set_op_type(std::string(kBoundary));
    node.set_name(feed.second + "_from_" + feed.first);
    node.add_input(feed.first);
    node.add_output(feed.second);
    if (is_framed(feed)) read_frame(node);
  }

  [[nodiscard]] bool is_framed(const FileFeed& feed) const { return frames_ && feed.first == frames_->output; }

  void read_frame(onnx::NodeProto& node) {
    node.set_op_type(std::string(kFrameBoundary));
    node.add_input(std::string(kFrameInput));
    if (frames_->lengths) node.add_input(*frames_->lengths);
    if (!counted_) node.add_output(std::string(kFrameCount));
    counted_ = true;
    for (const auto& [name, number] : {std::pair("axis", static_cast<int64_t>(frames_->axis)),
                                       std::pair("keep", static_cast<int64_t>(frames_->keep))}) {
      onnx::AttributeProto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(number);
    }
  }

  void equate_symbols() {
    onnx::GraphProto& graph = *joined_.mutable_graph();
    Symbols symbols;
    for (const auto& [output, input] : feeds_) {
      if (is_framed({output, input})) continue;  // a frame has other sizes
      const auto *from = shape_of(graph.output(), output), *to = shape_of(graph.value_info(), input);
      for (int axis = 0; from && to && axis < std::min(from->dim_size(), to->dim_size()); ++axis)
        if (!from->dim(axis).dim_param().empty() && !to->dim(axis).dim_param().empty())
          symbols.equate(from->dim(axis).dim_param(), to->dim(axis).dim_param());
    }
    const Names names{[](const std::string& name) { return name; },
                      [&](const std::string& symbol) { return symbols.known(symbol); }};
    for (auto* infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
      rename_infos(*infos, names);
  }

  const std::vector<FileFeed>& feeds_;
  const std::optional<FrameFeed>& frames_;
  bool counted_ = false;  // a boundary counts the frames
  onnx::ModelProto joined_;
};

/// Returns the file of a node: that of what it writes.
std::string_view file_of_node(const onnx::NodeProto& node) {
  for (const std::string& output : node.output())
    if (!output.empty()) return file_of_name(output);
  return file_of_name(node.name());
}

}  // namespace

std::string_view file_of_name(std::string_view joined_name) {
  const size_t colon = joined_name.find(':');
  return colon == std::string_view::npos ? std::string_view() : joined_name.substr(0, colon);
}

std::vector<std::string> running_order(const std::vector<std::string>& files, const std::vector<FileFeed>& feeds) {
  std::vector<std::string> order;
  const auto is_done = [&](std::string_view file) { return std::ranges::find(order, file) != order.end(); };
  while (order.size() < files.size()) {
    const size_t before = order.size();
    for (const std::string& file : files) {
      const auto waits = [&](const FileFeed& feed) {
        return file_of_name(feed.second) == file && !is_done(file_of_name(feed.first));
      };
      if (!is_done(file) && std::ranges::none_of(feeds, waits)) order.push_back(file);
    }
    if (order.size() > before) continue;
    std::string circle;
    for (const auto& [output, input] : feeds)
      if (!is_done(file_of_name(output)) && !is_done(file_of_name(input)))
        circle += (circle.empty() ? "'" : ", '") + output + "' -> '" + input + "'";
    throw Error(ErrorCode::InvalidOption, "\"feeds\" go in a circle: " + circle,
                "what goes from one step to the next belongs to \"state\" of \"loop\"");
  }
  return order;
}

Model join_models(std::vector<NamedModel> models, const std::vector<FileFeed>& feeds, const std::filesystem::path& path,
                  const std::optional<FrameFeed>& frames) {
  std::vector<std::string> names;
  for (const NamedModel& one : models) names.push_back(one.name);
  Joiner joiner(feeds, frames);
  for (const std::string& name : running_order(names, feeds))
    joiner.add(name, std::ranges::find(models, name, &NamedModel::name)->model.mutable_proto());
  Model joined = joiner.take(path);
  check_graph(joined);
  return joined;
}

Model take_file(const Model& joined, const std::string& name, const Model& original,
                const std::map<std::string, size_t>& ranks) {
  const onnx::ModelProto& from = joined.proto();
  auto proto = std::make_unique<onnx::ModelProto>();
  {
    onnx::ModelProto& shell = *proto;
    const onnx::ModelProto& given = original.proto();
    shell.set_ir_version(from.ir_version());
    shell.set_producer_name(given.producer_name());
    shell.set_producer_version(given.producer_version());
    shell.set_domain(given.domain());
    shell.set_model_version(given.model_version());
    shell.set_doc_string(given.doc_string());
    *shell.mutable_metadata_props() = given.metadata_props();
    shell.mutable_graph()->set_name(given.graph().name());
    shell.mutable_graph()->set_doc_string(given.graph().doc_string());
  }
  onnx::GraphProto& graph = *proto->mutable_graph();
  std::set<std::string> domains{""};
  std::unordered_set<std::string> read;
  const std::function<void(const onnx::NodeProto&)> note = [&](const onnx::NodeProto& node) {
    domains.insert(node.domain());
    read.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (!attribute.has_g()) continue;
      for (const onnx::NodeProto& inner : attribute.g().node()) note(inner);
      for (const onnx::ValueInfoProto& output : attribute.g().output()) read.insert(output.name());
    }
  };
  for (const onnx::NodeProto& node : from.graph().node()) {
    if (node.domain() == kBoundaryDomain) continue;
    const std::string_view file = file_of_node(node);
    if (file.empty()) throw Error(ErrorCode::Internal, "the file of node '" + node.name() + "' is not known");
    if (file != name) continue;
    note(node);
    *graph.add_node() = node;
  }
  for (const onnx::ValueInfoProto& output : from.graph().output()) read.insert(output.name());
  for (const onnx::TensorProto& tensor : from.graph().initializer())
    if (read.contains(tensor.name()) || file_of_name(tensor.name()) == name) *graph.add_initializer() = tensor;
  for (const onnx::SparseTensorProto& tensor : from.graph().sparse_initializer())
    if (file_of_name(tensor.values().name()) == name) *graph.add_sparse_initializer() = tensor;
  std::unordered_set<std::string> written;
  for (const onnx::NodeProto& node : graph.node()) written.insert(node.output().begin(), node.output().end());
  for (const onnx::ValueInfoProto& info : from.graph().value_info())
    if (written.contains(info.name())) *graph.add_value_info() = info;
  const std::string inner = "_of_" + name + ":";  // names of new constants: WEIGHT_of_NODE
  const auto own_name = [&](const std::string& text) {
    std::string own = file_of_name(text) == name ? text.substr(name.size() + 1) : text;
    if (const size_t at = own.find(inner); at != std::string::npos) own.erase(at + 4, name.size() + 1);
    return own;
  };
  rename_graph(graph, {own_name, [](const std::string&) { return std::string(); }});  // sizes have other names here
  std::unordered_map<std::string, const onnx::ValueInfoProto*> declared;
  for (const onnx::ValueInfoProto& info : original.proto().graph().value_info()) declared.emplace(info.name(), &info);
  for (onnx::ValueInfoProto& info :
       *graph.mutable_value_info()) {  // sizes as the file names them, types as they are now
    const auto found = declared.find(info.name());
    if (found == declared.end()) continue;
    const onnx::TypeProto type = info.type();
    info = *found->second;
    if (type.has_tensor_type())
      info.mutable_type()->mutable_tensor_type()->set_elem_type(type.tensor_type().elem_type());
  }
  for (const onnx::OperatorSetIdProto& set : from.opset_import())
    if (domains.contains(set.domain())) *proto->add_opset_import() = set;

  // ends as the file has them; inputs that are constants go with their initializer
  std::unordered_set<std::string> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants.insert(tensor.name());
  std::unordered_set<std::string> was_constant;
  for (const onnx::TensorProto& tensor : original.proto().graph().initializer()) was_constant.insert(tensor.name());
  for (const onnx::ValueInfoProto& input : original.proto().graph().input())
    if (!was_constant.contains(input.name()) || constants.contains(input.name())) *graph.add_input() = input;
  *graph.mutable_output() = original.proto().graph().output();
  for (auto* infos : {graph.mutable_input(), graph.mutable_output()})
    for (onnx::ValueInfoProto& info : *infos)
      if (const auto rank = ranks.find(name + ":" + info.name()); rank != ranks.end()) declare_rank(info, rank->second);
  auto files = held_files(*proto);
  Model file(std::move(proto), original.path(), std::move(files));
  check_graph(file);
  return file;
}

}  // namespace detent
