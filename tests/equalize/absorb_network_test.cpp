#include "equalize/absorb_patch.h"
#include "equalize/find_absorbable.h"
#include "tests/equalize/networks.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;

/// Six biases: three far above anything that the weights add, two around 0, one far below.
const std::string kHighBias = "float[6] b1 = {60, 50, 40, 0, 0.5, -60}";
const std::string kOne = uneven("w1", {6, 4, 1, 1}), kTwoLayers = uneven("w2", {4, 6, 1, 1});

constexpr uint32_t kMeasured = 1;

std::vector<Absorbable> absorbable_in(const Model& model) {
  const Graph& graph = model.graph();
  const ValueShapes shapes = shapes_of(graph, random_input(graph, kMeasured));
  return find_absorbable(graph, ShiftFlow(graph, shapes));
}

Shifts shifts_of(const Model& model) {
  const Graph& graph = model.graph();
  const Tensor input = random_input(graph, kMeasured);
  const ValueShapes shapes = shapes_of(graph, input);
  const ShiftFlow flow(graph, shapes);
  const auto absorbable = find_absorbable(graph, flow);
  std::map<ValueId, int> axes;
  for (const Absorbable& one : absorbable) axes[one.activation] = one.axis;
  return choose_shifts(graph, shapes, flow, absorbable, ranges_of(graph, axes, input));
}

Model absorbed(const Model& model, const Shifts& shifts) {
  Model copy = model.clone();
  apply_patch(copy, make_absorb_patch(copy.graph(), shifts));
  return copy;
}

/// Expects something to be absorbed, no node more, and the same outputs on the input that was measured.
Shifts expect_exact_absorption(const Model& model) {
  const Shifts shifts = shifts_of(model);
  EXPECT_FALSE(shifts.empty());
  const Model after = absorbed(model, shifts);
  EXPECT_EQ(after.graph().nodes().size(), model.graph().nodes().size());
  EXPECT_LT(output_change(model, after, kMeasured), kRounding);
  return shifts;
}

/// conv -> `nodes`, which ends in y.
Model behind_conv(const std::string& nodes, std::vector<std::string> constants = {}, const std::string& input = "5, 5",
                  const std::string& output = "float[N, C, H, W] y") {
  constants.insert(constants.end(), {kOne, kHighBias, kTwoLayers});
  return network("c = Conv (x, w1, b1)\n" + nodes, constants, "float[1, 4, " + input + "] x", output);
}

TEST(AbsorbBias, MovesIntoTheBiasesBehindARelu) {
  const Shifts shifts =
      expect_exact_absorption(behind_conv("r = Relu (c)\n y = Conv (r, w2, b2)", {uneven("b2", {4})}));
  EXPECT_THAT(shifts, SizeIs(2));
  const std::vector<float>& shift = shifts.at("r").shifts;
  EXPECT_EQ(shift, shifts.at("c").shifts);
  for (const size_t c : {0, 1, 2}) EXPECT_GT(shift[c], 10) << c;
  for (const size_t c : {3, 4, 5}) EXPECT_EQ(shift[c], 0) << "channel " << c << " was cut off";
}

TEST(AbsorbBias, ALayerWithoutABiasGetsOne) {
  const Model model = behind_conv("r = Relu (c)\n y = Conv (r, w2)");
  const Model after = absorbed(model, expect_exact_absorption(model));
  const Node& reader = *after.graph().producer(after.graph().find_value("y"));
  EXPECT_EQ(after.graph().constant(reader.input(2))->shape(), Shape({4}));
}

TEST(AbsorbBias, ShortensTheRangeByWhatTheChannelsLose) {
  const Model model = behind_conv("r = Relu (c)\n y = Conv (r, w2)");
  const Shifts shifts = shifts_of(model);
  const Model after = absorbed(model, shifts);
  const auto range = [](const Model& one) {
    const ValueId r = one.graph().find_value("r");
    return ranges_of(one.graph(), {{r, 1}}, random_input(one.graph(), kMeasured)).at(r);
  };
  const ChannelRange before = range(model), now = range(after);
  for (size_t c = 0; c < 6; ++c) EXPECT_NEAR(now.max[c], before.max[c] - shifts.at("r").shifts[c], 1e-4) << c;
}

