#pragma once

#include <string>

#include "model/model.h"
#include "place/placement_case_reader.h"

namespace detent::test {

/// Places of pairs beside the inputs of Conv and Gemm, which always have one.
struct PairPlaces {
  bool shortcuts = false;  ///< on every shortcut
  bool pool = false;       ///< in front of GlobalAveragePool
  bool none = false;       ///< no pair at all, and BatchNormalization folded by the exporter
};

/// A network as PyTorch's exporter writes it with pytorch-quantization. Nodes have no names, so that they are called by
/// operator and position, as in the engines of the shared folder: Conv_9, QuantizeLinear_15.
class ExportedNetwork {
 public:
  explicit ExportedNetwork(PairPlaces places) : places_(places) {}
  [[nodiscard]] Model model() const {
    return parse_model_text(
        fill_tensors("<ir_version: 8, opset_import: [\"\" : 13]>\ng (float[1,3,64,64] x) => "
                     "(float[1,10] y)\n<" +
                     constants_ + ">\n{\n" + nodes_ + "}\n"));
  }

 protected:
  struct Window {
    int kernel = 1, stride = 1, groups = 1;
  };

  std::string one(const std::string& op, const std::string& inputs) {
    const std::string name = "v" + std::to_string(count_++);
    nodes_ += "  " + name + " = " + op + " (" + inputs + ")\n";
    return name;
  }
  /// Adds Constant nodes that nothing reads: only the numbers of later nodes change.
  void skip(int nodes) {
    for (int i = 0; i < nodes; ++i) one("Constant <value = float {1}>", "");
  }
  std::string initializer(const std::string& type, const std::string& number) {
    const std::string name = "w" + std::to_string(initializers_++);
    constants_ += (constants_.empty() ? "" : ", ") + (type + " " + name + " = {" + number + "...}");
    return name;
  }
  /// Adds a pair; `before` and `between` are the numbers of Constant nodes in front of its nodes.
  std::string pair(const std::string& value, int before, int between) {
    if (places_.none) return value;
    skip(before - 2);
    const std::string scale = one("Constant <value = float {0.1}>", "");
    const std::string zero = one("Constant <value = int8 {0}>", "");
    const std::string codes = one("QuantizeLinear", value + ", " + scale + ", " + zero);
    skip(between);
    return one("DequantizeLinear", codes + ", " + scale + ", " + zero);
  }
  std::string conv_of(const std::string& data, const std::string& weight, const Window& window) {
    const std::string pad = std::to_string(window.kernel / 2), step = std::to_string(window.stride);
    return one("Conv <pads = [" + pad + "," + pad + "," + pad + "," + pad + "], strides = [" + step + "," + step +
                   "], group = " + std::to_string(window.groups) + ">",
               data + ", " + weight);
  }
  std::string kernel(int in, int out, const Window& window) {
    const std::string size = std::to_string(window.kernel);
    return initializer(
        "float[" + std::to_string(out) + "," + std::to_string(in / window.groups) + "," + size + "," + size + "]",
        "0.01");
  }
  std::string normalized(const std::string& value, int channels) {
    if (places_.none) return value;
    std::string inputs = value;
    for (int i = 0; i < 4; ++i) inputs += ", " + initializer("float[" + std::to_string(channels) + "]", "1");
    return one("BatchNormalization", inputs);
  }
  void finish(const std::string& data, const std::string& weight) {
    nodes_ += "  y = Gemm <transB = 1> (" + data + ", " + weight + ")\n";
  }

  PairPlaces places_;

