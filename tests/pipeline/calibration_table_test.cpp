#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "observe/calibration_table.h"
#include "pipeline/prepare_model.h"
#include "place/target.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

/// Six images of the bundled sample, in a folder of its own.
class Tables : public ::testing::Test {
 protected:
  void TearDown() override { interrupted() = false; }

  static DataOptions sample_data() {
    DataOptions data;
    data.sources = {(sample_ / "calib").string()};
    data.preprocess = "unit,mean=.485/.456/.406,std=.229/.224/.225";
    data.limit = 6;
    return data;
  }
  [[nodiscard]] CalibrateOptions calibration(const std::string& output) const {
    CalibrateOptions options;
    options.model = sample_ / "model_opset13.onnx";
    options.data = sample_data();
    options.output = folder_ / output;
    return options;
  }
  [[nodiscard]] QuantizeOptions quantization(const std::string& target, const std::string& output) const {
    QuantizeOptions options;
    options.model = sample_ / "model_opset13.onnx";
    options.target = target;
    options.output = folder_ / output;
    return options;
  }
  /// Bytes of the table that these options make.
  static std::string table_bytes(const CalibrateOptions& options) {
    static_cast<void>(calibrate_model(options));
    return TemporaryFolder::read(options.output);
  }
  static std::string model_bytes(const QuantizeOptions& options) {
    static_cast<void>(quantize_model(options));
    return TemporaryFolder::read(options.output);
  }

  inline static const fs::path sample_ = fs::path(DETENT_SOURCE_DIR) / "datasets/samples/shapes_unet";
  TemporaryFolder folder_;
};

template <class Action>
ErrorCode code_of(Action&& action) {
  return error_of<Error>(action).code();
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
    for (const Node& node : model.graph().nodes()) names.push_back(node.op_type + " " + node.name);
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

TEST_F(Tables, ServeEveryPolicy) {
  static_cast<void>(calibrate_model(calibration("every.dct")));
  QuantizeOptions options = quantization("tensorrt", "data.onnx");
  options.placement.deconv_activation = PlacementOptions::DeconvActivation::Split;
  options.placement.concat = PlacementOptions::Concat::Inputs;
  options.placement.maxpool = PlacementOptions::MaxPool::Both;
  options.placement.quantize_outputs = true;
  options.data = sample_data();
  const std::string expected = model_bytes(options);
  options.data = {};
  options.table = folder_ / "every.dct";
  options.output = folder_ / "table.onnx";
  EXPECT_EQ(model_bytes(options), expected);
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

/// Presses Ctrl-C as soon as some samples are done.
class Interrupter : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t done) override {
    if (done >= 2) interrupted() = true;
  }
  void end() override {}
  void warn(std::string_view) override {}
};

TEST_F(Tables, GoOnWhereAnInterruptedCalibrationEnded) {
  const std::string expected = table_bytes(calibration("whole.dct"));
  Interrupter interrupter;
  CalibrateOptions options = calibration("out.dct");
  options.run.threads = 1;
  options.run.reporter = &interrupter;
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(options)); }), ErrorCode::Interrupted);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"out.dct.partial", "whole.dct"}));
  const CalibrationTable partial = read_table(folder_ / "out.dct.partial");
  EXPECT_TRUE(partial.partial());
  EXPECT_GE(partial.samples.size(), 2U);
  EXPECT_LT(partial.samples.size(), 6U);

  interrupted() = false;
  options.run.reporter = &Reporter::silent();
  options.resume = true;
  EXPECT_EQ(table_bytes(options), expected);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"out.dct", "whole.dct"}));
}

TEST_F(Tables, DoNotGoOnWithOtherDataOrAnotherShard) {
  Interrupter interrupter;
  CalibrateOptions options = calibration("out.dct");
  options.run.threads = 1;
  options.run.reporter = &interrupter;
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(options)); }), ErrorCode::Interrupted);
  interrupted() = false;
  options.run.reporter = &Reporter::silent();
  options.resume = true;
  CalibrateOptions other = options;
  other.data.preprocess = "unit";
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(other)); }), ErrorCode::TableMismatch);
  other = options;
  other.data.shard_count = 2;
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(other)); }), ErrorCode::TableMismatch);
  other = options;
  other.targets = {"tensorrt"};
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(other)); }), ErrorCode::TableMismatch);
  EXPECT_FALSE(fs::exists(options.output));
}

TEST_F(Tables, BeginAtTheFirstSampleWhereThereIsNothingToResume) {
  CalibrateOptions options = calibration("out.dct");
  options.resume = true;
  EXPECT_EQ(table_bytes(options), table_bytes(calibration("again.dct")));
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

/// Scale of every quantized value.
std::map<std::string, double> scales(const QuantizeReport& report) {
  std::map<std::string, double> found;
  for (const auto& value : report.values) found[value.name] = value.scale;
  return found;
}

TEST_F(Tables, GiveTheSameScalesByWayOfACache) {
  static_cast<void>(calibrate_model(calibration("table.dct")));
  QuantizeOptions options = quantization("tensorrt", "direct.onnx");
  options.table = folder_ / "table.dct";
  const auto direct = scales(quantize_model(options));

  static_cast<void>(export_cache({.table = folder_ / "table.dct", .output = folder_ / "cache"}));
  const CacheImportReport imported =
      import_cache({.cache = folder_ / "cache", .model = options.model, .output = folder_ / "imported.dct"});
  EXPECT_TRUE(imported.unknown.empty());
  EXPECT_TRUE(imported.missing.empty());
  options.table = folder_ / "imported.dct";
  options.calibrator = "max";  // does not matter any more
  options.output = folder_ / "by_cache.onnx";
  EXPECT_EQ(scales(quantize_model(options)), direct);
  EXPECT_EQ(TemporaryFolder::read(folder_ / "by_cache.onnx"), TemporaryFolder::read(folder_ / "direct.onnx"));

  static_cast<void>(export_cache({.table = folder_ / "imported.dct", .output = folder_ / "again"}));
  EXPECT_EQ(TemporaryFolder::read(folder_ / "again"), TemporaryFolder::read(folder_ / "cache"));
}

TEST_F(Tables, ReportTheNamesOfACacheThatFitNothing) {
  std::ofstream(folder_ / "cache") << "TRT-8601-EntropyCalibration2\nimage: 3ca3d70a\nno such tensor: 3f800000\n";
  const CacheImportReport report = import_cache(
      {.cache = folder_ / "cache", .model = sample_ / "model_opset13.onnx", .output = folder_ / "imported.dct"});
  EXPECT_EQ(report.imported, 1U);
  EXPECT_EQ(report.unknown, std::vector<std::string>{"no such tensor"});
  EXPECT_GT(report.missing.size(), 10U);
  EXPECT_EQ(std::ranges::count(report.missing, "image"), 0);

  QuantizeOptions options = quantization("tensorrt", "out.onnx");
  options.table = folder_ / "imported.dct";
  EXPECT_EQ(code_of([&] { static_cast<void>(quantize_model(options)); }), ErrorCode::TableMismatch);

  std::ofstream(folder_ / "foreign") << "TRT-8601-EntropyCalibration2\nx: 3ca3d70a\n";
  EXPECT_EQ(
      code_of([&] {
        static_cast<void>(import_cache(
            {.cache = folder_ / "foreign", .model = sample_ / "model_opset13.onnx", .output = folder_ / "none.dct"}));
      }),
      ErrorCode::TableMismatch);
}

}  // namespace
}  // namespace detent