TEST(AbsorbBias, LeakyReluPReluAndAClipFarFromItsBound) {
  for (const char* activation :
       {"r = LeakyRelu <alpha = 0.1> (c)", "r = PRelu (c, slopes)", "r = Clip (c, low, far)", "r = Clip (c, low)"})
    expect_exact_absorption(
        behind_conv(std::string(activation) + "\n y = Conv (r, w2)",
                    {"float[6, 1, 1] slopes = {0.1, 0.2, 0, 0.4, 0.5, 0.6}", "float low = {0}", "float far = {1000}"}));
}

TEST(AbsorbBias, DepthwiseGroupedAndTransposedConvolutions) {
  expect_exact_absorption(
      behind_conv("r = Relu (c)\n d = Conv <group = 6> (r, w3)\n y = Tanh (d)", {uneven("w3", {6, 1, 3, 3})}));
  expect_exact_absorption(
      behind_conv("r = Relu (c)\n d = Conv <group = 2> (r, w3)\n y = Tanh (d)", {uneven("w3", {4, 3, 1, 1})}));
  expect_exact_absorption(network("c = ConvTranspose <group = 2> (x, w1, b1)\n r = Relu (c)\n y = Conv (r, w2)",
                                  {uneven("w1", {4, 3, 2, 2}), kHighBias, kTwoLayers}));
}

TEST(AbsorbBias, PoolingSlicingResizingAndPaddingWithWhatIsThere) {
  for (const char* nodes :
       {"p = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (r)", "p = AveragePool <kernel_shape = [2, 2]> (r)",
        "p = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (r)", "p = GlobalAveragePool (r)",
        "p = Pad <mode = \"reflect\"> (r, pads)", "p = Resize <mode = \"linear\"> (r, , scales)",
        "p = Slice (r, starts, ends, axes)", "p = ReduceMean <axes = [3]> (r)", "p = Add (r, k)"})
    expect_exact_absorption(behind_conv(
        "r = Relu (c)\n " + std::string(nodes) + "\n y = Conv (p, w2)",
        {"int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}", "float[4] scales = {1, 1, 2, 2}", "int64[1] starts = {1}",
         "int64[1] ends = {4}", "int64[1] axes = {2}", "float[6, 1, 1] k = {1, 2, 3, 4, 5, 6}"}));
}

TEST(AbsorbBias, ConcatAndSplitOverChannels) {
  const Shifts joined = expect_exact_absorption(behind_conv(
      "r = Relu (c)\n t = Tanh (x)\n k = Concat <axis = 1> (t, r)\n y = Conv (k, w3)", {uneven("w3", {4, 10, 1, 1})}));
  EXPECT_EQ(joined.at("k").shifts[0], 0) << "the first four channels come from elsewhere";
  EXPECT_EQ(joined.at("k").shifts[4], joined.at("r").shifts[0]);
  const Shifts split = expect_exact_absorption(
      behind_conv("r = Relu (c)\n p, q = Split <axis = 1> (r)\n a = Conv (p, w3)\n b = Conv (q, w3)\n y = Add (a, b)",
                  {uneven("w3", {4, 3, 1, 1})}));
  EXPECT_THAT(split, Contains(Key("p")));
  EXPECT_THAT(split, Not(Contains(Key("q")))) << "its three channels were cut off";
}

TEST(AbsorbBias, ResidualAddsBeforeAndBehindTheActivation) {
  const Shifts shifts = expect_exact_absorption(
      behind_conv("d = Conv (x, w3)\n s = Add (d, c)\n r = Relu (s)\n t = Add (r, d)\n y = Conv (t, w2)",
                  {uneven("w3", {6, 4, 1, 1})}));
  EXPECT_THAT(shifts, SizeIs(4)) << "c, s, r and t, but not d";
  EXPECT_THAT(shifts, Not(Contains(Key("d"))));
}

TEST(AbsorbBias, GemmWithItsFactorsBehindPooling) {
  expect_exact_absorption(
      behind_conv("r = Relu (c)\n g = GlobalAveragePool (r)\n f = Flatten (g)\n y = Gemm <alpha = 0.5, beta = 2.0, "
                  "transB = 1> (f, w6, b6)",
                  {uneven("w6", {3, 6}), uneven("b6", {3})}, "5, 5", "float[N, C] y"));
}

