#include "observe/calibration_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "detent/base/error.h"
#include "model/temporary_folder.h"
#include "observe/random_tables.h"

namespace detent {
namespace {

TEST(CalibrationTable, ComesBackAsItWasWritten) {
  CalibrationTable table = table_of_samples(0, 9, {4, 2, true});
  table.targets = {"onnxruntime:1.30", "tensorrt:10.13"};
  const std::vector<float> odd = {NAN, INFINITY, -INFINITY, 0, -0.0F, 1e-45F, std::numeric_limits<float>::max()};
  table.values["odd"].histogram.add(odd);
  table.values["imported"].scale = 0.0123F;
  table.values["not \xff UTF-8"].histogram.add(odd);
  EXPECT_EQ(table_from_bytes(table_to_bytes(table)), table);
}

TEST(CalibrationTable, KeepsTheEqualization) {
  CalibrationTable table = without_extremes(table_of_samples(0, 2));
  const std::string plain = table_to_bytes(table);
  table.equalize = "gate";
  table.equalization.values["g"] = {EqualizeFamily::Gate, 2, {0.5F, 2}};
  table.equalization.values["n"] = {EqualizeFamily::Branch, 0, {0.5F, 2}};
  table.equalization.gates["product"] = 1;
  EXPECT_EQ(table_from_bytes(table_to_bytes(table)), table);
  const std::string equalized = table_to_bytes(table);
  // The format, which follows the magic: programs that know an older one must not take the table for theirs.
  const size_t format = 2 + std::string("detent calibration table").size() + 1;
  EXPECT_EQ(plain.at(format), 1);
  EXPECT_EQ(equalized.at(format), 2);
  EXPECT_EQ(table_to_bytes(table_of_samples(0, 2)).at(format), 4);
  EXPECT_EQ(table_to_bytes(table_of_samples(0, 0)).at(format), 1) << "a shard without samples has no extremes";
}

TEST(CalibrationTable, KeepsTheExtremesOfEverySample) {
  const CalibrationTable table = table_of_samples(0, 3), old = without_extremes(table);
  const CalibrationTable back = table_from_bytes(table_to_bytes(table));
  EXPECT_TRUE(back.has_extremes());
  EXPECT_EQ(back.values.at("conv").extremes.size(), 3U);
  EXPECT_TRUE(back.values.at("never").extremes.at(1).empty());
  EXPECT_EQ(table_from_bytes(table_to_bytes(old)), old);
  EXPECT_FALSE(old.has_extremes());
}

TEST(CalibrationTable, RefusesExtremesThatTheHistogramCannotHaveHad) {
  const auto damaged = [](auto change) {
    CalibrationTable table = table_of_samples(0, 3);
    change(table.values["conv"].extremes);
    return error_of<Error>([&] { static_cast<void>(table_from_bytes(table_to_bytes(table))); }).code();
  };
  using List = std::vector<Extremes>;
  EXPECT_EQ(damaged([](List& list) { list.pop_back(); }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](List& list) { list[0] = {1, -1}; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](List& list) { list[0] = {NAN, 1}; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](List& list) { list[0].max = 1e9F; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](List& list) { list.assign(3, {0, 0.5F}); }), ErrorCode::InvalidData);
}

TEST(CalibrationTable, KeepsWhatValuesReach) {
  CalibrationTable table = reaching_table_of_samples(0, 3);
  table.reaches["conv"]->add(std::vector<float>{0x1p-149F, NAN, INFINITY, 0, 0x1.fffffep127F});
  EXPECT_EQ(table_from_bytes(table_to_bytes(table)), table);
  const CalibrationTable back = table_from_bytes(table_to_bytes(table));
  EXPECT_FALSE(back.reaches.at("codes").has_value()) << "known to be of another type";
  EXPECT_TRUE(back.reaches.at("never").has_value()) << "zeros alone are a reach too";
  const size_t format = 2 + std::string("detent calibration table").size() + 1;
  EXPECT_EQ(table_to_bytes(table).at(format), 5);
}

TEST(CalibrationTable, RefusesReachesThatNoNumbersHave) {
  const auto read = [](auto change) {
    CalibrationTable table = reaching_table_of_samples(0, 3);
    change(*table.reaches["conv"]);
    static_cast<void>(table_from_bytes(table_to_bytes(table)));
  };
  const auto damaged = [&](auto change) { return error_of<Error>([&] { read(change); }).code(); };
  EXPECT_NO_THROW(read([](ValueReach&) {}));
  EXPECT_EQ(damaged([](ValueReach& reach) { reach.amax *= 4; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](ValueReach& reach) { reach.counts.back() = 1; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](ValueReach& reach) { reach.counts = {}; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](ValueReach& reach) { reach.mean_abs = 2 * reach.amax; }), ErrorCode::InvalidData);
  EXPECT_EQ(damaged([](ValueReach& reach) { reach.mean_abs = NAN; }), ErrorCode::InvalidData);
}

TEST(CalibrationTable, ComesBackEmpty) {
  const CalibrationTable empty;
  EXPECT_EQ(table_from_bytes(table_to_bytes(empty)), empty);
}

TEST(CalibrationTable, KeepsEveryFilledBinOfBothSides) {
  CalibrationTable table;
  for (const std::vector<float>& numbers : std::vector<std::vector<float>>{
           {-4095.5F, 4095.5F}, {4095.5F}, {-4095.5F}, {0.5F}, {-0.5F}, {-3, -2, 5, 6, 6}, {0}, {}}) {
    table.values["x"].histogram = {};
    table.values["x"].histogram.add(numbers);
    EXPECT_EQ(table_from_bytes(table_to_bytes(table)), table);
  }
}

TEST(CalibrationTable, HasTheSameBytesWhateverTheOrderOfItsData) {
  CalibrationTable forward, backward;
  const std::vector<float> numbers = {-3, 7, 0.25F, 100, 0};
  forward.values["a"].histogram.add(numbers);
  forward.values["b"].histogram.add(numbers);
  const std::vector<float> reversed(numbers.rbegin(), numbers.rend());
  backward.values["b"].histogram.add(reversed);
  for (const float x : reversed) backward.values["a"].histogram.add(std::span(&x, 1));
  EXPECT_EQ(table_to_bytes(forward), table_to_bytes(backward));
  const float one_more = 1;
  backward.values["a"].histogram.add(std::span(&one_more, 1));
  EXPECT_NE(table_to_bytes(forward), table_to_bytes(backward));
}

std::string refusal(const std::string& bytes) {
  const Error error = error_of<Error>([&] { static_cast<void>(table_from_bytes(bytes)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  return error.what();
}

TEST(CalibrationTable, RefusesWhatIsNoTable) {
  for (const char* bytes : {"", "x", "TRT-8601-EntropyCalibration2\nx: 3f800000\n"})
    EXPECT_NE(refusal(bytes).find("not a calibration table"), std::string::npos) << bytes;
}

TEST(CalibrationTable, NoticesEveryTruncation) {
  const std::string bytes = table_to_bytes(table_of_samples(0, 2));
  for (size_t length = bytes.size() - 1; length > 26; length -= std::max<size_t>(1, length / 50))
    EXPECT_NE(refusal(bytes.substr(0, length)).find("truncated"), std::string::npos) << length;
}

TEST(CalibrationTable, NoticesAChangedByte) {
  const std::string bytes = table_to_bytes(table_of_samples(0, 2));
  for (size_t at = 26; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_NE(refusal(changed).find("damaged"), std::string::npos) << at;
  }
}

TEST(CalibrationTable, SaysWhichFileCannotBeRead) {
  const TemporaryFolder folder;
  const Error error = error_of<Error>([&] { static_cast<void>(read_table(folder / "gone.dct")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_NE(std::string(error.what()).find("gone.dct"), std::string::npos);
  EXPECT_THROW(static_cast<void>(read_table(folder.path())), Error);
}

TEST(CalibrationTable, IsToldFromOtherFilesByItsBeginning) {
  const TemporaryFolder folder;
  write_table(table_of_samples(0, 1), folder / "table.dct");
  EXPECT_TRUE(is_table_file(folder / "table.dct"));
  EXPECT_FALSE(is_table_file(folder.write("text", "detent calibration table")));
  EXPECT_FALSE(is_table_file(folder / "gone"));
  EXPECT_EQ(read_table(folder / "table.dct"), table_of_samples(0, 1));
}

}  // namespace
}  // namespace detent
