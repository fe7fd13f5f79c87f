// Every attribute, constant, input and output of every operator, made absurd one at a time on a small valid node: the
// answer is a result or an error of the documented codes, soon and in little memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include "core/memory_limit.h"
#include "core/running_steps.h"
#include "detent/base/progress.h"
#include "exec/absurd_values.h"
#include "exec/allocation_limit.h"
#include "exec/executor.h"
#include "exec/one_node_models.h"
#include "ops/check_signatures.h"
#include "ops/find_operator.h"
#include "ops/op_list.h"

namespace detent {
namespace {

using test::Mutation;
using test::OneNode;

char current_case[1000];  // for the handler, which may not allocate

void print_current_case() {
  const auto ignored = write(2, current_case, strlen(current_case));
  (void)ignored;
}

extern "C" void name_current_case(int signal) {
  print_current_case();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Returns floats from 0.1 up, integers and bools 0 and 1 in turn.
Tensor fed(DataType type, const std::vector<int64_t>& extents) {
  Tensor numbers(DataType::Float32, Shape(extents));
  float next = 0;
  for (float& x : numbers.mutable_data<float>())
    x = type == DataType::Float32 ? 0.1F + 0.125F * next++ : next = 1 - next;
  return cast(numbers, type);
}

std::vector<Tensor> feed(const Graph& graph, const onnx::ModelProto& proto) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (const auto given = test::find_fed_constant(proto, value.name)) {
      inputs.push_back(*given);
    } else if (*value.declared_type == DataType::Sequence) {
      inputs.push_back(Tensor::sequence({fed(DataType::Float32, {2}), fed(DataType::Float32, {2})}));
    } else {
      inputs.push_back(fed(*value.declared_type, *value.declared_shape));
    }
  }
  return inputs;
}

/// Returns "" for a result; the code for an error.
std::string answer_of(std::unique_ptr<onnx::ModelProto> proto) {
  try {
    const onnx::ModelProto fed_constants = *proto;
    const Model model(test::without_fed_constants(std::move(proto)));
    check_signatures(model.graph());
    const std::vector<Tensor> inputs = feed(model.graph(), fed_constants);
    struct Silent : Observer {
      void observe(ValueId, const Tensor&) override {}
    } silent;
    const Schedule schedule(model.graph(), model.graph().outputs());
    Executor(schedule).run(inputs, silent);
    return "";
  } catch (const Error& error) {
    const bool documented = error.code() == ErrorCode::InvalidModel || error.code() == ErrorCode::Unsupported ||
                            error.code() == ErrorCode::InvalidData;
    return (documented ? "refused: " : "error " + std::to_string(static_cast<int>(error.code())) + ": ") + error.what();
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
}

/// Loops that never end in the model: Ctrl-C ends them.
bool goes_on(const std::string& name) {
  return name.starts_with("Loop, opset 17: ") && (name.ends_with("input 0 without a name") ||
                                                  name.find(" n all ") != name.npos || name.find(" n 0 ") != name.npos);
}

/// Returns the answer with Ctrl-C a tenth of a second after the Loop has begun. A run that it ended counts as refused.
std::string interrupted_answer_of(std::unique_ptr<onnx::ModelProto> proto) {
  watch_steps();
  std::atomic<bool> answered{false};
  std::jthread ctrl_c([&answered] {
    const auto is_loop = [](const RunningStep& step) { return step.node.find("(Loop") != std::string::npos; };
    while (!answered && std::ranges::none_of(running_steps(), is_loop))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    interrupted() = true;
  });
  const std::string answer = answer_of(std::move(proto));
  answered = true;
  ctrl_c.join();
  interrupted() = false;
  const bool ended = answer.starts_with("error 130: ") && answer.ends_with("(Loop, opset 17): interrupted");
  return ended ? "refused: interrupted" : answer;
}

std::string op_of(const OneNode& node) {
  const size_t start = node.node.find("= ") + 2;
  return std::string(node.node.substr(start, node.node.find_first_of("<(", start) - start));
}

class AbsurdNodes : public ::testing::TestWithParam<OneNode> {
 protected:
  static void SetUpTestSuite() {
    // Memory beyond the limit must be refused before it is allocated.
    set_memory_limit(uint64_t{256} << 20);
    test::largest_allocation = size_t{256} << 20;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(print_current_case);
    std::signal(SIGALRM, name_current_case);
#else
    for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGALRM, SIGBUS}) std::signal(signal, name_current_case);
#endif
  }
};

TEST_P(AbsurdNodes, GiveAResultOrAnError) {
  const std::unique_ptr<onnx::ModelProto> valid = test::model_of(GetParam());
  ASSERT_EQ(answer_of(std::make_unique<onnx::ModelProto>(*valid)), "") << "the node as it stands";
  size_t refused = 0, count = 0;
  const bool shown = std::getenv("DETENT_SHOW_REFUSALS") != nullptr;
  for (const Mutation& mutation : test::mutations_of(*valid)) {
    const std::string name = op_of(GetParam()) + ", opset " + std::to_string(GetParam().opset) + ": " + mutation.name;
    std::snprintf(current_case, sizeof current_case, "\nwhile running %s\n", name.c_str());
    alarm(120);
    std::string answer;
    double seconds = 2;
    for (int i = 0; i < 10 && seconds >= 1; ++i) {  // a machine that does much else is late, but not each time
      auto mutated = std::make_unique<onnx::ModelProto>(*valid);
      mutation.apply(*mutated);
      const auto start = std::chrono::steady_clock::now();
      answer = goes_on(name) ? interrupted_answer_of(std::move(mutated)) : answer_of(std::move(mutated));
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    alarm(0);
    EXPECT_EQ(answer.find("gave no more memory"), std::string::npos) << name << ": " << answer;
    EXPECT_TRUE(answer.empty() || answer.starts_with("refused")) << name << ": " << answer;
    EXPECT_LT(seconds, 1.0) << name;
    if (mutation.must_be_refused) {
      EXPECT_TRUE(answer.starts_with("refused")) << name << ": " << answer;
    }
    if (shown) std::printf("%s => %s\n", name.c_str(), answer.c_str());
    refused += !answer.empty();
    ++count;
  }
  EXPECT_GT(count, 0U);
  std::printf("%s, opset %d: %zu cases, %zu refused\n", op_of(GetParam()).c_str(), GetParam().opset, count, refused);
  RecordProperty("cases", static_cast<int>(count));
  RecordProperty("refused", static_cast<int>(refused));
}

std::string test_name(const ::testing::TestParamInfo<OneNode>& info) {
  return op_of(info.param) + "_opset" + std::to_string(info.param.opset) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Operators, AbsurdNodes, ::testing::ValuesIn(test::kOneNodes), test_name);

TEST(AbsurdNodesTable, HasANodeOfEveryOperatorThatWeRun) {
  for (const OperatorDef& definition : operator_list()) {
    const bool found = std::ranges::any_of(test::kOneNodes, [&](const OneNode& node) {
      return op_of(node) == definition.op_type && node.opset >= definition.first_opset &&
             node.opset <= definition.last_opset;
    });
    EXPECT_TRUE(found) << definition.op_type << " from opset " << definition.first_opset;
  }
}

}  // namespace
}  // namespace detent
