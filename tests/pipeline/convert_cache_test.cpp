#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "calibrate/sample_tables.h"
#include "detent/base/error.h"
#include "model/origin.h"
#include "model/same_content.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

using CacheTables = SampleTables;

/// Scale of every quantized value.
std::map<std::string, double> scales(const QuantizeReport& report) {
  std::map<std::string, double> found;
  for (const auto& value : report.values) found[value.name] = value.scale;
  return found;
}

Model without_origin(const fs::path& path) {
  Model model = read_model(path);
  set_origin(model, {}, "detent.");
  return model;
}

TEST_F(CacheTables, GiveTheSameScalesByWayOfACache) {
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
  options.calibrator = "max";  // has no effect
  options.output = folder_ / "by_cache.onnx";
  EXPECT_EQ(scales(quantize_model(options)), direct);
  // Only the source of the ranges differs: a cache does not name the samples of its scales.
  EXPECT_TRUE(same_content(without_origin(folder_ / "by_cache.onnx"), without_origin(folder_ / "direct.onnx")));

  static_cast<void>(export_cache({.table = folder_ / "imported.dct", .output = folder_ / "again"}));
  EXPECT_EQ(TemporaryFolder::read(folder_ / "again"), TemporaryFolder::read(folder_ / "cache"));
}

TEST_F(CacheTables, ReportTheNamesOfACacheThatFitNothing) {
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
