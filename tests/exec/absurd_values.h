#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "exec/one_node_protos.h"
#include "ops/signatures.h"

namespace detent::test {

/// One change that makes the node of a one-node model absurd.
struct Mutation {
  std::string name;
  std::function<void(onnx::ModelProto&)> apply;
  bool must_be_refused = false;  ///< a result would be wrong, too
};

inline constexpr int64_t kAbsurdIntegers[] = {0,
                                              -1,
                                              1,
                                              -3,
                                              7,
                                              100,
                                              std::numeric_limits<int64_t>::min(),
                                              std::numeric_limits<int64_t>::max(),
                                              int64_t{1} << 31,
                                              int64_t{1} << 40,
                                              int64_t{1} << 62,
                                              -(int64_t{1} << 40)};
inline const float kAbsurdFloats[] = {0,
                                      -1,
                                      1e30F,
                                      -1e30F,
                                      std::numeric_limits<float>::quiet_NaN(),
                                      std::numeric_limits<float>::infinity(),
                                      -std::numeric_limits<float>::infinity(),
                                      1e-30F};

class Mutations {
 public:
  explicit Mutations(const onnx::ModelProto& model) : model_(model), node_(model.graph().node(0)) {}

  std::vector<Mutation> all() {
    for (const onnx::AttributeProto& attribute : node_.attribute()) attribute_values(attribute);
    known_attributes();
    inputs();
    outputs();
    for (const bool fed : {false, true})
      for (int i = 0; i < model_.graph().initializer_size(); ++i) constant_values(i, fed);
    fed_shapes();
    return std::move(found_);
  }

 private:
  void add(const std::string& name, std::function<void(onnx::ModelProto&)> apply, bool must_be_refused = false) {
    found_.push_back({name, std::move(apply), must_be_refused});
  }

  /// Sets the attribute that `change` makes from an empty one of that name.
  void set(const std::string& attribute, const std::string& value, std::function<void(onnx::AttributeProto&)> change,
           bool must_be_refused = false) {
    add(
        attribute + " = " + value,
        [attribute, change](onnx::ModelProto& model) {
          onnx::NodeProto& node = node_of(model);
          auto& list = *node.mutable_attribute();
          for (int i = list.size(); i-- > 0;)
            if (list[i].name() == attribute) list.DeleteSubrange(i, 1);
          onnx::AttributeProto& changed = *node.add_attribute();
          changed.set_name(attribute);
          change(changed);
        },
        must_be_refused);
  }

  void set_ints(const std::string& name, const std::vector<int64_t>& values) {
    std::string text;
    for (const int64_t value : values) text += std::to_string(value) + " ";
    set(name, "[" + text + "]", [values](onnx::AttributeProto& attribute) {
      attribute.set_type(onnx::AttributeProto::INTS);
      attribute.mutable_ints()->Add(values.begin(), values.end());
    });
  }

  void set_floats(const std::string& name, const std::vector<float>& values) {
    set(name, "floats[" + std::to_string(values.size()) + "]", [values](onnx::AttributeProto& attribute) {
      attribute.set_type(onnx::AttributeProto::FLOATS);
      attribute.mutable_floats()->Add(values.begin(), values.end());
    });
  }

  void attribute_values(const onnx::AttributeProto& attribute) {
    const std::string& name = attribute.name();
    add(name + " left out", [name](onnx::ModelProto& model) {
      auto& list = *node_of(model).mutable_attribute();
      for (int i = list.size(); i-- > 0;)
        if (list[i].name() == name) list.DeleteSubrange(i, 1);
    });
    if (attribute.type() == onnx::AttributeProto::INTS)
      list_values<int64_t>({attribute.ints().begin(), attribute.ints().end()}, kAbsurdIntegers,
                           [&](const auto& values) { set_ints(name, values); });
    if (attribute.type() == onnx::AttributeProto::FLOATS)
      list_values<float>({attribute.floats().begin(), attribute.floats().end()}, kAbsurdFloats,
                         [&](const auto& values) { set_floats(name, values); });
    if (attribute.type() == onnx::AttributeProto::STRINGS)
      for (const int count : {0, 1, 2, 30})
        set(name, std::to_string(count) + " strings", [count](onnx::AttributeProto& changed) {
          changed.set_type(onnx::AttributeProto::STRINGS);
          for (int i = 0; i < count; ++i) changed.add_strings(i % 2 ? "nonsense" : "");
        });
    if (attribute.type() == onnx::AttributeProto::TENSOR) tensor_values(name);
    if (attribute.type() == onnx::AttributeProto::GRAPH) graph_values(attribute);
  }

