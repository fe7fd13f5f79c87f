#include "tests/equalize/networks.h"

namespace detent {
namespace {

using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

const std::string kHeads = "r = Reshape (v, split)\n t = Transpose <perm = [0, 2, 1, 3]> (r)\n";
const std::string kBehind = "b = Transpose <perm = [0, 2, 1, 3]> (o)\n m = Reshape (b, join)\n y = MatMul (m, wo)";

/// Attention over 5 positions with `heads` heads of 4 channels: `values` makes a [1, heads, 5, 4] from x, `behind` y
/// from the weighted sums o. The weights of the sums come from x and are the same for all heads.
Model attention(const std::string& values, int heads = 2, const std::string& behind = kBehind, int kv_heads = 2) {
  const std::string width = std::to_string(heads * 4);
  return network(
      "k = MatMul (x, wk)\n w = Softmax (k)\n" + values + "o = MatMul (w, a)\n" + behind,
      {uneven("wk", {8, 5}), uneven("wv", {8, kv_heads * 4}), uneven("bv", {kv_heads * 4}), uneven("joint", {8, 24}),
       uneven("wo", {heads * 4, 3}), "int64[4] split = {1, 5, " + std::to_string(kv_heads) + ", 4}",
       "int64[3] join = {1, 5, " + width + "}", "int64[5] three = {1, 5, 3, 2, 4}", "int64[5] shared = {1, 2, 2, 5, 4}",
       "int64[1] axis = {2}", "int64[4] merged = {1, 4, 5, 4}", "int64[4] twice = {1, 2, 1, 1}", "int64 last = {2}"},
      "float[1, 5, 8] x", "float[N, S, C] y");
}

/// Expects exact factors of attention's values alone.
Equalization expect_exact_values(const Model& model) { return expect_exact(model, EqualizeFamily::Value); }

/// Expects that channel c of m has the factor of channel shared[c] of v, and that the factors of v differ.
void expect_shared(const Equalization& equalization, const std::vector<size_t>& shared) {
  const std::vector<float>&made = equalization.values.at("v").factors, &read = equalization.values.at("m").factors;
  ASSERT_EQ(read.size(), shared.size());
  for (size_t c = 0; c < shared.size(); ++c) EXPECT_EQ(read[c], made[shared[c]]) << c;
  EXPECT_GT(*std::ranges::max_element(made), *std::ranges::min_element(made));
}

TEST(AttentionValues, ChannelsGoThroughTheHeads) {
  const Equalization equalization =
      expect_exact_values(attention("v = MatMul (x, wv)\n" + kHeads + "a = Identity (t)\n"));
  EXPECT_THAT(equalization.values, UnorderedElementsAre(Key("v"), Key("m")));
  expect_shared(equalization, {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(AttentionValues, ABiasIsMultipliedToo) {
  expect_exact_values(attention("p = MatMul (x, wv)\n v = Add (p, bv)\n" + kHeads + "a = Identity (t)\n"));
}

TEST(AttentionValues, AHeadOfValuesThatSeveralHeadsReadHasOneFactorAChannel) {
  const std::string values =
      "v = MatMul (x, wv)\n" + kHeads + "e = Unsqueeze (t, axis)\n f = Expand (e, shared)\n a = Reshape (f, merged)\n";
  expect_shared(expect_exact_values(attention(values, 4)), {0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7});
}

TEST(AttentionValues, HeadsThatAreRepeatedInTurnShareOtherwise) {
  expect_shared(expect_exact_values(attention("v = MatMul (x, wv)\n" + kHeads + "a = Tile (t, twice)\n", 4)),
                {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(AttentionValues, ASingleHeadNeedsNoSplit) {
  // [1, 5, 5] of weights times [1, 5, 4] of values: the product has channels and no weight
  const Model model = network(
      "k = MatMul (x, wk)\n w = Softmax (k)\n v = MatMul (x, wv)\n o = MatMul (w, v)\n "
      "y = MatMul (o, wo)",
      {uneven("wk", {8, 5}), uneven("wv", {8, 4}), uneven("wo", {4, 3})}, "float[1, 5, 8] x", "float[N, S, C] y");
  EXPECT_THAT(expect_exact_values(model).values, UnorderedElementsAre(Key("v"), Key("o")));
}

/// Attention of one head, whose queries, keys and values are parts of one value p, joined by `parts`.
Model one_head(const std::string& parts, const std::string& scores = "s = MatMul (q, t)") {
  return network(
      "p = MatMul (x, joint)\n" + parts + "\n t = Transpose <perm = [0, 2, 1]> (k)\n" + scores +
          "\n w = Softmax (s)\n o = MatMul (w, v)\n y = MatMul (o, wo)",
      {uneven("joint", {8, 12}), uneven("wo", {4, 3}), "int64[3] sizes = {4, 4, 4}", "int64[2] two = {4, 8}",
       "int64[2] rest = {4, 4}", "int64[1] a0 = {0}", "int64[1] a4 = {4}", "int64[1] a8 = {8}", "int64[1] a12 = {12}",
       "int64[1] last = {-1}", "int64[4] i0 = {0, 1, 2, 3}", "int64[4] i4 = {4, 5, 6, 7}",
       "int64[4] i8 = {8, 9, 10, 11}", "int64[2] flat = {5, 4}", "int64[3] full = {1, 5, 5}"},
      "float[1, 5, 8] x", "float[N, S, C] y");
}

TEST(AttentionValues, OfASingleHeadMayBePartsOfOneProjection) {
  const std::string product = "s = MatMul (q, t)";
  // Gemm: the first operand is a part of the equalized projection, and there is no weight that could be scaled
  const std::string gemm =
      "q2 = Reshape (q, flat)\n k2 = Reshape (k, flat)\n s2 = Gemm <transB = 1> (q2, k2)\n s = Reshape (s2, full)";
  for (const std::string& scores : {product, gemm})
    for (const char* parts :
         {"q, k, v = Split <axis = -1> (p, sizes)",
          "q, kv = Split <axis = -1> (p, two)\n k, v = Split <axis = -1> (kv, rest)",
          "q = Slice (p, a0, a4, last)\n k = Slice (p, a4, a8, last)\n v = Slice (p, a8, a12, last)",
          "q = Gather <axis = 2> (p, i0)\n k = Gather <axis = 2> (p, i4)\n v = Gather <axis = 2> (p, i8)"}) {
      const Equalization equalization = expect_exact_values(one_head(parts, scores));
      const auto& factors = equalization.values.at("p").factors;
      for (size_t c = 0; c < 8; ++c) EXPECT_EQ(factors[c], 1) << parts << c;
      EXPECT_NE(*std::ranges::max_element(factors), 1);
    }
}

TEST(AttentionValues, OneHeadIsBroadcastOverAll) {
  // [1, 5, 4] of values without heads, for every head of [1, 2, 5, 5] of weights
  const Model model = network(
      "k = MatMul (x, wk)\n r = Reshape (k, heads)\n w = Softmax (r)\n v = MatMul (x, wv)\n o = MatMul (w, v)\n" +
          kBehind,
      {uneven("wk", {8, 10}), uneven("wv", {8, 4}), uneven("wo", {8, 3}), "int64[4] heads = {1, 2, 5, 5}",
       "int64[3] join = {1, 5, 8}"},
      "float[1, 5, 8] x", "float[N, S, C] y");
  const Equalization equalization = expect_exact_values(model);
  EXPECT_THAT(equalization.values, ::testing::Contains(Key("m")));
  expect_shared(equalization, {0, 1, 2, 3, 0, 1, 2, 3});
}

TEST(AttentionValues, OfAJointProjectionQueriesAndKeysStay) {
  const std::string pieces =
      "p = MatMul (x, joint)\n r = Reshape (p, three)\n q = Transpose <perm = [2, 0, 3, 1, 4]> (r)\n";
  const Equalization equalization = expect_exact_values(attention(
      pieces + "a = Gather <axis = 0> (q, last)\n z, n, u = Split <axis = 0> (q)\n c = Add (z, n)\n t = Tanh (c)\n"));
  const std::vector<float>& factors = equalization.values.at("p").factors;
  for (size_t c = 0; c < 16; ++c) EXPECT_EQ(factors[c], 1) << c;
  EXPECT_NE(factors[16], factors[17]);
}

TEST(AttentionValues, NotWhereAnotherNodeReadsThem) {
  EXPECT_THAT(
      groups_of(attention("v = MatMul (x, wv)\n" + kHeads + "a = Identity (t)\n", 2,
                          "s = Tanh (v)\n b = Transpose <perm = [0, 2, 1, 3]> (o)\n m = Reshape (b, join)\n n = Add "
                          "(m, s)\n y = MatMul (n, wo)")),
      IsEmpty());
}

TEST(AttentionValues, NotWithANonlinearityBetween) {
  EXPECT_THAT(groups_of(attention("v = MatMul (x, wv)\n" + kHeads + "a = Tanh (t)\n")), IsEmpty());
  EXPECT_THAT(
      groups_of(attention("v = MatMul (x, wv)\n" + kHeads + "a = Identity (t)\n", 2,
                          "f = Tanh (o)\n b = Transpose <perm = [0, 2, 1, 3]> (f)\n m = Reshape (b, join)\n y = "
                          "MatMul (m, wo)")),
      IsEmpty());
}

TEST(AttentionValues, NotWhereTheSumRunsOverChannels) {
  const Model model = network(
      "v = MatMul (x, wv)\n r = Reshape (v, split)\n a = Transpose <perm = [0, 2, 3, 1]> (r)\n q = MatMul (x, wq)\n w "
      "= "
      "Softmax (q)\n o = MatMul (w, a)\n b = Transpose <perm = [0, 2, 1, 3]> (o)\n m = Reshape (b, join)\n y = MatMul "
      "(m, wo)",
      {uneven("wv", {8, 8}), uneven("wq", {8, 4}), uneven("wo", {10, 3}), "int64[4] split = {1, 5, 2, 4}",
       "int64[3] join = {1, 5, 10}"},
      "float[1, 5, 8] x", "float[N, S, C] y");
  EXPECT_THAT(groups_of(model), IsEmpty()) << "the product of queries and keys";
}

TEST(AttentionValues, NotWhereTheHeadsComeBackInAnotherAxis) {
  EXPECT_THAT(groups_of(attention("v = MatMul (x, wv)\n" + kHeads + "a = Identity (t)\n", 2,
                                  "m = Reshape (o, join)\n y = MatMul (m, wo)")),
              IsEmpty())
      << "without the Transpose a channel of m holds several heads";
}

}  // namespace
}  // namespace detent
