#include "tests/equalize/networks.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

const std::string kTwo = uneven("w2", {4, 6, 1, 1});

TEST(EqualizeRelu, ConvolutionsAroundARelu) {
  const Model model = network("c = Conv (x, w1, b1)\n r = Relu (c)\n y = Conv (r, w2)",
                              {uneven("w1", {6, 4, 3, 3}), uneven("b1", {6}), kTwo});
  const Equalization equalization = expect_exact(model, EqualizeFamily::Relu);
  EXPECT_THAT(equalization.values, Contains(Key("r")));
  EXPECT_THAT(equalization.values, Contains(Key("c")));
}

TEST(EqualizeRelu, LeakyReluPReluPoolingPaddingAndResize) {
  for (const std::string nodes : {"r = LeakyRelu <alpha = 0.1> (c)", "r = PRelu (c, slopes)",
                                  "a = Relu (c)\n r = MaxPool <kernel_shape = [2, 2]> (a)",
                                  "a = Relu (c)\n r = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a)",
                                  "a = Relu (c)\n r = Pad (a, pads)", "a = Relu (c)\n r = GlobalAveragePool (a)"})
    expect_exact(
        network("c = Conv (x, w1, b1)\n" + nodes + "\n y = Conv (r, w2)",
                {uneven("w1", {6, 4, 3, 3}), uneven("b1", {6}), kTwo,
                 "float[6, 1, 1] slopes = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}", "int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}"}),
        EqualizeFamily::Relu);
}

TEST(EqualizeRelu, DepthwiseAndGroupedConvolutionsBetween) {
  const Model model = network(
      "c = Conv (x, w1)\n r = Relu (c)\n d = Conv <group = 6> (r, w3, b3)\n s = Relu (d)\n e = Conv <group = 2> (s, "
      "w4)\n y = "
      "Conv (e, w2)",
      {uneven("w1", {6, 4, 1, 1}), uneven("w3", {6, 1, 3, 3}), uneven("b3", {6}), uneven("w4", {6, 3, 1, 1}), kTwo});
  const Equalization equalization = factors_of(model);
  for (const char* name : {"r", "s", "e"}) EXPECT_THAT(equalization.values, Contains(Key(name)));
  Model equalized = model.clone();
  apply_patch(equalized, make_equalize_patch(equalized.graph(), equalization));
  EXPECT_LT(output_change(model, equalized), kRounding);
}

TEST(EqualizeRelu, TransposedConvolutionsWithGroups) {
  const Model model =
      network("c = ConvTranspose <group = 2> (x, w1)\n r = Relu (c)\n y = ConvTranspose <group = 3> (r, w4)",
              {uneven("w1", {4, 3, 2, 2}), uneven("w4", {6, 2, 2, 2})});
  expect_exact(model, EqualizeFamily::Relu);
}

TEST(EqualizeRelu, ConcatOfTwoBranches) {
  const Model model = network(
      "a = Conv (x, w1)\n r = Relu (a)\n b = Conv (x, w3)\n s = Relu (b)\n k = Concat <axis = 1> (r, s)\n y = Conv (k, "
      "w5)",
      {uneven("w1", {6, 4, 1, 1}), uneven("w3", {2, 4, 1, 1}), uneven("w5", {4, 8, 1, 1})});
  EXPECT_THAT(expect_exact(model, EqualizeFamily::Relu).values, SizeIs(5));
}

TEST(EqualizeRelu, FlattenAndGemmBehindPooling) {
  const Model model = network(
      "c = Conv (x, w1)\n r = Relu (c)\n g = GlobalAveragePool (r)\n f = Flatten (g)\n y = Gemm <transB = 1> (f, w6, "
      "b6)",
      {uneven("w1", {6, 4, 1, 1}), uneven("w6", {3, 6}), uneven("b6", {3})}, "float[1, 4, 5, 5] x", "float[N, C] y");
  EXPECT_THAT(expect_exact(model, EqualizeFamily::Relu).values, Contains(Key("f")));
}

TEST(EqualizeRelu, NotThroughASigmoidOrAnInnerGraphOutput) {
  const std::vector<std::string> weights = {uneven("w1", {6, 4, 1, 1}), kTwo};
  EXPECT_THAT(groups_of(network("c = Conv (x, w1)\n r = Sigmoid (c)\n y = Conv (r, w2)", weights)), IsEmpty());
  EXPECT_THAT(groups_of(network("c = Conv (x, w1)\n r = Relu (c)\n y = Conv (r, w2)", weights, "float[1, 4, 5, 5] x",
                                "float[N, C, H, W] y, float[N, K, H, W] r")),
              IsEmpty());
}