  /// Sets lists: empty, shorter, longer, much longer, all of one value, each place with each value.
  template <class T, class Values, class Set>
  void list_values(std::vector<T> values, const Values& absurd, Set set_list) {
    set_list(std::vector<T>());
    set_list(std::vector<T>(values.begin(), values.end() - !values.empty()));
    std::vector<T> longer = values;
    longer.push_back(values.empty() ? T{1} : values.back());
    set_list(longer);
    set_list(std::vector<T>(40, values.empty() ? T{1} : values.front()));
    for (const T value : absurd) {
      set_list(std::vector<T>(values.size(), value));
      for (size_t i = 0; i < values.size(); ++i) {
        std::vector<T> changed = values;
        changed[i] = value;
        set_list(changed);
      }
    }
  }

  void tensor_values(const std::string& name) {
    for (const int type : {0, 1, 6, 7, 8, 9, 10, 16, 17, 21, 23, 99})
      for (const int64_t extent : {int64_t{0}, int64_t{1}, int64_t{3}, int64_t{-1}, int64_t{1} << 40})
        set(name, "tensor of type " + std::to_string(type) + " and extent " + std::to_string(extent),
            [type, extent](onnx::AttributeProto& changed) {
              changed.set_type(onnx::AttributeProto::TENSOR);
              changed.mutable_t()->set_data_type(type);
              changed.mutable_t()->add_dims(extent);
              changed.mutable_t()->set_raw_data("12345678");
            });
  }

  void graph_values(const onnx::AttributeProto& attribute) {
    const auto with = [&](const std::string& what, std::function<void(onnx::GraphProto&)> change) {
      set(attribute.name(), what, [original = attribute.g(), change](onnx::AttributeProto& changed) {
        changed.set_type(onnx::AttributeProto::GRAPH);
        *changed.mutable_g() = original;
        change(*changed.mutable_g());
      });
    };
    with("an empty graph", [](onnx::GraphProto& graph) { graph.Clear(); });
    with("a graph without outputs", [](onnx::GraphProto& graph) { graph.clear_output(); });
    with("a graph of one output less", [](onnx::GraphProto& graph) { graph.mutable_output()->RemoveLast(); });
    with("a graph of one output more", [](onnx::GraphProto& graph) { *graph.add_output() = graph.output(0); });
    with("a graph of one input more", [](onnx::GraphProto& graph) { graph.add_input()->set_name("unheard_of"); });
    with("a graph whose node has no input", [](onnx::GraphProto& graph) {
      for (auto& node : *graph.mutable_node()) node.clear_input();
    });
    if (attribute.g().input_size() > 0)
      with("a graph of one input less", [](onnx::GraphProto& graph) {
        const std::string name = graph.input(graph.input_size() - 1).name();
        graph.mutable_input()->RemoveLast();
        auto& tensor = *graph.add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(1);
        tensor.add_float_data(1);
      });
  }

