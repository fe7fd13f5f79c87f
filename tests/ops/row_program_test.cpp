#include "ops/row_program.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "evaluate/float_network.h"
#include "exec/executor.h"
#include "model/model.h"

namespace detent {
namespace {

const char* const kRowNorm = R"(
  m = ReduceMean <axes = [-1]> (x)
  d = Sub (x, m)
  p = Pow (d, two)
  v = ReduceMean <axes = [-1]> (p)
  e = Add (v, epsilon)
  s = Sqrt (e)
  q = Div (d, s)
  g = Mul (q, gamma)
  y = Add (g, beta))";
const char* const kRowGelu = R"(
  d = Div (x, root)
  e = Erf (d)
  a = Add (e, one)
  p = Mul (x, a)
  y = Mul (p, half))";

Model row_model(const std::string& nodes, const std::string& shape, const std::string& type = "float") {
  const std::string inputs = "(" + type + "[" + shape + "] x)";
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]>\ng " + inputs + " => (" + type + "[" + shape +
                          R"(] y)
<float two = {2}, float[1] epsilon = {0.00001}, float[5] gamma = {1, -2, 0.5, 3, 1.25}, float[5] beta = {0, 1, 2, 3, 4},
 float root = {1.4142135}, float one = {1}, float half = {0.5}, float[3, 1] rows = {1, 2, 4}, float[2, 1, 1] outer = {3, 5}>
{)" + nodes + "\n}");
}

std::vector<ValueId> row_y(const Model& model) { return {*model.graph().find_value("y")}; }

/// Runs the model in as many steps as the schedule has, and node by node.
struct BothRuns {
  size_t steps;
  Tensor together, alone;
};

BothRuns run_both(const Model& model, const Tensor& input, std::vector<ValueId> wanted = {}) {
  if (wanted.empty()) wanted = row_y(model);
  const auto run = [&](const Schedule& schedule) {
    OutputKeeper keeper(model.graph(), wanted);
    Executor(schedule).run(std::span(&input, 1), keeper);
    return keeper.take().back();
  };
  const Schedule fused(model.graph(), wanted, {.exact_fusion = true});
  return {fused.steps().size(), run(fused), run(Schedule(model.graph(), wanted, {.fuse = false}))};
}

void expect_same_bits(const BothRuns& runs, size_t steps) {
  EXPECT_EQ(runs.steps, steps);
  ASSERT_EQ(runs.together.type(), runs.alone.type());
  ASSERT_EQ(runs.together.shape(), runs.alone.shape());
  EXPECT_EQ(std::memcmp(runs.together.raw(), runs.alone.raw(), runs.alone.byte_count()), 0);
}

Tensor row_numbers(const Shape& shape) { return test::Numbers(11).tensor(shape, 4); }

TEST(RowProgram, HasTheBitsOfItsNodes) {
  expect_same_bits(run_both(row_model(kRowNorm, "2, 3, 5"), row_numbers({2, 3, 5})), 1);
  expect_same_bits(run_both(row_model(kRowGelu, "2, 3, 5"), row_numbers({2, 3, 5})), 1);
  expect_same_bits(run_both(row_model("s = Sigmoid (x)  y = Mul (s, x)", "2, 3, 5"), row_numbers({2, 3, 5})), 1);
  expect_same_bits(run_both(row_model("r = Reciprocal (x)  n = Neg (r)  t = Tanh (n)  y = Pow (t, two)", "2, 3, 5"),
                            row_numbers({2, 3, 5})),
                   1);
}

TEST(RowProgram, HasThemInManyPieces) {
  expect_same_bits(run_both(row_model(kRowNorm, "7, 900, 5"), row_numbers({7, 900, 5})), 1);
  expect_same_bits(run_both(row_model(kRowGelu, "7, 911"), row_numbers({7, 911})), 1);
  expect_same_bits(
      run_both(row_model("m = ReduceMean <axes = [-1]> (x)  y = Sub (x, m)", "2, 5000"), row_numbers({2, 5000})), 1);
}