TEST(EqualizeRelu, NotWhereAnotherReaderBends) {
  EXPECT_THAT(
      groups_of(network(
          "c = Conv (x, w1)\n r = Relu (c)\n a = Conv (r, w2)\n t = Tanh (r)\n b = Conv (t, w3)\n y = Add (a, b)",
          {uneven("w1", {6, 4, 1, 1}), kTwo, uneven("w3", {4, 6, 1, 1})})),
      IsEmpty());
}

TEST(EqualizeRelu, AFlattenOfChannelsAndPositionsRepeatsTheFactors) {
  const Model model =
      network("c = Conv (x, w1)\n r = Relu (c)\n f = Flatten (r)\n y = Gemm (f, w7)",
              {uneven("w1", {6, 4, 1, 1}), uneven("w7", {150, 3})}, "float[1, 4, 5, 5] x", "float[N, C] y");
  const Equalization equalization = expect_exact(model, EqualizeFamily::Relu);
  const std::vector<float>&made = equalization.values.at("r").factors, &read = equalization.values.at("f").factors;
  for (size_t c = 0; c < read.size(); ++c) EXPECT_EQ(read[c], made[c / 25]) << c;
}

TEST(EqualizeRelu, AFlattenOfPositionsAndBatchBlocks) {
  EXPECT_THAT(groups_of(network("c = Conv (x, w1)\n r = Relu (c)\n f = Reshape (r, rows)\n y = MatMul (f, w5)",
                                {uneven("w1", {6, 4, 1, 1}), uneven("w5", {10, 3}), "int64[2] rows = {15, 10}"},
                                "float[1, 4, 5, 5] x", "float[N, C] y")),
              IsEmpty())
      << "a column of f holds two or three channels";
}

TEST(EqualizeRelu, AMeanOverTheChannelsBlocks) {
  EXPECT_THAT(groups_of(network("c = Conv (x, w1)\n r = Relu (c)\n m = ReduceMean <axes = [1], keepdims = 0> (r)\n y = "
                                "Conv (m, w3)",
                                {uneven("w1", {5, 4, 1, 1}), uneven("w3", {4, 5, 1})}, "float[1, 4, 5, 5] x",
                                "float[N, C, W] y")),
              IsEmpty())
      << "axis 1 of the mean, as long as that of the channels, counts rows";
}

/// Channels 0 and 1 of the Conv reach 6, the others stay far below.
Model clipped() {
  return network("c = Conv (x, w1, b1)\n r = Clip (c, low, high)\n y = Conv (r, w8)",
                 {"float[3, 4, 1, 1] w1 = {9, 9, 9, 9, 0.02, 0, 0, 0, 0.1, 0, 0, 0}", "float[3] b1 = {0, 0, 0}",
                  "float low = {0}", "float high = {6}", uneven("w8", {4, 3, 1, 1})});
}

TEST(EqualizeRelu, BeforeAClipOnlyWhatStaysBelowTheBound) {
  const Model model = clipped();
  const Equalization equalization = expect_exact(model, EqualizeFamily::Relu);
  const std::vector<float>& factors = equalization.values.at("c").factors;
  EXPECT_EQ(factors[0], 1.0F) << "this channel reaches the bound";
  EXPECT_GT(factors[1], 1.0F);
  EXPECT_GT(factors[2], 1.0F);
}

TEST(EqualizeRelu, BeforeTwoClipsTheTighterOneHolds) {
  const auto read_twice = [](const std::string& first, const std::string& second) {
    return network("c = Conv (x, w1, b1)\n r = Clip (c, low, " + first + ")\n s = Clip (c, low, " + second +
                       ")\n p = Conv (r, w8)\n q = Conv (s, w9)\n y = Add (p, q)",
                   {"float[3, 4, 1, 1] w1 = {9, 9, 9, 9, 0.02, 0, 0, 0, 0.1, 0, 0, 0}", "float[3] b1 = {0, 0, 0}",
                    "float low = {0}", "float six = {6}", "float hundred = {100}", uneven("w8", {4, 3, 1, 1}),
                    uneven("w9", {4, 3, 1, 1})});
  };
  for (const Model& model : {read_twice("six", "hundred"), read_twice("hundred", "six")})
    EXPECT_EQ(expect_exact(model, EqualizeFamily::Relu).values.at("c").factors[0], 1.0F) << "this channel reaches 6";
  const Equalization loose = expect_exact(read_twice("hundred", "hundred"), EqualizeFamily::Relu);
  EXPECT_NE(loose.values.at("c").factors[0], 1.0F) << "it stays far below 100";
}