  /// Sets the attributes of the signature, whether the node has them or not: every absurd number, string and type.
  void known_attributes() {
    for (const AttributeRule& rule : find_signature(node_.op_type(), model_.opset_import(0).version())->attributes) {
      const std::string name(rule.name);
      if (rule.type == "int")
        for (const int64_t value : kAbsurdIntegers) set_int(name, value);
      if (rule.type == "float")
        for (const float value : kAbsurdFloats) set_float(name, value);
      if (rule.type == "string")
        for (const char* value : {"", "nonsense", "\xff\xfe"}) set_string(name, value, !rule.choices.empty());
      if (rule.type == "ints" &&
          std::ranges::none_of(node_.attribute(), [&](const auto& one) { return one.name() == rule.name; }))
        list_values<int64_t>({1, 1}, kAbsurdIntegers, [&](const auto& values) { set_ints(name, values); });
      if (rule.type != "int") set_int(name, 1, true);
      if (rule.type != "string") set_string(name, "1", true);
      if (node_.op_type() == "Constant" || node_.op_type() == "Optional") continue;  // they have such attributes
      set(
          name, "a list of graphs",
          [](onnx::AttributeProto& attribute) {
            attribute.set_type(onnx::AttributeProto::GRAPHS);
            attribute.add_graphs();
          },
          true);
    }
  }

  void set_int(const std::string& name, int64_t value, bool must_be_refused = false) {
    set(
        name, std::to_string(value),
        [value](onnx::AttributeProto& attribute) {
          attribute.set_type(onnx::AttributeProto::INT);
          attribute.set_i(value);
        },
        must_be_refused);
  }

  void set_float(const std::string& name, float value) {
    set(name, std::to_string(value), [value](onnx::AttributeProto& attribute) {
      attribute.set_type(onnx::AttributeProto::FLOAT);
      attribute.set_f(value);
    });
  }

  void set_string(const std::string& name, const std::string& value, bool must_be_refused) {
    set(
        name, "'" + value + "'",
        [value](onnx::AttributeProto& attribute) {
          attribute.set_type(onnx::AttributeProto::STRING);
          attribute.set_s(value);
        },
        must_be_refused);
  }

  void inputs() {
    for (int i = 0; i < node_.input_size(); ++i) {
      add("only " + std::to_string(i) + " inputs", [i](onnx::ModelProto& model) {
        auto& list = *node_of(model).mutable_input();
        list.DeleteSubrange(i, list.size() - i);
      });
      add("input " + std::to_string(i) + " without a name",
          [i](onnx::ModelProto& model) { node_of(model).set_input(i, ""); });
      for (int other = 0; other < node_.input_size(); ++other)
        if (other != i && !node_.input(other).empty())
          add("input " + std::to_string(i) + " is input " + std::to_string(other) + " again",
              [i, other](onnx::ModelProto& model) { node_of(model).set_input(i, node_of(model).input(other)); });
    }
    if (node_.input_size() == 0) return;
    for (const int more : {1, 2, 40})
      add(std::to_string(more) + " inputs more", [more](onnx::ModelProto& model) {
        for (int i = 0; i < more; ++i) node_of(model).add_input(node_of(model).input(node_of(model).input_size() - 1));
      });
  }

  void outputs() {
    const auto only_existing = [](onnx::ModelProto& model) {
      auto& list = *model.mutable_graph()->mutable_output();
      for (int i = list.size(); i-- > 0;)
        if (std::ranges::find(node_of(model).output(), list[i].name()) == node_of(model).output().end())
          list.DeleteSubrange(i, 1);
    };
    for (int i = 0; i < node_.output_size(); ++i) {
      add("only " + std::to_string(i) + " outputs", [i, only_existing](onnx::ModelProto& model) {
        auto& list = *node_of(model).mutable_output();
        list.DeleteSubrange(i, list.size() - i);
        only_existing(model);
      });
      add("output " + std::to_string(i) + " without a name", [i, only_existing](onnx::ModelProto& model) {
        node_of(model).set_output(i, "");
        only_existing(model);
      });
    }
    for (const int more : {1, 2, 40})
      add(std::to_string(more) + " outputs more", [more](onnx::ModelProto& model) {
        for (int i = 0; i < more; ++i) {
          node_of(model).add_output("extra" + std::to_string(i));
          model.mutable_graph()->add_output()->set_name("extra" + std::to_string(i));
        }
      });
  }

  void change_constant(int index, bool fed, const std::string& what, std::function<void(onnx::TensorProto&)> change) {
    add((fed ? "fed " : "constant ") + model_.graph().initializer(index).name() + " " + what,
        [index, fed, change](onnx::ModelProto& model) {
          change(*model.mutable_graph()->mutable_initializer(index));
          if (fed) feed_constants(model);
        });
  }

