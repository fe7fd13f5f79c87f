#include "exec/executor.h"
#include "ops/find_operator.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::integers;
using test::run_one;
using test::values;
using testing::ElementsAre;

struct Join {
  std::string name;
  float (*join)(float old, float update);
};

const Join kJoins[] = {
    {"none", [](float, float u) { return u; }},
    {"add", [](float o, float u) { return o + u; }},
    {"mul", [](float o, float u) { return o * u; }},
    {"min", [](float o, float u) { return std::min(o, u); }},
    {"max", [](float o, float u) { return std::max(o, u); }},
};

TEST(ScatterElements, EqualsTheNaiveLoopForEveryReduction) {
  const Tensor data = cast(cast(test::ramp({3, 4}), DataType::Int32), DataType::Float32);  // whole: any order is exact
  const Tensor updates = Tensor::from<float>({2, 4}, {5, -2, 3, 1, 2, 7, -6, 4});
  const std::vector<int64_t> rows{0, 2, -1, 1, 0, 1, 2, 1};  // some twice
  for (const Join& item : kJoins) {
    std::vector<float> expected = values(data);
    for (size_t i = 0; i < rows.size(); ++i) {
      float& target = expected[static_cast<size_t>((rows[i] + 3) % 3) * 4 + i % 4];
      target = item.join(target, values(updates)[i]);
    }
    const std::string node = "y = ScatterElements<axis = 0, reduction = \"" + item.name + "\">(a, b, c)";
    EXPECT_EQ(values(run_one(node, {data, Tensor::from<int64_t>({2, 4}, rows), updates}, {18})), expected) << item.name;
  }
}

TEST(ScatterElements, IsCalledScatterInOldOpsets) {
  const Tensor data = Tensor::from<int8_t>({3}, {1, 2, 3});
  EXPECT_THAT(integers(run_one("y = Scatter(a, b, c)", {data, test::int64s({1}), Tensor::from<int8_t>({1}, {9})}, {9})),
              ElementsAre(1, 9, 3));
  EXPECT_EQ(find_operator("", "Scatter", 11), nullptr);
}

TEST(ScatterElements, LeavesDataAsItIsForOtherReaders) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[3] x, int64[1] i, float[1] u) => (float[3] y, float[3] kept)"
      " { s = Neg(x) y = ScatterElements(s, i, u) kept = Neg(s) }");
  const Graph& graph = model.graph();
  const auto results = run_once(
      graph, std::vector{Tensor::from<float>({3}, {1, 2, 3}), test::int64s({1}), Tensor::from<float>({1}, {9})},
      graph.outputs());
  EXPECT_THAT(values(results[0]), ElementsAre(-1, 9, -3));
  EXPECT_THAT(values(results[1]), ElementsAre(1, 2, 3));
}

TEST(ScatterElements, RefusesWhatDoesNotFit) {
  const Tensor data = test::ramp({3}), update = test::ramp({1});
  EXPECT_THROW(run_one("y = ScatterElements(a, b, c)", {data, test::int64s({3}), update}), Error);
  EXPECT_THROW(run_one("y = ScatterElements(a, b, c)", {data, test::int64s({0, 1}), update}), Error);
  EXPECT_THROW(run_one("y = ScatterElements<reduction = \"mean\">(a, b, c)", {data, test::int64s({0}), update}, {18}),
               Error);
  EXPECT_THROW(run_one("y = ScatterElements(a, b, c)", {data, test::int64s({0}), test::int64s({0})}), Error);
}

TEST(ScatterND, WritesSlicesAndElements) {
  const Tensor data = Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor rows = Tensor::from<int64_t>({2, 1}, {2, -3});
  const Tensor updates = Tensor::from<float>({2, 2}, {10, 20, 30, 40});
  EXPECT_THAT(values(run_one("y = ScatterND(a, b, c)", {data, rows, updates})), ElementsAre(30, 40, 3, 4, 10, 20));
  EXPECT_THAT(values(run_one("y = ScatterND<reduction = \"max\">(a, b, c)", {data, rows, updates}, {18})),
              ElementsAre(30, 40, 3, 4, 10, 20));
  const Tensor elements = Tensor::from<int64_t>({2, 2}, {1, 1, 1, 1});
  EXPECT_THAT(values(run_one("y = ScatterND<reduction = \"add\">(a, b, c)",
                             {data, elements, Tensor::from<float>({2}, {1, 2})}, {16})),
              ElementsAre(1, 2, 3, 7, 5, 6));
  EXPECT_THROW(run_one("y = ScatterND(a, b, c)", {data, rows, test::ramp({2, 3})}), Error);
}

TEST(TensorScatter, ContinuesEverySequenceAtItsOwnPlace) {
  const Tensor cache = Tensor::from<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor update = Tensor::from<float>({2, 2, 1}, {10, 20, 30, 40});
  EXPECT_THAT(values(run_one("y = TensorScatter(a, b, c)", {cache, update, test::int64s({1, 0})}, {24})),
              ElementsAre(1, 10, 20, 30, 40, 6));
  EXPECT_THAT(
      values(run_one("y = TensorScatter<mode = \"circular\">(a, b, c)", {cache, update, test::int64s({2, 0})}, {24})),
      ElementsAre(20, 2, 10, 30, 40, 6));
  EXPECT_THROW(run_one("y = TensorScatter(a, b, c)", {cache, update, test::int64s({2, 0})}, {24}), Error);
}

}  // namespace
}  // namespace detent