TEST(RowProgram, ReadsOneNumberOfARowOrColumnOrAllOfThem) {
  const auto runs = [](const std::string& operand, const Shape& shape, const std::string& text) {
    return run_both(row_model("a = Add (x, " + operand + ")  b = Mul (" + operand + ", a)  y = Sub (b, x)", text),
                    row_numbers(shape));
  };
  expect_same_bits(runs("epsilon", {3, 5}, "3, 5"), 1);
  expect_same_bits(runs("gamma", {3, 5}, "3, 5"), 1);
  expect_same_bits(runs("rows", {3, 5}, "3, 5"), 1);
  expect_same_bits(runs("rows", {3, 1}, "3, 1"), 1);
}

TEST(RowProgram, RunsNodeByNodeWhereOperandsFitNoRows) {
  const std::string nodes = "a = Add (x, outer)  y = Mul (a, x)";
  expect_same_bits(run_both(row_model(nodes, "2, 3, 5"), row_numbers({2, 3, 5})), 1);
  expect_same_bits(run_both(row_model(nodes, "3, 5"), row_numbers({3, 5})), 1);  // y is larger than x
  expect_same_bits(run_both(row_model("a = ReduceMean <axes = [0]> (x)  y = Sub (x, a)", "3, 5"), row_numbers({3, 5})),
                   1);
  expect_same_bits(run_both(row_model("a = Neg (x)  y = ReduceMean <axes = [-1]> (a)", "3, 5"), row_numbers({3, 5})),
                   1);
  expect_same_bits(run_both(row_model("a = Neg (x)  y = Add (a, rows)", "3, 0"), row_numbers({3, 0})), 1);
}

TEST(RowProgram, RunsNodeByNodeOnOtherTypes) {
  const Tensor floats = row_numbers({3, 5});
  const std::string nodes = "s = Sigmoid (x)  y = Mul (s, x)";
  for (const auto& [name, type] : {std::pair("double", DataType::Float64), std::pair("float16", DataType::Float16)})
    expect_same_bits(run_both(row_model(nodes, "3, 5", name), cast(floats, type)), 1);
}

TEST(RowProgram, KeepsTheOrderOfChannels) {
  const std::string convolution =
      "w = Constant <value = float[3, 3, 1, 1] {1, 2, 3, 4, 5, 6, 7, 8, 9}> ()  c = Conv (x, w)  ";
  const Tensor image = row_numbers({1, 3, 40, 50});
  expect_same_bits(run_both(row_model(convolution + "e = Erf (c)  y = Mul (e, c)", "1, 3, 40, 50"), image), 2);
  const std::string mean = "m = ReduceMean <axes = [-1]> (c)  y = Sub (c, m)";  // rows are not neighbours there
  expect_same_bits(run_both(row_model(convolution + mean, "1, 3, 40, 50"), image), 2);
}

TEST(RowProgram, LeavesOutValuesThatAreReadElsewhere) {
  const std::string nodes = "a = Neg (x)  b = Erf (a)  ";
  const Model wanted = row_model(nodes + "y = Tanh (b)", "3, 5");
  EXPECT_EQ(run_both(wanted, row_numbers({3, 5})).steps, 1U);
  EXPECT_EQ(run_both(wanted, row_numbers({3, 5}), {*wanted.graph().find_value("a"), row_y(wanted)[0]}).steps, 2U);
  EXPECT_EQ(run_both(wanted, row_numbers({3, 5}), {*wanted.graph().find_value("b"), row_y(wanted)[0]}).steps, 2U);
  const Model read = row_model(nodes + "t = Tanh (b)  o = Abs (a)  y = Add (t, o)", "3, 5");
  expect_same_bits(run_both(read, row_numbers({3, 5})), 3);  // Neg, Abs, and a program of the others
}

TEST(RowProgram, DoesNotOverwriteWhatIsStillRead) {
  const Model model = row_model("a = Abs (x)  n = Neg (a)  b = Mul (n, a)  r = Abs (a)  y = Sub (b, r)", "3, 5");
  expect_same_bits(run_both(model, row_numbers({3, 5})), 3);
}

TEST(RowProgram, NamesTheNodeThatCannotRun) {
  const Model model = row_model("a = Neg (x)  y = Add (a, gamma)", "3, 4");
  const Tensor x = row_numbers({3, 4});
  try {
    static_cast<void>(run_once(model.graph(), std::span(&x, 1), row_y(model)));
    ADD_FAILURE() << "added shapes that do not broadcast";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("(Add)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace detent
