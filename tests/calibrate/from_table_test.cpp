#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "calibrate/sample_tables.h"
#include "datasets/base/npy_format.h"
#include "detent/base/error.h"
#include "detent/options/placement_options.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "place/engines/target.h"
#include "prepare/prepare_model.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

using Tables = SampleTables;

/// "0.5, -0.25, ...": `count` numbers as ONNX text.
std::string weights(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += (i > 0 ? ", " : "") + std::to_string(static_cast<double>(i * 5 % 7 - 3) / 4);
  return text;
}

TEST(Targets, PrepareEveryModelAlikeSoThatOneTableServesAll) {
  const char* const old = R"(<ir_version: 7, opset_import: ["" : 11]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,1,1] w = {1, 2, 3, 4}, float[2] s = {2, 3}, float[2] b = {0, 1}, float[2] m = {1, 2}, float[2] v = {4, 9}>
{ c = Conv (x, w)  n = BatchNormalization (c, s, b, m, v)  y = Softmax <axis = 1> (n) })";
  std::vector<std::string> first;
  for (const Target& target : target_list()) {
    Model model = parse_model_text(old);
    prepare_model(model, target);
    std::vector<std::string> names;
    for (const Node& node : model.graph().nodes())
      if (node.op_type != "Shape") names.push_back(node.op_type + " " + node.name);  // sizes have no range
    if (first.empty()) first = names;
    EXPECT_EQ(names, first) << target.spec();
  }
}

TEST_F(Tables, GiveTheModelThatTheDataGives) {
  static_cast<void>(calibrate_model(calibration("every.dct")));
  for (const std::string target : {"tensorrt", "onnxruntime", "tensorrt:8.6"}) {
    CalibrateOptions restricted = calibration(target + ".dct");
    restricted.targets = {target};
    static_cast<void>(calibrate_model(restricted));
    for (const char* calibrator : {"entropy", "percentile:99.9", "max"}) {
      QuantizeOptions from_data = quantization(target, "data.onnx");
      from_data.overwrite = true;
      from_data.data = sample_data();
      from_data.calibrator = calibrator;
      const std::string expected = model_bytes(from_data);
      QuantizeOptions from_table = quantization(target, "table.onnx");
      from_table.overwrite = true;
      from_table.calibrator = calibrator;
      for (const fs::path& table : {folder_ / "every.dct", restricted.output}) {
        from_table.table = table;
        EXPECT_EQ(model_bytes(from_table), expected) << target << " " << calibrator << " " << table;
      }
    }
  }
}

/// A small network and as many samples as the calibrator needs, each twice as large as the one before. Images and the
/// U-Net would show the same in twenty minutes under ThreadSanitizer.
TEST_F(Tables, GiveTheSampleMaximaThatTheDataGives) {
  constexpr int64_t kSamples = 20, kChannels = 16, kEach = kChannels * 4;
  std::vector<float> numbers;
  for (int64_t i = 0; i < kSamples * kEach; ++i)
    numbers.push_back(std::ldexp(static_cast<float>(i * 7 % 5 - 2), static_cast<int>(i / kEach)));
  folder_.write("x.npy",
                format_npy_header(DataType::Float32, {kSamples, kChannels, 2, 2}) +
                    std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)));
  write_model(
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float[N,16,2,2] x) => (float[N,16,2,2] y) "
                       "{ w = Constant <value = float[16,16,1,1] {" +
                       weights(kChannels * kChannels) + "}> ()  c = Conv (x, w)  y = Relu (c) }"),
      folder_ / "small.onnx");
  CalibrateOptions options = calibration("table.dct");
  options.model = folder_ / "small.onnx";
  options.data = {};
  options.data.sources = {(folder_ / "x.npy").string()};
  static_cast<void>(calibrate_model(options));
  QuantizeOptions from_data = quantization("tensorrt", "data.onnx");
  from_data.model = options.model;
  from_data.data = options.data;
  from_data.calibrator = "samplemax:50";
  const std::string expected = model_bytes(from_data);
  QuantizeOptions from_table = quantization("tensorrt", "table.onnx");
  from_table.model = options.model;
  from_table.table = options.output;
  from_table.calibrator = "samplemax:50";
  EXPECT_EQ(model_bytes(from_table), expected);
  from_table.overwrite = true;
  from_table.calibrator = "max";
  EXPECT_NE(model_bytes(from_table), expected);

  const CacheExportOptions exported{.table = options.output, .output = folder_ / "half", .calibrator = "samplemax:50"};
  const CacheExportOptions whole{.table = options.output, .output = folder_ / "whole", .calibrator = "max"};
  EXPECT_EQ(export_cache(exported).scales, export_cache(whole).scales);
  EXPECT_NE(TemporaryFolder::read(exported.output), TemporaryFolder::read(whole.output));
}

