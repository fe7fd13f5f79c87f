// Every optional input and output of every operator, absent once: plan, quantize and lint, for every target, give a
// result or an error of the documented codes. The node stands between weighted layers, where its types allow it, so
// that the rules look at it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <unistd.h>

#include "detent/detent.h"
#include "exec/executor.h"
#include "exec/one_node_protos.h"
#include "model/temporary_folder.h"
#include "ops/op_list.h"
#include "ops/signatures.h"

namespace detent {
namespace {

using test::OneNode;

constexpr std::array<const char*, 8> kTargets{"tensorrt", "tensorrt:11", "tensorrt:dla", "onnxruntime",
                                              "openvino", "qnn",         "web",          "web:webgpu"};

/// Nodes of ONNX beside those of kOneNodes: a Loop that its body ends, also without a number of steps.
constexpr OneNode kMoreNodes[] = {
    {17, "float[2,2] x", "int64 n = {2}, bool c = {1}",
     "y, s = Loop<body = b (int64 i, bool k, float[2,2] v) => (bool k2, float[2,2] w, float[2,2] o) "
     "{ t = Constant<value_int = 1>() k2 = Less(i, t) w = Abs(v) o = Neg(v) }>(n, c, x)"},
    {18, "float[2,4] x", "int64[1] a = {1}", "y = ReduceMax<keepdims = 1>(x, a)"},
    {18, "float[2,4] x", "int64[1] a = {1}", "y = ReduceMin<keepdims = 1>(x, a)"}};

/// Nodes of ONNX Runtime's operators that have optional inputs or outputs.
constexpr OneNode kMicrosoftNodes[] = {
    {17, "float[2,4] a",
     "int8[4,4] b = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}, float s = {0.1}, "
     "int8 z = {0}, float[4] c = {1, 2, 3, 4}",
     "y = com.microsoft.DynamicQuantizeMatMul(a, b, s, z, c)"},
    {17, "int32[1,2] i, int32[1,2] g, int32[1,2] m, int32[1,2] n",
     "float[3,2] w = {1, 2, 3, 4, 5, 6}, float[3,2] p = {1, 2, 3, 4, 5, 6}, float[2,2] s = {1, 2, 3, 4}, "
     "float[2] a = {1, 1}, float[2] b = {0, 0}",
     "y = com.microsoft.EmbedLayerNormalization(i, g, w, p, s, a, b, m, n)"},
    {17, "float[2,4] x", "float[4] b = {1, 2, 3, 4}", "y = com.microsoft.FastGelu(x, b)"},
    {17, "float[1,2,4,4] x, float[1,2,4,4] z", "float[2,2,1,1] w = {1, 2, 3, 4}, float[2] b = {1, 2}",
     "y = com.microsoft.FusedConv<activation = \"Relu\", kernel_shape = [1, 1]>(x, w, b, z)"},
    {17, "float[2,2] a", "float[2,2] b = {1, 2, 3, 4}, float[2] c = {1, 2}",
     "y = com.microsoft.FusedGemm<activation = \"Relu\">(a, b, c)"},
    {17, "float[2,4] x", "float[4] s = {1, 1, 1, 1}, float[4] b = {0, 0, 0, 0}",
     "y = com.microsoft.LayerNormalization<axis = -1>(x, s, b)"},
    {17, "float[2,4] x", "float[4] s = {1, 1, 1, 1}",
     "y = com.microsoft.SimplifiedLayerNormalization<axis = -1>(x, s)"},
    {17, "float[1,2,4] x, float[1,2,4] k",
     "float[4] g = {1, 1, 1, 1}, float[4] b = {0, 0, 0, 0}, float[4] c = {1, 2, 3, 4}",
     "y = com.microsoft.SkipLayerNormalization(x, k, g, b, c)"},
    {17, "float[1,2,4] x, float[1,2,4] k", "float[4] g = {1, 1, 1, 1}, float[4] c = {1, 2, 3, 4}",
     "y = com.microsoft.SkipSimplifiedLayerNormalization(x, k, g, c)"},
    {17, "float[1,2,4] q, float[1,2,4] k, float[1,2,4] v, int32 none",
     "float[12] b = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, float[1,1,2,2] m = {0, 0, 0, 0}",
     "y = com.microsoft.MultiHeadAttention<num_heads = 2>(q, k, v, b, none, m)"},
    {17, "float[1,2,4] x",
     "float[4,12] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 1, 2, "
     "3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, float[12] b = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
     "1, 1}",
     "y = com.microsoft.Attention<num_heads = 2>(x, w, b)"},
    {17, "float[1,2,4] q, float[1,2,4] k, float[1,2,4] v, float[1,2,2,2] c, float[1,2,2,2] d",
     "int32[1] l = {3}, int32 t = {4}",
     "y, pk, pv = com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 2>(q, k, v, c, d, l, t)"},
    {17, "float[2,16] x, int32 none",
     "uint8[4,1,8] b = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, "
     "9, 1, 2, 3, 4, 5}, float[4] s = {1, 1, 1, 1}, uint8[4] z = {8, 8, 8, 8}, float[4] c = {1, 2, 3, 4}",
     "y = com.microsoft.MatMulNBits<K = 16, N = 4, bits = 4, block_size = 16>(x, b, s, z, none, c)"},
    {17, "uint8[2,2] a", "float s = {0.1}, uint8 z = {1}, uint8[2,2] b = {1, 2, 3, 4}, int32[2] c = {1, 2}",
     "y = com.microsoft.QGemm(a, s, z, b, s, z, c, s, z)"},
    {17, "uint8[2,2] a, uint8[2,2] b", "float s = {0.1}, uint8 z = {1}",
     "y = com.microsoft.QLinearAdd(a, s, z, b, s, z, s, z)"},
    {17, "uint8[2,2] a, uint8[2,2] b", "float s = {0.1}, uint8 z = {1}",
     "y = com.microsoft.QLinearMul(a, s, z, b, s, z, s, z)"},
    {17, "uint8[1,1,4,4] a", "float s = {0.1}, uint8 z = {1}",
     "y = com.microsoft.QLinearAveragePool<kernel_shape = [2, 2]>(a, s, z, s, z)"},
    {17, "uint8[2,2] a", "float s = {0.1}, uint8 z = {1}",
     "y = com.microsoft.QLinearLeakyRelu<alpha = 0.1>(a, s, z, s, z)"},
    {17, "uint8[2,2] a", "float s = {0.1}, uint8 z = {1}", "y = com.microsoft.QLinearSigmoid(a, s, z, s, z)"},
    {17, "uint8[2,2] a", "float s = {0.1}, uint8 z = {1}",
     "y = com.microsoft.QLinearSoftmax<axis = 1, opset = 13>(a, s, z, s, z)"},
    {17, "uint8[2,2] a", "uint8[2,2] b = {1, 2, 3, 4}, float s = {0.1}, uint8 z = {1}, float[2] c = {1, 2}",
     "y = com.microsoft.MatMulIntegerToFloat(a, b, s, s, z, z, c)"},
};

char current_case[1000];  // for the handler, which may not allocate

extern "C" void tell_current_case(int signal) {
  const auto ignored = write(2, current_case, strlen(current_case));
  (void)ignored;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Returns floats from -1 up, integers and bools 0 and 1 in turn.
Tensor numbers(DataType type, const std::vector<int64_t>& extents) {
  Tensor content(DataType::Float32, Shape(extents));
  float next = 0;
  for (float& x : content.mutable_data<float>()) x = type == DataType::Float32 ? -1 + 0.125F * next++ : next = 1 - next;
  return cast(content, type);
}

/// Returns the operators of ONNX that Detent runs and that have an optional input or output.
std::set<std::string> operators_with_options() {
  const auto is_optional = [](const Parameter& one) { return one.presence == Parameter::Presence::MayBeAbsent; };
  std::set<std::string> names;
  for (const OperatorDef& op : operator_list())
    for (const Signature& signature : signatures_of(op.op_type))
      if (std::ranges::any_of(signature.inputs, is_optional) || std::ranges::any_of(signature.outputs, is_optional))
        names.emplace(op.op_type);
  return names;
}

/// Two samples of every input of a graph.
class Numbers final : public DataSource {
 public:
  explicit Numbers(const Graph& graph) {
    for (const ValueId id : graph.inputs()) {
      const Value& input = graph.value(id);
      if (*input.declared_type == DataType::Sequence)
        tensors_.push_back(Tensor::sequence({numbers(DataType::Float32, {2}), numbers(DataType::Float32, {2})}));
      else
        tensors_.push_back(numbers(*input.declared_type, *input.declared_shape));
    }
  }
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] size_t size() const override { return 2; }
  [[nodiscard]] std::string sample_name(size_t i) const override { return "sample" + std::to_string(i); }
  [[nodiscard]] Sample read(size_t i) const override { return {i, sample_name(i), tensors_}; }

 private:
  std::vector<Tensor> tensors_;
};

/// A model of one node, and what is absent in it.
struct Case {
  std::string what;
  onnx::ModelProto model;
};

template <class List>
bool holds(const List& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void trim(google::protobuf::RepeatedPtrField<std::string>& names) {
  while (!names.empty() && names[names.size() - 1].empty()) names.RemoveLast();
}

/// Takes the inputs and outputs of the graph away that the node does not have any more.
void drop_unused(onnx::ModelProto& model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  const onnx::NodeProto& node = graph.node(0);
  const auto drop = [](auto& list, const auto& names) {
    for (int i = list.size(); i-- > 0;)
      if (!holds(names, list[i].name())) list.DeleteSubrange(i, 1);
  };
  drop(*graph.mutable_output(), node.output());
  if (node.op_type() == "If" || node.op_type() == "Loop" || node.op_type() == "Scan")
    return;  // graphs inside read more
  drop(*graph.mutable_input(), node.input());
  drop(*graph.mutable_initializer(), node.input());
}

/// Names every output that the operator may have.
void name_all_outputs(onnx::ModelProto& model, const Signature& signature) {
  onnx::NodeProto& node = test::node_of(model);
  for (size_t slot = static_cast<size_t>(node.output_size()); slot < signature.outputs.size(); ++slot) {
    if (signature.outputs[slot].repeats()) break;
    const std::string name = "more_" + std::to_string(slot);
    node.add_output(name);
    model.mutable_graph()->add_output()->set_name(name);
  }
}

/// Returns the model without one input or output of its node; nullopt where none would be left.
std::optional<Case> without(const Case& whole, int slot, bool input) {
  Case one{whole.what + (input ? " without input " : " without output ") + std::to_string(slot), whole.model};
  onnx::NodeProto& node = test::node_of(one.model);
  auto& names = input ? *node.mutable_input() : *node.mutable_output();
  if (names[slot].empty()) return std::nullopt;
  names[slot].clear();
  trim(names);
  if (!input && names.empty()) return std::nullopt;
  drop_unused(one.model);
  return one;
}

bool may_be_absent(const Parameter* parameter, bool input) {
  return parameter && (parameter->presence == Parameter::Presence::MayBeAbsent || (!input && parameter->repeats()));
}

/// Returns the node as it is, with all its outputs, and without each optional input and output.
std::vector<Case> cases_of(const OneNode& row) {
  Case given{std::string(row.node.substr(0, 60)), *test::model_of(row)};
  const onnx::NodeProto& node = given.model.graph().node(0);
  given.what = node.op_type() + " " + std::to_string(row.opset) + " (" + given.what + ")";
  const Model read(std::make_unique<onnx::ModelProto>(given.model));
  const Signature* signature = find_node_signature(read.graph(), read.graph().node(NodeId{0}));
  if (!signature) return {};
  Case all{given.what + " with all outputs", given.model};
  name_all_outputs(all.model, *signature);
  std::vector<Case> cases{given};
  for (int slot = 0; slot < node.input_size(); ++slot)
    if (may_be_absent(signature->input(static_cast<size_t>(slot)), true))
      if (auto one = without(given, slot, true)) cases.push_back(std::move(*one));
  const bool has_more = test::node_of(all.model).output_size() > node.output_size();
  if (has_more) cases.push_back(all);
  for (const Case* whole : {&given, &all}) {
    if (whole == &all && !has_more) continue;
    for (int slot = 0; slot < whole->model.graph().node(0).output_size(); ++slot)
      if (may_be_absent(signature->output(static_cast<size_t>(slot)), false))
        if (auto one = without(*whole, slot, false)) cases.push_back(std::move(*one));
  }
  return cases.size() == 1 ? std::vector<Case>{} : cases;
}

/// Adds a weight whose rows have one number above the others.
std::string add_weight(onnx::GraphProto& graph, int64_t extent, const std::string& name) {
  onnx::TensorProto& weight = *graph.add_initializer();
  weight.set_name(name);
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(extent);
  weight.add_dims(extent);
  for (int64_t i = 0; i < extent * extent; ++i) weight.add_float_data(i % (extent + 1) == 0 ? 1.0F : 0.1F);
  return name;
}

void add_node(onnx::GraphProto& graph, const char* op, std::initializer_list<std::string> inputs,
              const std::string& output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
}

void add_output(onnx::GraphProto& graph, const std::string& name, int32_t type) {
  onnx::ValueInfoProto& output = *graph.add_output();
  output.set_name(name);
  if (type != 0) output.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

/// Returns what the node writes, by its outputs; empty where it does not run.
std::vector<Tensor> results_of(const onnx::ModelProto& model) {
  try {
    const Model alone(std::make_unique<onnx::ModelProto>(model));
    return run_once(alone.graph(), Numbers(alone.graph()).tensors(), alone.graph().outputs());
  } catch (const Error&) {
    return {};
  }
}

/// Puts a product in front of every matrix of floats, and activations and a product behind.
onnx::ModelProto between_layers(const onnx::ModelProto& model) {
  const std::vector<Tensor> results = results_of(model);
  onnx::ModelProto whole = model;
  onnx::GraphProto& graph = *whole.mutable_graph();
  graph.clear_node();
  graph.clear_output();
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    const auto& type = input.type().tensor_type();
    if (!input.type().has_tensor_type() || type.elem_type() != onnx::TensorProto::FLOAT || type.shape().dim_size() < 2)
      continue;
    const std::string name = input.name();
    *graph.add_value_info() = input;  // expansions ask for the shape
    input.set_name(name + "_fed");
    add_node(graph, "MatMul",
             {name + "_fed", add_weight(graph, type.shape().dim(type.shape().dim_size() - 1).dim_value(), name + "_w")},
             name);
  }
  *graph.add_node() = model.graph().node(0);
  for (int i = 0; i < model.graph().output_size(); ++i) {
    const std::string& name = model.graph().output(i).name();
    const Tensor* result = results.empty() ? nullptr : &results[static_cast<size_t>(i)];
    if (!result || result->is_sequence() || result->type() != DataType::Float32) {
      *graph.add_output() = model.graph().output(i);
      continue;
    }
    add_node(graph, "Sigmoid", {name}, name + "_s");
    add_node(graph, "Tanh", {name}, name + "_t");
    add_output(graph, name + "_t", onnx::TensorProto::FLOAT);
    const bool matrix = result->shape().rank() >= 2 && result->element_count() > 0;
    if (matrix)
      add_node(graph, "MatMul",
               {name + "_s", add_weight(graph, result->shape()[result->shape().rank() - 1], name + "_w2")},
               name + "_m");
    add_output(graph, name + (matrix ? "_m" : "_s"), onnx::TensorProto::FLOAT);
  }
  return whole;
}

/// Counts of the answers.
struct Answers {
  size_t results = 0, pairs = 0;
  std::map<std::string, size_t> refused;  ///< by command
};

/// Runs a command. A result or an error of the documented codes is right.
bool answers(const std::string& what, const char* command, const char* target, Answers& counts,
             const std::function<void()>& run) {
  std::snprintf(current_case, sizeof(current_case), "%s --target %s: %s\n", command, target, what.c_str());
  try {
    run();
    ++counts.results;
    return true;
  } catch (const Error& error) {
    const std::set<ErrorCode> documented{ErrorCode::InvalidModel, ErrorCode::Unsupported, ErrorCode::InvalidOption,
                                         ErrorCode::InvalidData};
    EXPECT_TRUE(documented.contains(error.code()) && !std::string_view(error.what()).empty())
        << current_case << static_cast<int>(error.code()) << ": " << error.what();
    ++counts.refused[command];
  } catch (const std::exception& error) {
    ADD_FAILURE() << current_case << error.what();
  }
  return false;
}

QuantizeOptions quantize_options(const std::filesystem::path& model, const char* target) {
  QuantizeOptions options;
  options.model = model;
  options.output = model.parent_path() / "quantized.onnx";
  options.target = target;
  options.overwrite = true;
  options.accuracy = Accuracy::Fast;
  options.calibrator = "max";
  options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  options.run.threads = 1;
  return options;
}

/// Plans, quantizes and lints a model for a target.
void run_commands(const std::string& what, const std::filesystem::path& file, const char* target, Answers& counts) {
  answers(what, "plan", target, counts, [&] {
    PlanModelOptions options{.model = file, .target = target};
    options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    static_cast<void>(plan_model(options));
  });
  QuantizeOptions options = quantize_options(file, target);
  const bool written = answers(what, "quantize", target, counts, [&] {
    const Model model = read_model(file);
    options.data.own = std::make_shared<Numbers>(model.graph());
    counts.pairs += static_cast<size_t>(quantize_model(options).plan.coverage.pairs);
  });
  if (!written) {
    answers(what, "lint", target, counts, [&] { static_cast<void>(lint_model({.model = file, .target = target})); });
    return;
  }
  answers(what, "lint", target, counts,
          [&] { static_cast<void>(lint_model({.model = options.output, .target = target})); });
}

class AbsentOperands : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(signal, tell_current_case);
  }