TEST(AbsorbBias, MatMulsWithTheAddsBehindThem) {
  const Shifts shifts = expect_exact_absorption(network(
      "m = MatMul (x, w1)\n s = Add (m, b1)\n r = Relu (s)\n n = MatMul (r, w3)\n t = Add (b3, n)\n q = Relu (t)\n o = "
      "MatMul (q, w4)\n y = Add (o, b4)",
      {uneven("w1", {8, 6}), kHighBias, uneven("w3", {6, 3}), "float[3] b3 = {900, 0, 0}", uneven("w4", {3, 2}),
       "float b4 = {1}"},
      "float[1, 5, 8] x", "float[N, S, C] y"));
  EXPECT_THAT(shifts, Contains(Key("q")));
  EXPECT_THAT(shifts, Not(Contains(Key("m")))) << "the Add takes it";
}

TEST(AbsorbBias, AConstantThatAnotherNodeReadsIsCopied) {
  expect_exact_absorption(
      behind_conv("r = Relu (c)\n a = Conv (r, w3, b1)\n y = Tanh (a)", {uneven("w3", {6, 6, 1, 1})}));
}

/// Nothing between the Relu and y can make up for a shift.
TEST(AbsorbBias, NotWhereAReaderPadsWithZerosOrBends) {
  for (const char* nodes :
       {"y = Conv <pads = [1, 1, 1, 1]> (r, w3)", "y = Conv <auto_pad = \"SAME_UPPER\"> (r, w3)",
        "p = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (r)\n y = Conv (p, w2)",
        "p = Pad (r, pads)\n y = Conv (p, w2)", "y = ConvTranspose (r, w4)", "y = Sigmoid (r)",
        "s = Relu (r)\n y = Conv (s, w2)", "a = Conv (r, w2)\n t = Tanh (r)\n b = Conv (t, w5)\n y = Add (a, b)",
        "k = Concat <axis = 2> (r, r)\n y = Conv (k, w2)", "p = Pad <mode = \"edge\"> (r, moved)\n y = Conv (p, w2)",
        "p = Mul (r, r)\n y = Conv (p, w2)"})
    EXPECT_THAT(absorbable_in(behind_conv(
                    "r = Relu (c)\n " + std::string(nodes),
                    {uneven("w3", {4, 6, 3, 3}), uneven("w4", {6, 4, 2, 2}), uneven("w5", {4, 6, 1, 1}),
                     "int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}", "int64[8] moved = {0, 1, 0, 0, 0, -1, 0, 0}"})),
                IsEmpty())
        << nodes;
}

TEST(AbsorbBias, NotWhereNothingCanTakeOrLoseIt) {
  EXPECT_THAT(absorbable_in(behind_conv("r = Relu (c)\n y = Conv (r, w2)", {}, "5, 5",
                                        "float[N, C, H, W] y, float[N, K, H, W] r")),
              IsEmpty())
      << "the user reads r";
  EXPECT_THAT(absorbable_in(behind_conv("r = Relu (c)\n d = Conv (r, w2)\n e = Conv (c, w2)\n y = Add (d, e)")),
              IsEmpty())
      << "c is read as it is";
  EXPECT_THAT(absorbable_in(network("r = Relu (x)\n y = Conv (r, w2)", {kTwoLayers}, "float[1, 6, 5, 5] x")), IsEmpty())
      << "nothing makes the input of the network";
  EXPECT_THAT(absorbable_in(behind_conv("t = Tanh (c)\n y = Conv (t, w2)")), IsEmpty());
  EXPECT_THAT(absorbable_in(network("m = MatMul (x, w1)\n s = Add (m, b1)\n r = Relu (s)\n y = MatMul (r, w3)",
                                    {uneven("w1", {8, 6}), kHighBias, uneven("w3", {6, 3})}, "float[1, 5, 8] x",
                                    "float[N, S, C] y")),
              IsEmpty())
      << "a product without an Add behind it has no bias";
  EXPECT_THAT(absorbable_in(behind_conv("r = Relu (c)\n f = Flatten (r)\n y = Gemm <beta = 0.0> (f, w6, b6)",
                                        {uneven("w6", {6, 3}), uneven("b6", {3})}, "1, 1", "float[N, C] y")),
              IsEmpty())
      << "what is multiplied by 0 adds nothing";
}

