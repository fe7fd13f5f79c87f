#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "datasets/base/npy_format.h"
#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {

/// Four Convs without biases and with weights above 0: a sample of positive elements that is k times another is so in
/// every value. Values with pairs for tensorrt: x, r1, r2, r3.
class SmallNetwork : public ::testing::Test {
 protected:
  SmallNetwork() {
    write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,1,1] w1 = {0.5, 0.25, 1, 0.75}, float[2,2,1,1] w2 = {1, 0.125, 0.5, 1.5},
 float[2,2,1,1] w3 = {0.25, 2, 1, 0.5}, float[2,2,1,1] w4 = {1, 0.5, 0.75, 0.25}>
{ c1 = Conv (x, w1)  r1 = Relu (c1)  c2 = Conv (r1, w2)  r2 = Relu (c2)  c3 = Conv (r2, w3)  r3 = Relu (c3)
  y = Conv (r3, w4) })"),
                folder_ / "model.onnx");
  }

  /// Writes samples s00.npy ... that reach as far as these; a negative number leaves the file out.
  std::string samples(const std::string& name, const std::vector<float>& reaches) const {
    const std::filesystem::path data = folder_ / name;
    std::filesystem::create_directories(data);
    for (size_t i = 0; i < reaches.size(); ++i) {
      if (reaches[i] < 0) continue;
      std::vector<float> elements;
      for (size_t e = 1; e <= 32; ++e) elements.push_back(reaches[i] * static_cast<float>((e * 7 + i) % 32 + 1) / 32);
      const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
      std::ofstream(data / ("s" + number + ".npy"), std::ios::binary)
          << format_npy_header(DataType::Float32, {1, 2, 4, 4})
          << std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(float));
    }
    return data.string();
  }

  [[nodiscard]] QuantizeOptions options(const std::string& data, const std::string& output = "out.onnx") const {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    if (!data.empty()) options.data.sources = {data};
    options.calibrator = "max";
    options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    options.output = folder_ / output;
    options.overwrite = true;
    return options;
  }
  /// Returns the table of these samples.
  std::filesystem::path table(const DataOptions& data, const std::string& output) const {
    CalibrateOptions options;
    options.model = folder_ / "model.onnx";
    options.data = data;
    options.output = folder_ / output;
    static_cast<void>(calibrate_model(options));
    return options.output;
  }

  TemporaryFolder folder_;
};

}  // namespace detent
