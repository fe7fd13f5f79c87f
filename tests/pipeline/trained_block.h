#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "datasets/base/npy_writer.h"
#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {

/// Returns codes, scales and zero points of a weight of 16 channels.
inline std::string trained_weight(int kernel) {
  const auto listed = [](int count, const auto& number) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? ", " : "") + number(i);
    return "{" + text + "}";
  };
  const std::string size = std::to_string(kernel);
  return "int8[16,16," + size + "," + size +
         "] w = " + listed(256 * kernel * kernel, [](int i) { return std::to_string(i * 71 % 255 - 127); }) +
         ", float[16] ws = " + listed(16, [](int i) { return "0.00" + std::to_string(11 + i); }) +
         ", int8[16] wz = " + listed(16, [](int) { return std::string("0"); });
}

/// A block as quantization-aware training leaves it: pairs on the inputs of Convs, one on the output of the Conv in
/// front of the Add (the wrong edge), none on the shortcut.
inline std::string trained() {
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sa = {0.05}, float sb = {0.07}, float sc = {0.06}, int8 z = {0},
 )" + trained_weight(3) +
         R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c0 = Conv <pads = [1,1,1,1]> (xd, wd)
  r = Relu (c0)
  rq = QuantizeLinear (r, sa, z)  rd = DequantizeLinear (rq, sa, z)
  c1 = Conv <pads = [1,1,1,1]> (rd, wd)
  cq = QuantizeLinear (c1, sb, z)  cd = DequantizeLinear (cq, sb, z)
  s = Add (cd, r)
  t = Relu (s)
  tq = QuantizeLinear (t, sc, z)  td = DequantizeLinear (tq, sc, z)
  y = Conv <pads = [1,1,1,1]> (td, wd)
})";
}

/// The same block with a BatchNormalization behind the second Conv, and the shortcut on its pair. `paired`: the pair in
/// front of the Add is there too.
inline std::string trained_with_norm(bool paired) {
  std::string text = trained();
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("float sx", "float[16] n = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, float sx");
  const std::string norm = "  b1 = BatchNormalization (c1, n, n, n, n)\n";
  if (paired)
    replace("  cq = QuantizeLinear (c1,", norm + "  cq = QuantizeLinear (b1,");
  else
    replace("  cq = QuantizeLinear (c1, sb, z)  cd = DequantizeLinear (cq, sb, z)\n", norm);
  replace("(cd, r)", paired ? "(cd, rd)" : "(b1, rd)");
  return text;
}

/// The calls of a test of repair, in a folder of its files.
class RepairModel : public ::testing::Test {
 protected:
  [[nodiscard]] RepairOptions options(const std::string& text, const std::string& target = "tensorrt") const {
    return options(parse_model_text(text), target);
  }
  [[nodiscard]] RepairOptions options(const Model& model, const std::string& target = "tensorrt") const {
    std::filesystem::remove(folder_ / "in.onnx");
    write_model(model, folder_ / "in.onnx");
    RepairOptions options;
    options.model = folder_ / "in.onnx", options.output = folder_ / "out.onnx", options.target = target;
    options.overwrite = true;
    return options;
  }
  [[nodiscard]] RepairOptions again(RepairOptions options) const {
    options.model = folder_ / "out.onnx", options.output = folder_ / "again.onnx", options.data = {};
    return options;
  }
  [[nodiscard]] DataOptions samples() const {
    std::filesystem::create_directories(folder_ / "x");
    for (int i = 0; i < 4; ++i) {
      Tensor sample(DataType::Float32, Shape{1, 16, 8, 8});
      for (size_t e = 0; e < 1024; ++e)
        sample.mutable_data<float>()[e] = static_cast<float>((e * 37 + static_cast<size_t>(i) * 11) % 200) / 40 - 2;
      write_npy(folder_ / "x" / ("s" + std::to_string(i) + ".npy"), sample);
    }
    DataOptions data;
    data.sources = {(folder_ / "x").string()};
    return data;
  }
  /// Returns the folder of one condition for each of samples().
  [[nodiscard]] std::string condition() const {
    std::filesystem::create_directories(folder_ / "k");
    for (int i = 0; i < 4; ++i) {
      Tensor sample(DataType::Bool, Shape{});
      sample.mutable_data<bool>()[0] = i % 2 > 0;
      write_npy(folder_ / "k" / ("s" + std::to_string(i) + ".npy"), sample);
    }
    return (folder_ / "k").string();
  }
  static std::vector<std::string> of_action(const RepairReport& report, const std::string& action) {
    std::vector<std::string> values;
    for (const auto& pair : report.pairs)
      if (pair.action == action) values.push_back(pair.value);
    return values;
  }
  [[nodiscard]] std::string bytes_of(const char* name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
};

}  // namespace detent
