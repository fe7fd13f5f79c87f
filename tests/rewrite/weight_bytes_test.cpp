#include "rewrite/weight_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::map<std::string, uint64_t> bytes_of(const std::string& constants, const std::string& nodes) {
  return weight_bytes_by_type(parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,2] x) => "
                                               "(float[2,2] y) <" +
                                               constants + "> {" + nodes + "}")
                                  .graph());
}

TEST(WeightBytes, FloatConstantsAreFloatHoweverOftenTheyAreRead) {
  EXPECT_THAT(bytes_of("float[2,2] w = {1,2,3,4}", "a = MatMul (x, w) y = MatMul (a, w)"),
              UnorderedElementsAre(Pair("float", 16)));
}

TEST(WeightBytes, CodesCountWithTheirScalesAndZeroPoints) {
  EXPECT_THAT(bytes_of("int8[2,2] w = {1,2,3,4}, float[2] s = {1,2}, int8[2] z = {0,0}, float[2] b = {0,0}",
                       "d = DequantizeLinear <axis = 1> (w, s, z) a = MatMul (x, d) y = Add (a, b)"),
              UnorderedElementsAre(Pair("int8", 4 + 8 + 2), Pair("float", 8)));
  EXPECT_THAT(bytes_of("int32[2] b = {1,2}, float s = {0.5}", "d = DequantizeLinear (b, s) y = Add (x, d)"),
              UnorderedElementsAre(Pair("int32", 8 + 4)));
}

TEST(WeightBytes, CodesThatAGatherTakesRowsOfCountToo) {
  EXPECT_THAT(bytes_of("int8[2,2] e = {1,2,3,4}, float[2] s = {1,2}, int64[2] ids = {0,1}",
                       "g = Gather (e, ids) d = DequantizeLinear <axis = -1> (g, s) y = Add (x, d)"),
              UnorderedElementsAre(Pair("int8", 4 + 8)));
}

TEST(WeightBytes, ScalesOfPairsOnActivationsAndShapesAreNoWeights) {
  EXPECT_THAT(bytes_of("float s = {0.5}, int8 z = {0}, int64[2] n = {2,2}",
                       "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = Reshape (d, n)"),
              IsEmpty());
}

TEST(WeightBytes, AFloatWeightBehindAFullPairIsFloat) {
  EXPECT_THAT(bytes_of("float[2,2] w = {1,2,3,4}, float s = {0.5}, int8 z = {0}",
                       "q = QuantizeLinear (w, s, z) d = DequantizeLinear (q, s, z) y = MatMul (x, d)"),
              UnorderedElementsAre(Pair("float", 16)));
}

TEST(WeightBytes, AScaleOfSeveralWeightsCountsOnce) {
  EXPECT_THAT(bytes_of("int8[2,2] v = {1,2,3,4}, int8[2,2] w = {1,2,3,4}, float s = {0.5}",
                       "d = DequantizeLinear (v, s) e = DequantizeLinear (w, s) a = MatMul (x, d) y = MatMul (a, e)"),
              UnorderedElementsAre(Pair("int8", 4 + 4 + 4)));
}

}  // namespace
}  // namespace detent