TEST(EqualizeRelu, APadThatMovesChannelsBlocks) {
  const auto padded = [](const std::string& pads, int opset = 17, const std::string& axes = "") {
    return network("c = Conv (x, w1)\n r = Relu (c)\n p = Pad (r, pads" + axes + ")\n y = Conv (p, w2)",
                   {uneven("w1", {6, 4, 1, 1}), kTwo, pads, "int64[1] axes = {-3}"}, "float[1, 4, 5, 5] x",
                   "float[N, C, H, W] y", opset);
  };
  EXPECT_THAT(groups_of(padded("int64[8] pads = {0, 1, 0, 0, 0, -1, 0, 0}")), IsEmpty());
  EXPECT_THAT(groups_of(padded("int64[2] pads = {1, -1}", 18, ", , axes")), IsEmpty());
  expect_exact(padded("int64[8] pads = {0, 0, 1, -1, 0, 0, -1, 1}"), EqualizeFamily::Relu);  // rows and columns move
  expect_exact(padded("int64[2] pads = {0, 0}", 18, ", , axes"), EqualizeFamily::Relu);
}

TEST(EqualizeRelu, AClipWithALowerBoundBelowZeroBlocks) {
  EXPECT_THAT(groups_of(network("c = Conv (x, w1)\n r = Clip (c, low, high)\n y = Conv (r, w2)",
                                {uneven("w1", {6, 4, 1, 1}), kTwo, "float low = {-1}", "float high = {6}"})),
              IsEmpty());
}

TEST(EqualizeLinear, AResidualStreamHasOneFactorAChannel) {
  const Model model = network(
      "a = Conv (x, w1)\n b = Conv (a, w3)\n s = Add (a, b)\n c = Conv (s, w4)\n t = Add (s, c)\n y = Conv (t, w2)",
      {uneven("w1", {6, 4, 1, 1}), uneven("w3", {6, 6, 1, 1}), uneven("w4", {6, 6, 1, 1}), kTwo});
  const Equalization equalization = expect_exact(model, EqualizeFamily::Linear);
  EXPECT_THAT(equalization.values, SizeIs(5));
  for (const auto& [name, value] : equalization.values)
    EXPECT_EQ(value.factors, equalization.values.at("a").factors) << name;
}

TEST(EqualizeLinear, ConstantsThatAreAddedAreMultipliedToo) {
  expect_exact(
      network("a = Conv (x, w1)\n s = Add (a, k)\n t = Sub (one, s)\n y = Conv (t, w2)",
              {uneven("w1", {6, 4, 1, 1}), "float[1, 6, 1, 1] k = {1, 2, 3, 4, 5, 6}", "float one = {1}", kTwo}),
      EqualizeFamily::Linear);
}

TEST(EqualizeLinear, AnAddThatBroadcastsOverChannelsBlocks) {
  EXPECT_THAT(groups_of(network("a = Conv (x, w1)\n b = Conv (x, w9)\n s = Add (a, b)\n y = Conv (s, w2)",
                                {uneven("w1", {6, 4, 1, 1}), uneven("w9", {1, 4, 1, 1}), kTwo})),
              IsEmpty());
}

const std::string kGate = "v = GlobalAveragePool (t)\n p = Conv (v, w3)\n g = Sigmoid (p)\n";

TEST(EqualizeGate, AMulByOneFactorAChannelOnTheGate) {
  const Model model = network("c = Conv (x, w1)\n t = Tanh (c)\n" + kGate + "m = Mul (t, g)\n y = Conv (m, w2)",
                              {uneven("w1", {6, 4, 1, 1}), uneven("w3", {6, 6, 1, 1}), kTwo});
  const Equalization equalization = expect_exact(model, EqualizeFamily::Gate);
  EXPECT_THAT(equalization.values, SizeIs(1));
  Model equalized = model.clone();
  apply_patch(equalized, make_equalize_patch(equalized.graph(), equalization));
  EXPECT_EQ(equalized.graph().nodes().size(), model.graph().nodes().size() + 1);
}

TEST(EqualizeGate, AProductOfTwoFullSizedValuesIsNone) {
  EXPECT_THAT(groups_of(network("c = Conv (x, w1)\n t = Tanh (c)\n g = Sigmoid (c)\n m = Mul (t, g)\n y = Conv (m, w2)",
                                {uneven("w1", {6, 4, 1, 1}), kTwo})),
              IsEmpty());
}