  void run(std::span<const OneNode> rows) {
    for (const OneNode& row : rows) {
      // The Loop of kOneNodes never ends without its number of steps.
      if (row.node.find("Loop<") != row.node.npos && rows.data() != kMoreNodes) continue;
      const std::vector<Case> cases = cases_of(row);
      if (!cases.empty()) operators_.insert(cases.front().model.graph().node(0).op_type());
      for (const Case& one : cases) {
        const Model model(std::make_unique<onnx::ModelProto>(between_layers(one.model)));
        write_model(model, folder_ / "model.onnx", {.overwrite = true});
        ++graphs_;
        for (const char* target : kTargets) run_commands(one.what, folder_ / "model.onnx", target, counts_);
      }
    }
  }

  void print() const {
    std::printf("%zu operators, %zu graphs, %zu results with %zu pairs; refused:", operators_.size(), graphs_,
                counts_.results, counts_.pairs);
    for (const auto& [command, count] : counts_.refused) std::printf(" %s %zu", command.c_str(), count);
    std::printf("\n");
  }

  TemporaryFolder folder_;
  std::set<std::string> operators_;
  size_t graphs_ = 0;
  Answers counts_;
};

TEST_F(AbsentOperands, OfOnnxNeedNotBeThere) {
  run(test::kOneNodes);
  run(kMoreNodes);
  print();
  for (const std::string& name : operators_with_options()) EXPECT_TRUE(operators_.contains(name)) << name;
  EXPECT_GE(counts_.results, graphs_ * kTargets.size()) << "most graphs are quantized";
}

TEST_F(AbsentOperands, OfOnnxRuntimesOperatorsNeedNotBeThere) {
  run(kMicrosoftNodes);
  print();
  EXPECT_EQ(operators_.size(), std::size(kMicrosoftNodes));
}

/// A network that exporters write with an operand left out: `none`.
struct Network {
  const char* name;
  int opset;
  std::string_view text;  ///< inputs => outputs <initializers> { nodes }; an absent input is an input `none` too
};

void PrintTo(const Network& network, std::ostream* stream) { *stream << network.name; }

constexpr Network kNetworks[] = {
    // silero VAD: only the last state is read.
    {"LstmWithoutY", 17, R"((float[3,1,4] x) => (float[1,1,4] y)
<float[4,4] v = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7},
 float[1,16,4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7,
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7},
 float[1,16,4] r = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7,
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}>
{ a = MatMul(x, v)  none, h = LSTM<hidden_size = 4>(a, w, r)  y = MatMul(h, v) })"},
    {"ResizeWithoutRoi", 13, R"((float[1,2,2,2] x, float none) => (float[1,2,4,4] y)
<float[2,2,1,1] w = {1, 2, 3, 4}, float[4] s = {1, 1, 2, 2}>
{ a = Conv(x, w)  b = Resize<mode = "nearest">(a, none, s)  y = Conv(b, w) })"},
    {"ClipWithoutMinimum", 13, R"((float[1,2,2,2] x, float none) => (float[1,2,2,2] y)
<float[2,2,1,1] w = {1, 2, 3, 4}, float m = {6}> { a = Conv(x, w)  b = Clip(a, none, m)  y = Conv(b, w) })"},
    {"NormalizationWithoutMean", 17, R"((float[1,2,4] x) => (float[1,2,4] y)
<float[4,4] v = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}, float[4] g = {1, 1, 1, 1}>
{ a = MatMul(x, v)  b, none, d = LayerNormalization(a, g)  y = MatMul(b, v) })"},
    {"PoolWithoutIndices", 17, R"((float[1,2,4,4] x) => (float[1,2,2,2] y) <float[2,2,1,1] w = {1, 2, 3, 4}>
{ a = Conv(x, w)  b, none = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(a)  y = Conv(b, w) })"},
    {"SplitWithoutFirstPart", 17, R"((float[1,4,2,2] x) => (float[1,2,2,2] y)
<float[4,4,1,1] v = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}, float[2,2,1,1] w = {1, 2, 3, 4}>
{ a = Conv(x, v)  none, b = Split<axis = 1>(a)  y = Conv(b, w) })"},
};

