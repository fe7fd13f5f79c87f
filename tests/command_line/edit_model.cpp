// edit_model IN.onnx OUT.onnx EDIT ARG...: one change to a model that no exporter would make, for the tests of this
// folder.
#include <onnx/onnx_pb.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

constexpr const char* kUsage =
    "edit_model IN.onnx OUT.onnx EDIT ARG...\n"
    "  external TENSOR LOCATION OFFSET LENGTH   the initializer's data lies there; LENGTH - for none\n"
    "  type NAME NUMBER                         element type of every tensor and value of that name\n"
    "  constant NODE NUMBER                     element type of a Constant's value; NODE is a name, or the operator of "
    "a nameless one\n"
    "  dims TENSOR A,B,...                      of an initializer\n"
    "  sparse NAME A,B,...                      adds a sparse initializer of two elements\n"
    "  value OLD NEW                            renames a value everywhere\n"
    "  node OLD NEW                             renames a node\n"
    "  operator OLD NEW                         renames an operator\n"
    "  input NODE SLOT NEW                      what a node reads\n"
    "  output NODE SLOT NEW                     what a node writes\n"
    "  again output|initializer|input NAME      stands in the list a second time\n"
    "  drop initializer NAME                    is gone\n";

onnx::TensorProto& initializer(onnx::GraphProto& graph, const std::string& name) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer())
    if (tensor.name() == name) return tensor;
  throw std::invalid_argument("no initializer " + name);
}

onnx::NodeProto& node(onnx::GraphProto& graph, const std::string& name) {
  for (onnx::NodeProto& each : *graph.mutable_node())
    if (each.name() == name || (each.name().empty() && each.op_type() == name)) return each;
  throw std::invalid_argument("no node " + name);
}

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> found;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) found.push_back(std::stoll(part));
  return found;
}

void set_dims(onnx::TensorProto& tensor, const std::string& text) {
  tensor.clear_dims();
  for (const int64_t extent : numbers(text)) tensor.add_dims(extent);
}

void make_external(onnx::GraphProto& graph, const Words& words) {
  onnx::TensorProto& tensor = initializer(graph, words.at(0));
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const std::map<std::string, std::string> entries{
      {"location", words.at(1)}, {"offset", words.at(2)}, {"length", words.at(3)}};
  for (const auto& [key, value] : entries) {
    if (value == "-") continue;
    auto* entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
}

void set_type(onnx::GraphProto& graph, const Words& words) {
  const int type = std::stoi(words.at(1));
  for (onnx::TensorProto& tensor : *graph.mutable_initializer())
    if (tensor.name() == words[0]) tensor.set_data_type(type);
  for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto& value : *list)
      if (value.name() == words[0]) value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

void rename_value(onnx::GraphProto& graph, const Words& words) {
  const auto rename = [&](std::string* name) {
    if (*name == words.at(0)) *name = words.at(1);
  };
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) rename(tensor.mutable_name());
  for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto& value : *list) rename(value.mutable_name());
  for (onnx::NodeProto& each : *graph.mutable_node())
    for (auto* list : {each.mutable_input(), each.mutable_output()})
      for (std::string& name : *list) rename(&name);
}

void add_sparse(onnx::GraphProto& graph, const Words& words) {
  onnx::SparseTensorProto& sparse = *graph.add_sparse_initializer();
  sparse.mutable_values()->set_name(words.at(0));
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(2);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(2);
  for (const int i : {0, 1}) {
    sparse.mutable_values()->add_float_data(1);
    sparse.mutable_indices()->add_int64_data(i);
  }
  for (const int64_t extent : numbers(words.at(1))) sparse.add_dims(extent);
}

void repeat(onnx::GraphProto& graph, const Words& words) {
  const auto again = [&](auto* list) {
    for (int i = 0; i < list->size(); ++i)
      if (list->Get(i).name() == words.at(1))
        return *list->Add() = typename std::decay_t<decltype(*list)>::value_type(list->Get(i)), true;
    return false;
  };
  const bool found = words.at(0) == "output"  ? again(graph.mutable_output())
                     : words.at(0) == "input" ? again(graph.mutable_input())
                                              : again(graph.mutable_initializer());
  if (!found) throw std::invalid_argument("no " + words[0] + " " + words[1]);
}

void drop(onnx::GraphProto& graph, const Words& words) {
  const auto* tensor = &initializer(graph, words.at(1));
  const auto& list = graph.initializer();
  for (int i = 0; i < list.size(); ++i)
    if (&list[i] == tensor) return graph.mutable_initializer()->DeleteSubrange(i, 1);
}

const std::map<std::string, std::function<void(onnx::GraphProto&, const Words&)>>& edits() {
  static const std::map<std::string, std::function<void(onnx::GraphProto&, const Words&)>> kEdits{
      {"external", make_external},
      {"type", set_type},
      {"constant",
       [](auto& graph, auto& words) {
         node(graph, words.at(0)).mutable_attribute(0)->mutable_t()->set_data_type(std::stoi(words.at(1)));
       }},
      {"dims", [](auto& graph, auto& words) { set_dims(initializer(graph, words.at(0)), words.at(1)); }},
      {"sparse", add_sparse},
      {"value", rename_value},
      {"node", [](auto& graph, auto& words) { node(graph, words.at(0)).set_name(words.at(1)); }},
      {"operator",
       [](auto& graph, auto& words) {
         for (onnx::NodeProto& each : *graph.mutable_node())
           if (each.op_type() == words.at(0)) each.set_op_type(words.at(1));
       }},
      {"input",
       [](auto& graph, auto& words) { node(graph, words.at(0)).set_input(std::stoi(words.at(1)), words.at(2)); }},
      {"output",
       [](auto& graph, auto& words) { node(graph, words.at(0)).set_output(std::stoi(words.at(1)), words.at(2)); }},
      {"again", repeat},
      {"drop", drop},
  };
  return kEdits;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || !edits().contains(argv[3])) return std::fputs(kUsage, stderr), 2;
  try {
    onnx::ModelProto model;
    std::ifstream in(argv[1], std::ios::binary);
    if (!model.ParseFromIstream(&in)) throw std::invalid_argument(std::string(argv[1]) + " is no model");
    edits().at(argv[3])(*model.mutable_graph(), {argv + 4, argv + argc});
    std::ofstream(argv[2], std::ios::binary) << model.SerializeAsString();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "edit_model: %s\n", error.what());
    return 1;
  }
  return 0;
}