TEST(AbsorbBias, NotWhereAnActivationFallsBelowZero) {
  EXPECT_THAT(absorbable_in(behind_conv("r = PRelu (c, slopes)\n y = Conv (r, w2)",
                                        {"float[6, 1, 1] slopes = {0.1, 0.2, -0.3, 0.4, 0.5, 0.6}"})),
              IsEmpty())
      << "above 0 it may come from below";
  EXPECT_THAT(absorbable_in(behind_conv("r = LeakyRelu <alpha = -0.1> (c)\n y = Conv (r, w2)")), IsEmpty());
  EXPECT_THAT(absorbable_in(behind_conv("r = Clip (c, low)\n y = Conv (r, w2)", {"float low = {1}"})), IsEmpty());
}

/// The shift of channels whose extremes are given.
std::vector<float> shift_for(const std::vector<float>& low, const std::vector<float>& high, const std::string& bound) {
  const Model model = network("c = Conv (x, w1, b1)\n r = Clip (c, low, high)\n y = Conv (r, w2)",
                              {uneven("w1", {3, 4, 1, 1}), "float[3] b1 = {9, 9, 9}", uneven("w2", {4, 3, 1, 1}),
                               "float low = {0}", "float high = {" + bound + "}"});
  const Graph& graph = model.graph();
  const ValueShapes shapes = shapes_of(graph, random_input(graph));
  const ShiftFlow flow(graph, shapes);
  const auto absorbable = find_absorbable(graph, flow);
  const Shifts shifts =
      choose_shifts(graph, shapes, flow, absorbable, {{absorbable.at(0).activation, ChannelRange{low, high}}});
  return shifts.empty() ? std::vector<float>{} : shifts.at("r").shifts;
}

TEST(ChooseShifts, LeaveHalfTheSpreadBelowWhatWasSeen) {
  EXPECT_THAT(shift_for({10, 2, 0}, {12, 6, 8}, "100"), ElementsAre(9, 0, 0))
      << "10 - 2/2; 2 - 4/2 leaves nothing; the last was cut off once";
}

TEST(ChooseShifts, LeaveChannelsAloneThatComeNearAClip) {
  EXPECT_THAT(shift_for({19, 10, 10}, {20, 18, 19.5}, "24"), ElementsAre(18.5, 6, 0))
      << "18 + 8/2 is below the bound, 19.5 + 9.5/2 is not";
}

TEST(ChooseShifts, LeaveWhatIsLessThanAStep) {
  EXPECT_THAT(shift_for({120, 0.9F, 0}, {127, 0.9F, 1}, "1000"), ElementsAre(116.5, 0, 0)) << "a step is 1";
  EXPECT_THAT(shift_for({120, 1.1F, 0}, {127, 1.1F, 1}, "1000"), ElementsAre(116.5, 1.1F, 0));
}

TEST(ChooseShifts, LeaveAValueAloneThatStaysAsLarge) {
  EXPECT_THAT(shift_for({10, 0, 0}, {12, 12, 1}, "1000"), IsEmpty()) << "one scale serves all channels";
  EXPECT_THAT(shift_for({10, 0, 0}, {12, 11.95F, 1}, "1000"), IsEmpty()) << "less than a step of 12 / 127";
  EXPECT_THAT(shift_for({10, 0, 0}, {12, 11.9F, 1}, "1000"), ElementsAre(9, 0, 0));
}

TEST(ChooseShifts, LeaveAValueAloneThatReachesAsFarBelowZero) {
  const Model model = behind_conv("r = LeakyRelu <alpha = 1.1> (c)\n y = Conv (r, w2)");
  EXPECT_THAT(absorbable_in(model), SizeIs(1));
  EXPECT_THAT(shifts_of(model), IsEmpty()) << "the channel of bias -60 reaches -66";
}

TEST(AbsorbPatch, OfAnotherModelIsAMismatch) {
  const Model model = behind_conv("r = Relu (c)\n y = Conv (r, w2)");
  const std::vector<Shifts> wrong = {
      {{"elsewhere", {2, {1, 2, 3, 4, 5, 6}}}}, {{"r", {2, {1, 2}}}}, {{"c", {2, {1, 2}}}}};
  for (const Shifts& shifts : wrong) {
    try {
      static_cast<void>(make_absorb_patch(model.graph(), shifts));
      ADD_FAILURE() << "nothing was thrown for " << shifts.begin()->first;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
    }
  }
}

}  // namespace
}  // namespace detent
