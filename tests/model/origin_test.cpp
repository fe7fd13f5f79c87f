#include "model/origin.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

Model small_model() {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13], producer_name: "pytorch", producer_version: "2.1">
    g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) })");
}

TEST(ModelOrigin, NamesTheProducerWithItsVersion) {
  const ModelOrigin origin = origin_of(small_model());
  EXPECT_EQ(origin.producer_name, "pytorch");
  EXPECT_TRUE(origin.metadata.empty());
  EXPECT_EQ(producer_of(small_model()), "pytorch 2.1");
}

TEST(ModelOrigin, IsEmptyWhereTheModelSaysNothing) {
  const Model model =
      parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]> g (float[1] x) => (float[1] y) { y = Relu(x) })");
  EXPECT_EQ(producer_of(model), "");
}

TEST(ModelOrigin, ReplacesItsOwnMetadataAndLeavesTheRest) {
  Model model = small_model();
  set_origin(model, {"pytorch", "2.1", {{"classes", "cat,dog"}, {"detent.target", "old"}, {"detent.gone", "1"}}}, "");
  set_origin(model, {"detent", "1.0", {{"detent.target", "new"}}}, "detent.");
  EXPECT_EQ(origin_of(model).metadata,
            (std::map<std::string, std::string>{{"classes", "cat,dog"}, {"detent.target", "new"}}));
  EXPECT_EQ(producer_of(model), "detent 1.0");
}

}  // namespace
}  // namespace detent
