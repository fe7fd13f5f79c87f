// A Conv that sums codes gets them from the QuantizeLinear: the DequantizeLinear between them runs only for readers
// of floats.
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/coded_network.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "ops/onednn/integer_operands.h"

namespace detent {
namespace {

using test::coded_network;
using test::ramp;

/// Returns the operators of the steps, in order.
std::vector<std::string> steps(const Model& model, std::initializer_list<const char*> wanted, bool fuse = true) {
  std::vector<ValueId> values;
  for (const char* name : wanted) values.push_back(*model.graph().find_value(name));
  const Schedule schedule(model.graph(), values, {.fuse = fuse});
  std::vector<std::string> operators;
  for (const Step& step : schedule.steps()) operators.push_back(model.graph().node(step.node).op_type);
  return operators;
}

std::vector<float> result(const Model& model, bool fuse) {
  struct Keeper : Observer {
    std::vector<float> kept;
    void observe(ValueId, const Tensor& tensor) override {
      const Tensor plain = to_plain(tensor);
      kept.assign(plain.data<float>().begin(), plain.data<float>().end());
    }
  };
  const std::vector<ValueId> wanted{*model.graph().find_value("y")};
  const Schedule schedule(model.graph(), wanted, {.fuse = fuse});
  Keeper keeper;
  Executor(schedule).run(std::vector<Tensor>{ramp()}, keeper);
  return keeper.kept;
}

using Operators = std::vector<std::string>;

TEST(CodesPassedOn, NobodyMakesFloatsOfThem) {
  const Model model = coded_network("y = Neg (c)");
  if (!test::sums_codes()) GTEST_SKIP() << "no 8-bit dot products";
  EXPECT_EQ(steps(model, {"y"}), (Operators{"QuantizeLinear", "Conv", "Neg"}));
}

TEST(CodesPassedOn, ButForThoseWhoReadFloats) {
  const Operators with{"QuantizeLinear", "DequantizeLinear", "Conv", "Neg"};
  EXPECT_EQ(steps(coded_network("y = Neg (c)"), {"y", "d"}), with) << "they are wanted";
  EXPECT_EQ(steps(coded_network("y = Neg (c)"), {"y"}, false), with) << "nothing is to be fused";
  EXPECT_EQ(steps(coded_network("m = ReduceMax (d)  y = Mul (c, m)"), {"y"}),
            (Operators{"QuantizeLinear", "DequantizeLinear", "Conv", "ReduceMax", "Mul"}))
      << "another operator";
  EXPECT_EQ(steps(coded_network("e = Add (c, c)  f = Conv (d, d)  y = Add (e, f)"), {"y"}).at(1), "DequantizeLinear")
      << "a Conv of floats";
}

TEST(CodesPassedOn, ChangeNoBit) {
  for (const char* zero : {"0", "7"})
    for (const char* type : {"int8", "uint8"}) {
      const Model model = coded_network("y = Neg (c)", type, zero);
      EXPECT_EQ(result(model, true), result(model, false)) << type << ' ' << zero;
    }
}

TEST(CodesPassedOn, BecomeTheSameFloatsWhereNoKernelSumsThem) {
  for (const char* type : {"int8", "uint8"}) {
    const Model model = coded_network("y = Neg (c)", type, "7");
    const Graph& graph = model.graph();
    if (!test::sums_codes()) GTEST_SKIP() << "no 8-bit dot products";
    const std::vector<Tensor> inputs{ramp()};
    const std::vector<ValueId> both{*graph.find_value("q"), *graph.find_value("d")};
    const std::vector<Tensor> run = run_once(graph, inputs, both);
    const auto operands = IntegerOperands::find({graph, *graph.producer(*graph.find_value("c")), 17});
    const Tensor floats = operands->dequantized(run[0], Allocator::heap());
    EXPECT_TRUE(std::ranges::equal(floats.data<float>(), run[1].data<float>())) << type;
    const Tensor back = operands->codes(floats, Allocator::heap());
    EXPECT_TRUE(std::equal(static_cast<const uint8_t*>(back.raw()),
                           static_cast<const uint8_t*>(back.raw()) + back.byte_count(),
                           static_cast<const uint8_t*>(run[0].raw())))
        << type;
  }
}

}  // namespace
}  // namespace detent
