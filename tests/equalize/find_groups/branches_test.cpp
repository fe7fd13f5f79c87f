#include "tests/equalize/networks.h"

namespace detent {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Model normalized(const std::string& nodes) {
  return network(nodes, {uneven("gamma", {8}), uneven("beta", {8}), uneven("w1", {8, 8}), uneven("w2", {8, 8})},
                 "float[1, 5, 8] x", "float[N, S, C] y");
}

std::vector<std::string> readers_of(const Model& model, const std::string& value) {
  std::vector<std::string> names;
  const Graph& graph = model.graph();
  for (const Use& use : graph.value(*graph.find_value(value)).uses) {
    const Node& node = graph.node(use.node);
    names.push_back(node.op_type + " " + graph.value(*node.output(0)).name);
  }
  return names;
}

TEST(EqualizeBranch, LayersBesideTheResidualShareOneMul) {
  Model model = normalized(
      "n = LayerNormalization (x, gamma, beta)\n a = MatMul (n, w1)\n b = MatMul (n, w2)\n c = Add (a, b)\n"
      "y = Add (c, n)");
  const Equalization equalization = expect_exact(model, EqualizeFamily::Branch);
  EXPECT_THAT(equalization.values, UnorderedElementsAre(Key("n")));
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  EXPECT_THAT(readers_of(model, "n"), UnorderedElementsAre("Mul n_equalized", "Add y"));
  EXPECT_THAT(readers_of(model, "n_equalized"), UnorderedElementsAre("MatMul a", "MatMul b"));
}

TEST(EqualizeBranch, NoneWhereLayersAloneReadTheNormalization) {
  Model model = normalized("n = LayerNormalization (x, gamma, beta)\n a = MatMul (n, w1)\n y = Add (a, x)");
  const Equalization equalization = expect_exact(model, EqualizeFamily::Norm);
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  EXPECT_THAT(readers_of(model, "n"), ElementsAre("MatMul a")) << "scale and shift have the factors";
}

TEST(EqualizeBranch, ANormalizationWrittenAsItsFormula) {
  const Model model = normalized(
      "m = ReduceMean <axes = [-1]> (x)\n d = Sub (x, m)\n q = Mul (d, d)\n v = ReduceMean <axes = [-1]> (q)\n"
      "e = Sqrt (v)\n z = Div (d, e)\n s = Mul (z, gamma)\n n = Add (s, beta)\n a = MatMul (n, w1)\n y = Add (a, n)");
  EXPECT_THAT(expect_exact(model, EqualizeFamily::Branch).values, UnorderedElementsAre(Key("n")));
}

TEST(EqualizeBranch, ALayerWithFactorsBehindItHasBoth) {
  const Model model = normalized(
      "n = LayerNormalization (x, gamma, beta)\n a = MatMul (n, w1)\n r = Relu (a)\n b = MatMul (r, w2)\n"
      "y = Add (b, n)");
  const Equalization both = factors_of(model);
  ASSERT_THAT(both.values, UnorderedElementsAre(Key("n"), Key("a"), Key("r")));
  Model equalized = model.clone();
  apply_patch(equalized, make_equalize_patch(equalized.graph(), both));
  EXPECT_LT(output_change(model, equalized), kRounding);
}

TEST(EqualizeBranch, NoneOfWhatALayerWrites) {
  EXPECT_THAT(groups_of(normalized("n = MatMul (x, w1)\n a = MatMul (n, w2)\n t = Tanh (n)\n y = Add (a, t)")),
              Each(Field(&ChannelGroup::family, Not(EqualizeFamily::Branch))));
}

TEST(EqualizeBranch, NoneWithoutALayer) {
  EXPECT_THAT(groups_of(normalized("n = LayerNormalization (x, gamma, beta)\n t = Tanh (n)\n y = Add (t, n)")),
              IsEmpty());
}

}  // namespace
}  // namespace detent