// Parts of a ConvTranspose that HTP wants apart have the numbers of values that every table has; squares have not.
TEST_F(Tables, ServeTheFormsOfAnEngine) {
  const auto quantize = [&](const std::string& nodes, const std::string& shape, const std::string& target) {
    write_model(
        parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,4,4,4] x) => (float" + shape +
                         " y) { w = Constant <value = float[4,2,2,2] {" + weights(32) + "}> () " + nodes + " }"),
        folder_ / "forms.onnx", {.overwrite = true});
    CalibrateOptions options = calibration("forms.dct");
    options.model = folder_ / "forms.onnx";
    options.data = {};
    options.data.sources = {"random:normal,n=8"};
    options.overwrite = true;
    if (!target.empty()) options.targets = {target};
    static_cast<void>(calibrate_model(options));
    QuantizeOptions from_table = quantization("qnn", "forms.q.onnx");
    from_table.model = options.model;
    from_table.table = options.output;
    from_table.overwrite = true;
    return quantize_model(from_table);
  };
  EXPECT_NO_THROW(quantize("t = ConvTranspose <group = 2, strides = [2,2]> (x, w)  y = Relu (t)", "[1,4,8,8]", ""));
  const std::string squares = "t = ConvTranspose (x, w)  s = ReduceSumSquare <axes = [1]> (t)  y = Sqrt (s)";
  EXPECT_THROW(quantize(squares, "[1,1,5,5]", ""), Error) << "no table without a target has the squares";
  EXPECT_NO_THROW(quantize(squares, "[1,1,5,5]", "qnn"));
}

TEST_F(Tables, WithoutExtremesServeEveryCalibratorButThatOfSamples) {
  static_cast<void>(calibrate_model(calibration("new.dct")));
  CalibrationTable old = read_table(folder_ / "new.dct");
  for (auto& [name, value] : old.values) value.extremes.clear();
  write_table(old, folder_ / "old.dct");
  QuantizeOptions options = quantization("tensorrt", "out.onnx");
  options.table = folder_ / "old.dct";
  options.calibrator = "samplemax";
  EXPECT_EQ(code_of([&] { static_cast<void>(quantize_model(options)); }), ErrorCode::TableMismatch);
  EXPECT_EQ(code_of([&] {
              static_cast<void>(
                  export_cache({.table = options.table, .output = folder_ / "cache", .calibrator = "samplemax"}));
            }),
            ErrorCode::TableMismatch);
  options.calibrator = "max";
  EXPECT_EQ(quantize_model(options).samples, 6U);
}

TEST_F(Tables, ServeEveryPolicy) {
  static_cast<void>(calibrate_model(calibration("every.dct")));
  QuantizeOptions options = quantization("tensorrt", "data.onnx");
  options.placement.deconv_activation = PlacementOptions::DeconvActivation::Split;
  options.placement.concat = PlacementOptions::Concat::Inputs;
  options.placement.maxpool = PlacementOptions::MaxPool::Both;
  options.placement.quantize_outputs = true;
  options.calibrator = "entropy";  // with a table alone nothing is measured
  options.data = sample_data();
  const std::string expected = model_bytes(options);
  options.data = {};
  options.table = folder_ / "every.dct";
  options.output = folder_ / "table.onnx";
  EXPECT_EQ(model_bytes(options), expected);
}

TEST_F(Tables, OfATargetServeEveryTypeOfItsActivations) {
  CalibrateOptions measuring = calibration("qnn.dct");
  measuring.targets = {"qnn"};
  static_cast<void>(calibrate_model(measuring));
  for (const DataType type : {DataType::Int8, DataType::Int16}) {
    QuantizeOptions options = quantization("qnn", "data.onnx");
    options.overwrite = true;
    options.format.activation = type;
    options.calibrator = "entropy";
    options.data = sample_data();
    const std::string expected = model_bytes(options);
    options.data = {};
    options.table = folder_ / "qnn.dct";
    options.output = folder_ / "table.onnx";
    EXPECT_EQ(model_bytes(options), expected) << name_of(type);
  }
}

TEST_F(Tables, HaveTheSameBytesForAnyThreadsOrderAndShards) {
  CalibrateOptions options = calibration("one.dct");
  options.run.threads = 1;
  const std::string expected = table_bytes(options);
  options.run.threads = 3;
  options.output = folder_ / "three.dct";
  EXPECT_EQ(table_bytes(options), expected);
  options.data.limit.reset();
  const fs::path few = folder_ / "few";
  fs::create_directory(few);
  for (const char* name : {"000.png", "001.png", "002.png", "003.png", "004.png", "005.png"})
    fs::copy_file(sample_ / "calib" / name, few / name);
  options.data.sources = {few.string()};
  options.data.shuffle = 7;
  options.output = folder_ / "shuffled.dct";
  EXPECT_EQ(table_bytes(options), expected);

  MergeTablesOptions merging;
  for (size_t shard : {3, 1, 4, 2}) {
    CalibrateOptions part = calibration("part" + std::to_string(shard));
    part.data.shard_index = shard;
    part.data.shard_count = 4;
    EXPECT_NE(table_bytes(part), expected);
    merging.tables.push_back(part.output);
  }
  merging.output = folder_ / "merged.dct";
  EXPECT_EQ(merge_tables(merging).samples.size(), 6U);
  EXPECT_EQ(TemporaryFolder::read(merging.output), expected);
}

