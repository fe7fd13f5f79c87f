// Tests the options in a file's provenance, which give the same file again.
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

class OptionsInTheFile : public SmallNetwork {
 protected:
  [[nodiscard]] QuantizeOptions asked(Accuracy level) const {
    QuantizeOptions given = options(samples("data", std::vector<float>(16, 1.5F)));
    given.placement = {};
    given.accuracy = level;
    return given;
  }
  [[nodiscard]] static std::string written(const QuantizeOptions& given) {
    (void)quantize_model(given);
    return inspect_model(given.output).provenance.value().options;
  }
  /// Returns those of a run without a level, with this outcome.
  [[nodiscard]] std::string listed(bool biases_corrected, const BoundReport* bound) const {
    const QuantizeOptions given = asked(Accuracy::Balanced);
    const Prepared prepared = make(recipe_of(given, requested_samples(given.data, nullptr, given.run), {}));
    return changed_options({given.placement, given.format, given.equalize, given.accuracy, given.outliers},
                           {biases_corrected, bound}, prepared);
  }
};

TEST_F(OptionsInTheFile, NameTheBestLevelAndNothingThatItImplies) {
  EXPECT_EQ(written(asked(Accuracy::Best)), "accuracy=best");
  EXPECT_EQ(written(asked(Accuracy::Balanced)), "");
}

TEST_F(OptionsInTheFile, NameWhatTheUserAskedOtherwiseThanTheLevel) {
  QuantizeOptions given = asked(Accuracy::Best);
  given.equalize.equalize = "off";
  EXPECT_EQ(written(given), "equalize=off; accuracy=best");
  given.accuracy = Accuracy::Balanced;
  EXPECT_EQ(written(given), "equalize=off") << "by default outlier channels are evened out";
  given.accuracy = Accuracy::Fast;
  EXPECT_EQ(written(given), "") << "the default";
}

TEST_F(OptionsInTheFile, NameNoLevelOfATableAloneWhereBestIsRefused) {
  QuantizeOptions given = asked(Accuracy::Fast);
  given.table = table(given.data, "table.dct");
  given.data = {};
  EXPECT_EQ(written(given), "");
  given.accuracy = Accuracy::Best;
  try {
    static_cast<void>(quantize_model(given));
    ADD_FAILURE() << "best has nothing to measure on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Usage);
  }
}

TEST_F(OptionsInTheFile, NameBiasesThatBestWasToLeave) {
  QuantizeOptions given = asked(Accuracy::Best);
  given.equalize.bias_correction = false;
  EXPECT_NE(written(given).find("accuracy=best; bias-correction=off"), std::string::npos) << written(given);
}

TEST_F(OptionsInTheFile, NameACorrectionOfBiasesOnlyWhereItWasKept) {
  EXPECT_EQ(listed(true, nullptr), "bias-correction=on");
  EXPECT_EQ(listed(false, nullptr), "");
}

TEST_F(OptionsInTheFile, NameABoundOnlyWhereLayersAreFloatForIt) {
  BoundReport bound{.bound = "--min-sqnr 34"};
  EXPECT_EQ(listed(false, &bound), "");
  bound.kept.push_back({.name = "conv", .op = "Conv"});
  EXPECT_EQ(listed(false, &bound), "min-sqnr=34");
}

}  // namespace
}  // namespace detent
