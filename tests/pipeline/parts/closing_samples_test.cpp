// Tests the choice of samples for the closing error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "pipeline/parts/chosen.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// The samples that the closing error is measured on.
struct Closing {
  std::vector<std::string> names;  ///< of all samples of the source
  std::vector<std::string> calibrated;
  size_t known = 0;  ///< calibration samples that were read
  std::string what;
};

class ClosingSamplesOf : public SmallNetwork {
 protected:
  /// `count` samples s00.npy ...
  [[nodiscard]] std::string folder_of(size_t count) const {
    return samples("data" + std::to_string(count), std::vector<float>(count, 1.5F));
  }
  [[nodiscard]] static Closing closing(const QuantizeOptions& given) {
    Recipe recipe =
        recipe_of(given, requested_samples(given.data, &given.bound.evaluation.data, given.run), {given.calibrator});
    recipe.table = given.table;
    const auto [prepared, measured, chosen] = measure(make(std::move(recipe)));
    const ClosingSamples found = closing_samples(given, prepared, measured);
    Closing result{{}, measured.calibration.sample_names, 0, {}};
    for (size_t i = 0; found.source && i < found.source->size(); ++i)
      result.names.push_back(found.source->read(i).name);
    std::ranges::sort(result.names);
    result.known = found.count_read(measured.calibration.identities);
    result.what = found.text(measured.calibration.identities);
    return result;
  }
};

TEST_F(ClosingSamplesOf, TheCalibrationWhereThereAreNoOthers) {
  const Closing found = closing(options(folder_of(12)));
  EXPECT_THAT(found.names, SizeIs(12));
  EXPECT_EQ(found.known, 12U);
  EXPECT_EQ(found.what, "calibration samples");
}

TEST_F(ClosingSamplesOf, ThoseBeyondTheLimitWhereThereAreEight) {
  QuantizeOptions given = options(folder_of(12));
  given.data.limit = 4;
  const Closing found = closing(given);
  EXPECT_THAT(found.names,
              ElementsAre("s04.npy", "s05.npy", "s06.npy", "s07.npy", "s08.npy", "s09.npy", "s10.npy", "s11.npy"));
  EXPECT_EQ(found.known, 0U);
  EXPECT_EQ(found.what, "samples outside the calibration set");
}

TEST_F(ClosingSamplesOf, TheCalibrationWhereSevenLieBeyondTheLimit) {
  QuantizeOptions given = options(folder_of(12));
  given.data.limit = 5;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, ElementsAre("s00.npy", "s01.npy", "s02.npy", "s03.npy", "s04.npy"));
  EXPECT_EQ(found.known, 5U);
  given.data.limit = 99;
  EXPECT_THAT(closing(given).names, SizeIs(12));
}

/// Names do not count: files beyond the limit may be copies.
TEST_F(ClosingSamplesOf, TheCalibrationWhereThoseBeyondTheLimitAreCopiesOfIt) {
  QuantizeOptions given = options(folder_of(12));
  given.data.limit = 4;
  for (size_t copy = 4; copy < 12; ++copy)
    std::filesystem::copy_file(folder_ / "data12" / "s00.npy",
                               folder_ / "data12" / ((copy < 10 ? "s0" : "s") + std::to_string(copy) + ".npy"),
                               std::filesystem::copy_options::overwrite_existing);
  const Closing found = closing(given);
  EXPECT_THAT(found.names, ElementsAre("s00.npy", "s01.npy", "s02.npy", "s03.npy"));
  EXPECT_EQ(found.known, 4U);
  EXPECT_EQ(found.what, "calibration samples");
}

TEST_F(ClosingSamplesOf, OthersThanThoseOfAShuffledCalibration) {
  QuantizeOptions given = options(folder_of(20));
  given.data.limit = 12;
  given.data.shuffle = 7;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(8));
  std::vector<std::string> all = found.names;
  all.insert(all.end(), found.calibrated.begin(), found.calibrated.end());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 20U) << "each sample is in one of the two";
}

TEST_F(ClosingSamplesOf, TheCalibrationOfAShard) {
  QuantizeOptions given = options(folder_of(20));
  given.data.limit = 6;
  given.data.shard_count = 2;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, ElementsAre("s00.npy", "s02.npy", "s04.npy"));
  EXPECT_EQ(found.known, 3U);
}

TEST_F(ClosingSamplesOf, AnEvaluationAreAllOfItAndComeFirst) {
  QuantizeOptions given = options(folder_of(20));
  given.data.limit = 4;
  given.error_samples = 2;
  given.bound.evaluation.data.sources = {samples("eval", {7, 8, 9})};
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(3));
  EXPECT_EQ(found.known, 0U);
  EXPECT_EQ(found.what, "evaluation samples");
}

TEST_F(ClosingSamplesOf, ThoseThatATableDoesNotNameWhereThereAreEight) {
  QuantizeOptions given = options(folder_of(12));
  DataOptions some = given.data;
  some.limit = 4;
  given.table = table(some, "four.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(8));
  EXPECT_EQ(found.names.front(), "s04.npy");
  EXPECT_EQ(found.known, 0U);
  EXPECT_EQ(found.what, "samples outside the calibration set");
}

TEST_F(ClosingSamplesOf, AllTheDataBesideATableThatNamesAllButSeven) {
  QuantizeOptions given = options(folder_of(12));
  DataOptions some = given.data;
  some.limit = 5;
  given.table = table(some, "five.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(12));
  EXPECT_EQ(found.known, 5U);
}

TEST_F(ClosingSamplesOf, ThoseOfOtherContentUnderTheNamesOfATable) {
  QuantizeOptions given = options(samples("other", std::vector<float>(12, 3)));
  given.table = table(options(folder_of(12)).data, "all.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(12));
  EXPECT_EQ(found.known, 0U);
  EXPECT_EQ(found.what, "samples outside the calibration set");
}

TEST_F(ClosingSamplesOf, TheCalibrationItselfUnderOtherNames) {
  QuantizeOptions given = options(folder_of(12));
  given.table = table(given.data, "all.dct");
  const std::filesystem::path moved = folder_ / "set";
  std::filesystem::create_directories(moved);
  std::filesystem::copy(folder_ / "data12", moved / "calib");
  given.data.sources = {moved.string()};
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(12));
  EXPECT_EQ(found.known, 12U);
  EXPECT_EQ(found.what, "calibration samples");
}

TEST_F(ClosingSamplesOf, AnEvaluationThatWasCalibratedWithIsCounted) {
  QuantizeOptions given = options(folder_of(12));
  given.bound.evaluation.data = given.data;
  given.bound.evaluation.data.limit = 3;
  EXPECT_EQ(closing(given).known, 3U);
}

TEST_F(ClosingSamplesOf, LargeDataAreThoseOfTheSmallestHashNotTheFirst) {
  QuantizeOptions given = options(folder_of(40));
  given.error_samples = 20;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(20));
  std::vector<std::string> first = found.calibrated;
  std::ranges::sort(first);
  first.resize(20);
  EXPECT_NE(found.names, first) << "a sorted folder begins with one class";
  given.data.shuffle = 3;
  EXPECT_EQ(closing(given).names, found.names) << "whatever the order";
}

TEST_F(ClosingSamplesOf, ATableAloneAreNone) {
  QuantizeOptions given = options("");
  given.table = table(options(folder_of(12)).data, "all.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(0));
  EXPECT_EQ(found.what, "");
}

}  // namespace
}  // namespace detent