  /// Changes integers and floats of a constant, one by one and all of them; its shape; its type.
  void constant_values(int index, bool fed) {
    const Tensor tensor = tensor_from_proto(model_.graph().initializer(index)).clone();
    const auto put = [this, index, fed, tensor](const std::string& what, auto element) {
      const auto count = tensor.element_count();
      for (int64_t i = -1; i < std::min<int64_t>(count, 8); ++i) {
        Tensor changed = tensor.clone();
        auto data = changed.mutable_data<decltype(element)>();
        for (int64_t j = 0; j < count; ++j)
          if (i < 0 || i == j) data[static_cast<size_t>(j)] = element;
        change_constant(index, fed, (i < 0 ? "all " : std::to_string(i) + " ") + what,
                        [changed](onnx::TensorProto& proto) {
                          const std::string name = proto.name();
                          tensor_to_proto(changed, proto);
                          proto.set_name(name);
                        });
      }
    };
    if (tensor.type() == DataType::Int64)
      for (const int64_t value : kAbsurdIntegers) put(std::to_string(value), value);
    if (tensor.type() == DataType::Int32)
      for (const int32_t value : {0, -1, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()})
        put(std::to_string(value), value);
    if (tensor.type() == DataType::Float32)
      for (const float value : kAbsurdFloats) put(std::to_string(value), value);
    for (const std::vector<int64_t>& extents :
         std::vector<std::vector<int64_t>>{{}, {0}, {1}, {1, 1}, {2, 0}, {40}, {1, 1, 1, 1, 1, 1}})
      for (const DataType type :
           {tensor.type(), DataType::Float32, DataType::Int64, DataType::Bool, DataType::Float16}) {
        Tensor changed(DataType::UInt8, Shape(extents));
        std::fill_n(static_cast<uint8_t*>(changed.mutable_raw()), changed.element_count(), uint8_t{1});
        changed = cast(changed, type);
        change_constant(index, fed,
                        "of shape " + changed.shape().to_string() + " and type " + std::string(name_of(type)),
                        [changed](onnx::TensorProto& proto) {
                          const std::string name = proto.name();
                          proto.Clear();
                          tensor_to_proto(changed, proto);
                          proto.set_name(name);
                        });
      }
    change_constant(index, fed, "as it is", [](onnx::TensorProto&) {});
  }

  /// Changes shapes and types of the values that are fed.
  void fed_shapes() {
    for (int i = 0; i < model_.graph().input_size(); ++i) {
      if (!model_.graph().input(i).type().has_tensor_type()) continue;
      const std::string& name = model_.graph().input(i).name();
      for (const std::vector<int64_t>& extents :
           std::vector<std::vector<int64_t>>{{},
                                             {0},
                                             {1},
                                             {2},
                                             {1, 1},
                                             {0, 3},
                                             {2, 0, 3},
                                             {1, 0, 2, 2},
                                             {1, 1, 1, 1},
                                             {2, 3, 4, 5},
                                             {1, 1, 1, 1, 1, 1},
                                             {3, 3, 3},
                                             {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}})
        add("input " + name + " of shape " + Shape(extents).to_string(), [i, extents](onnx::ModelProto& model) {
          auto& type = *model.mutable_graph()->mutable_input(i)->mutable_type()->mutable_tensor_type();
          type.mutable_shape()->Clear();
          for (const int64_t extent : extents) type.mutable_shape()->add_dim()->set_dim_value(extent);
        });
      for (const int type : {1, 2, 3, 6, 7, 9, 10, 11, 16})
        add("input " + name + " of type " + std::to_string(type), [i, type](onnx::ModelProto& model) {
          model.mutable_graph()->mutable_input(i)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
        });
    }
  }

  const onnx::ModelProto& model_;
  const onnx::NodeProto& node_;
  std::vector<Mutation> found_;
};

inline std::vector<Mutation> mutations_of(const onnx::ModelProto& model) { return Mutations(model).all(); }

}  // namespace detent::test