TEST_F(Tables, DifferForOtherSamplesAndOtherPreprocessing) {
  const std::string expected = table_bytes(calibration("six.dct"));
  CalibrateOptions fewer = calibration("five.dct");
  fewer.data.limit = 5;
  EXPECT_NE(table_bytes(fewer), expected);
  CalibrateOptions other = calibration("other.dct");
  other.data.preprocess = "unit";
  const CalibrationTable a = table_from_bytes(table_bytes(other)), b = table_from_bytes(expected);
  EXPECT_EQ(a.samples[0].name, b.samples[0].name);
  EXPECT_NE(a.samples[0].content, b.samples[0].content);
}

TEST_F(Tables, MeasureASampleTwiceThatAListNamesTwice) {
  std::ofstream(folder_ / "list.txt") << (sample_ / "calib/000.png").string() << "\n"
                                      << (sample_ / "calib/000.png").string() << "\n";
  CalibrateOptions options = calibration("out.dct");
  options.data.sources = {(folder_ / "list.txt").string()};
  EXPECT_EQ(calibrate_model(options).samples.size(), 2U);
}

TEST_F(Tables, AreRefusedForAnotherModel) {
  static_cast<void>(calibrate_model(calibration("table.dct")));
  write_model(parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1,2,4,4] image) => (float[1,2,4,4] y) <float[2,2,1,1] w = {1, 2, 3, 4}> { y = Conv (image, w) })"),
              folder_ / "other.onnx");
  QuantizeOptions options = quantization("tensorrt", "out.onnx");
  options.model = folder_ / "other.onnx";
  options.table = folder_ / "table.dct";
  EXPECT_EQ(code_of([&] { static_cast<void>(quantize_model(options)); }), ErrorCode::TableMismatch);
}

TEST_F(Tables, NameTheValuesThatTheyLack) {
  CalibrateOptions restricted = calibration("tensorrt.dct");
  restricted.targets = {"tensorrt"};
  static_cast<void>(calibrate_model(restricted));
  QuantizeOptions options = quantization("onnxruntime", "out.onnx");
  options.table = restricted.output;
  const Error error = error_of<Error>([&] { static_cast<void>(quantize_model(options)); });
  EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
  EXPECT_NE(std::string(error.what()).find("lacks"), std::string::npos);
  EXPECT_NE(error.hint().find("--target"), std::string::npos);
  EXPECT_FALSE(fs::exists(options.output));
}

TEST_F(Tables, MeasureTheErrorOnlyWithData) {
  static_cast<void>(calibrate_model(calibration("table.dct")));
  QuantizeOptions options = quantization("tensorrt", "out.onnx");
  options.table = folder_ / "table.dct";
  EXPECT_FALSE(quantize_model(options).error.has_value());
  options.data = sample_data();
  options.output = folder_ / "measured.onnx";
  const QuantizeReport report = quantize_model(options);
  EXPECT_GT(report.error.value().sqnr_db, 20);
  EXPECT_EQ(TemporaryFolder::read(options.output), TemporaryFolder::read(folder_ / "out.onnx"));
  options.data = {};
  options.table.clear();
  options.overwrite = true;
  EXPECT_EQ(code_of([&] { static_cast<void>(quantize_model(options)); }), ErrorCode::Usage);
}

TEST_F(Tables, TellWhatTheyHold) {
  static_cast<void>(calibrate_model(calibration("table.dct")));
  const TableReport report = inspect_table(folder_ / "table.dct");
  EXPECT_EQ(report.samples.size(), 6U);
  EXPECT_EQ(report.samples.front(), "000.png");
  EXPECT_EQ(report.shards, std::vector<std::string>{"1/1"});
  const auto image = std::ranges::find(report.values, "image", &TableReport::Value::name);
  ASSERT_NE(image, report.values.end());
  EXPECT_EQ(image->count, 6U * 3 * 128 * 128);
  const DistributionReport drawn = inspect_table_value(folder_ / "table.dct", "image");
  uint64_t count = drawn.value.zeros;
  for (const auto& row : drawn.rows) count += row.count;
  EXPECT_EQ(count, image->count);
  EXPECT_LE(drawn.rows.front().low, drawn.value.min);
  EXPECT_GE(drawn.rows.back().high, drawn.value.max);
  for (size_t i = 1; i < drawn.rows.size(); ++i) EXPECT_EQ(drawn.rows[i].low, drawn.rows[i - 1].high);
  EXPECT_EQ(code_of([&] { static_cast<void>(inspect_table_value(folder_ / "table.dct", "nosuch")); }),
            ErrorCode::InvalidOption);
}

}  // namespace
}  // namespace detent
