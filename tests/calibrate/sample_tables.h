#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/detent.h"
#include "model/temporary_folder.h"

namespace detent {

/// Six images of the bundled sample in a separate folder.
class SampleTables : public ::testing::Test {
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
  /// Bytes of the table that two shards make, run by other threads, when they are merged.
  [[nodiscard]] std::string merged_bytes(CalibrateOptions options) const {
    MergeTablesOptions merge{.output = folder_ / "merged.dct"};
    for (const size_t shard : {1, 2}) {
      options.data.shard_index = shard;
      options.data.shard_count = 2;
      options.run.threads = 3;
      options.output = folder_ / ("part" + std::to_string(shard) + ".dct");
      static_cast<void>(calibrate_model(options));
      merge.tables.push_back(options.output);
    }
    static_cast<void>(merge_tables(merge));
    return TemporaryFolder::read(merge.output);
  }
  static std::string model_bytes(const QuantizeOptions& options) {
    static_cast<void>(quantize_model(options));
    return TemporaryFolder::read(options.output);
  }

  inline static const std::filesystem::path sample_ =
      std::filesystem::path(DETENT_SOURCE_DIR) / "datasets/samples/shapes_unet";
  TemporaryFolder folder_;
};

template <class Action>
ErrorCode code_of(Action&& action) {
  return error_of<Error>(action).code();
}

}  // namespace detent