 private:
  int count_ = 0, initializers_ = 0;
  std::string constants_, nodes_;
};

/// ResNet-18, an eighth as wide.
/// Source  He et al., "Deep Residual Learning for Image Recognition", 2015, table 1.
class ResNet18Pairs : public ExportedNetwork {
 public:
  explicit ResNet18Pairs(PairPlaces places) : ExportedNetwork(places) {
    std::string value = one("Relu", normalized(conv("x", 3, 8, {.kernel = 7, .stride = 2}), 8));
    value = one("MaxPool <kernel_shape = [3,3], pads = [1,1,1,1], strides = [2,2]>", value);
    int channels = 8;
    for (const int width : {8, 16, 32, 64})
      for (int i = 0; i < 2; ++i) {
        value = block(value, channels, width);
        channels = width;
      }
    if (places_.pool) value = pair(value, 4, 0);
    value = pair(one("Flatten", one("GlobalAveragePool", value)), 2, 0);
    finish(value, pair(initializer("float[10,64]", "0.01"), 3, 0));
  }

 private:
  std::string conv(const std::string& input, int in, int out, const Window& window) {
    const std::string data = pair(input, 2, 0);
    return conv_of(data, pair(kernel(in, out, window), 3, 0), window);
  }
  std::string block(const std::string& input, int channels, int width) {
    const int stride = channels == width ? 1 : 2;
    const std::string inner =
        one("Relu", normalized(conv(input, channels, width, {.kernel = 3, .stride = stride}), width));
    const std::string main = normalized(conv(inner, width, width, {.kernel = 3}), width);
    std::string shortcut =
        stride == 1 ? input : normalized(conv(input, channels, width, {.kernel = 1, .stride = stride}), width);
    if (places_.shortcuts) shortcut = pair(shortcut, 4, 0);
    return one("Relu", one("Add", main + ", " + shortcut));
  }
};

/// MobileNetV2, an eighth as wide.
/// Source  Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018, table 2.
class MobileNetV2Pairs : public ExportedNetwork {
 public:
  explicit MobileNetV2Pairs(PairPlaces places) : ExportedNetwork(places) {
    std::string value = clipped(conv("x", 3, 4, {.kernel = 3, .stride = 2}), 4);
    struct Stage {
      int expansion, width, count, stride;
    };
    int channels = 4;
    for (const auto& [expansion, width, count, stride] :
         {Stage{1, 2, 1, 1}, Stage{6, 3, 2, 2}, Stage{6, 4, 3, 2}, Stage{6, 8, 4, 2}, Stage{6, 12, 3, 1},
          Stage{6, 20, 3, 2}, Stage{6, 40, 1, 1}})
      for (int i = 0; i < count; ++i) {
        value = block(value, channels, width, expansion, i == 0 ? stride : 1);
        channels = width;
      }
    value = clipped(conv(value, channels, 160, {}), 160);
    if (places_.pool) value = pair(value, 2, 2);
    value = one("GlobalAveragePool", value);
    skip(7);  // its flattened shape
    value = pair(one("Flatten", value), 2, 2);
    finish(value, pair(initializer("float[10,160]", "0.01"), 2, 2));
  }

 private:
  std::string conv(const std::string& input, int in, int out, const Window& window) {
    const std::string data = pair(input, 2, 2);
    return conv_of(data, pair(kernel(in, out, window), 2, 2), window);
  }
  std::string clipped(const std::string& value, int channels) {
    const std::string normal = normalized(value, channels);
    const std::string low = one("Constant <value = float {0}>", ""), high = one("Constant <value = float {6}>", "");
    return one("Clip", normal + ", " + low + ", " + high);
  }
  std::string block(const std::string& input, int channels, int width, int expansion, int stride) {
    const int inner = channels * expansion;
    std::string value = expansion == 1 ? input : clipped(conv(input, channels, inner, {}), inner);
    value = clipped(conv(value, inner, inner, {.kernel = 3, .stride = stride, .groups = inner}), inner);
    value = normalized(conv(value, inner, width, {}), width);
    if (stride != 1 || channels != width) return value;
    return one("Add", (places_.shortcuts ? pair(input, 2, 2) : input) + ", " + value);
  }
};

}  // namespace detent::test