class NetworkWithAbsentOperand : public ::testing::TestWithParam<Network> {};

TEST_P(NetworkWithAbsentOperand, IsQuantizedForEveryTarget) {
  const Network& network = GetParam();
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : " + std::to_string(network.opset) + "]> g " + std::string(network.text);
  auto proto = std::make_unique<onnx::ModelProto>(parse_model_text(text).proto());
  onnx::GraphProto& graph = *proto->mutable_graph();
  for (int i = graph.input_size(); i-- > 0;)
    if (graph.input(i).name() == "none") graph.mutable_input()->DeleteSubrange(i, 1);
  for (onnx::NodeProto& node : *graph.mutable_node())
    for (auto* names : {node.mutable_input(), node.mutable_output()})
      for (std::string& name : *names)
        if (name == "none") name.clear();
  const TemporaryFolder folder;
  write_model(Model(std::move(proto)), folder / "model.onnx");
  for (const char* target : kTargets) {
    QuantizeOptions options = quantize_options(folder / "model.onnx", target);
    options.data.own = std::make_shared<Numbers>(read_model(options.model).graph());
    const QuantizeReport report = quantize_model(options);
    if (report.dla) continue;                            // a float model and a cache
    if (!std::string_view(target).starts_with("web")) {  // which keep layers as small as these float
      EXPECT_GT(report.plan.coverage.pairs, 0) << target;
    }
    EXPECT_NO_THROW(static_cast<void>(lint_model({.model = options.output, .target = target}))) << target;
  }
}

INSTANTIATE_TEST_SUITE_P(All, NetworkWithAbsentOperand, ::testing::ValuesIn(kNetworks),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace detent