TEST(EqualizeAct, AMulBehindSiluOnlyWhenAskedFor) {
  const Model model = network("c = Conv (x, w1)\n g = Sigmoid (c)\n m = Mul (c, g)\n y = Conv (m, w2)",
                              {uneven("w1", {6, 4, 1, 1}), kTwo});
  EXPECT_THAT(groups_of(model), IsEmpty());
  EXPECT_THAT(expect_exact(model, EqualizeFamily::Act, ActivationFactors::Behind).activations, SizeIs(1));
}

/// The formula of HardSwish behind c, in three orders, and with another number.
const std::vector<std::string> kHardSwishWeights = {uneven("w1", {6, 4, 1, 1}), kTwo, "float three = {3}",
                                                    "float six = {6}", "float zero = {0}"};

TEST(EqualizeAct, AMulBehindTheFormulaOfHardSwish) {
  for (const std::string formula : {
           "a = Add (c, three)\n l = Clip (a, zero, six)\n d = Div (l, six)\n m = Mul (c, d)\n",
           "a = Add (c, three)\n l = Clip (a, zero, six)\n p = Mul (c, l)\n m = Div (p, six)\n",
           "s = Div (c, six)\n a = Add (c, three)\n r = Relu (a)\n l = Min (r, six)\n m = Mul (s, l)\n",
       }) {
    const Model model = network("c = Conv (x, w1)\n " + formula + " y = Conv (m, w2)", kHardSwishWeights);
    EXPECT_THAT(groups_of(model), IsEmpty()) << formula;
    EXPECT_THAT(expect_exact(model, EqualizeFamily::Act, ActivationFactors::Behind).activations, SizeIs(1)) << formula;
  }
}

TEST(EqualizeAct, NotBehindAFormulaOfOtherNumbers) {
  const Model model = network(
      "c = Conv (x, w1)\n a = Add (c, six)\n l = Clip (a, zero, six)\n d = Div (l, six)\n m = Mul (c, d)\n y = Conv "
      "(m, w2)",
      kHardSwishWeights);
  EXPECT_THAT(groups_of(model, ActivationFactors::Behind), IsEmpty());
}

TEST(EqualizeNorm, ScaleAndShiftOfALayerNormalizationBeforeSeveralProducts) {
  const Model model =
      network("n = LayerNormalization (x, gamma, beta)\n a = MatMul (n, w1)\n b = MatMul (n, w2)\n y = Add (a, b)",
              {uneven("gamma", {8}), uneven("beta", {8}), uneven("w1", {8, 3}), uneven("w2", {8, 3})},
              "float[1, 5, 8] x", "float[N, S, C] y");
  const Equalization equalization = expect_exact(model, EqualizeFamily::Norm);
  EXPECT_THAT(equalization.values, SizeIs(1));
  EXPECT_THAT(equalization.values, Contains(Key("n")));
}

TEST(EqualizeNorm, ANormalizationWrittenAsItsFormula) {
  const Model model = network(
      "m = ReduceMean <axes = [-1]> (x)\n d = Sub (x, m)\n q = Mul (d, d)\n v = ReduceMean <axes = [-1]> (q)\n e = "
      "Sqrt (v)\n z = Div "
      "(d, e)\n s = Mul (z, gamma)\n n = Add (s, beta)\n y = MatMul (n, w1)",
      {uneven("gamma", {8}), uneven("beta", {8}), uneven("w1", {8, 3})}, "float[1, 5, 8] x", "float[N, S, C] y");
  EXPECT_THAT(expect_exact(model, EqualizeFamily::Norm).values, SizeIs(2));
}

TEST(EqualizePatch, AWeightThatAnotherNodeReadsIsCopied) {
  const Model model =
      network("a = Conv (x, w1)\n r = Relu (a)\n b = Conv (r, w1)\n y = Sigmoid (b)", {uneven("w1", {4, 4, 1, 1})});
  expect_exact(model, EqualizeFamily::Relu);
}

TEST(EqualizePatch, OfAnotherModelIsAMismatch) {
  const Model model = network("y = Conv (x, w1)", {uneven("w1", {4, 4, 1, 1})});
  Equalization other;
  other.values["elsewhere"] = {EqualizeFamily::Relu, 2, {1, 2, 3, 4}};
  try {
    static_cast<void>(make_equalize_patch(model.graph(), other));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
  }
}

}  // namespace
}  // namespace detent
