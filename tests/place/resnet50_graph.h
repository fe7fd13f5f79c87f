#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "place/placement_case_reader.h"

/// Returns the graph of ResNet-50 with its BatchNormalizations folded, one quarter as wide (case C7).
/// Source  He et al., "Deep Residual Learning for Image Recognition", 2015, table 1.
namespace detent::test {

class GraphText {
 public:
  std::string conv(const std::string& input, int in, int out, int kernel, int stride) {
    const std::string name = "c" + std::to_string(++count_);
    const std::string size = std::to_string(kernel), pad = std::to_string(kernel / 2), step = std::to_string(stride);
    // A mean of its inputs, so that the values of fifty layers of equal weights neither grow nor fade.
    const std::string weight = std::to_string(1.0 / (in * kernel * kernel));
    constants_ += (constants_.empty() ? "" : ", ") + ("float[" + std::to_string(out) + "," + std::to_string(in) + ",") +
                  size + "," + size + "] w_" + name + " = {" + weight + "...}";
    line(name + " = Conv <pads = [" + pad + "," + pad + "," + pad + "," + pad + "], strides = [" + step + "," + step +
         "]> (" + input + ", w_" + name + ")");
    return name;
  }
  std::string one(const std::string& op, const std::string& inputs) {
    const std::string name = "v" + std::to_string(++count_);
    line(name + " = " + op + " (" + inputs + ")");
    return name;
  }
  [[nodiscard]] std::string text(const std::string& last, int features) const {
    return "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[1,3,64,64] x) => (float[1,64] y)\n<" + constants_ +
           ", float[64," + std::to_string(features) + "] wf = {...}, float[64] bf = {...}>\n{\n" + nodes_ +
           "  y = Gemm <transB = 1> (" + last + ", wf, bf)\n}\n";
  }

 private:
  void line(const std::string& node) { nodes_ += "  " + node + "\n"; }
  int count_ = 0;
  std::string constants_, nodes_;
};

struct Block {
  std::string add, skip, main;
};

struct ResNet50 {
  ResNet50() {
    GraphText graph;
    stem = graph.conv("x", 3, 16, 7, 2);
    std::string value = graph.one("Relu", stem);
    value = pool = graph.one("MaxPool <kernel_shape = [3,3], pads = [1,1,1,1], strides = [2,2]>", value);
    int channels = 16, width = 16;
    for (const int count : {3, 4, 6, 3}) {
      for (int i = 0; i < count; ++i) {
        const int stride = i == 0 && width > 16 ? 2 : 1;
        std::string main = graph.one("Relu", graph.conv(value, channels, width, 1, 1));
        main = graph.one("Relu", graph.conv(main, width, width, 3, stride));
        main = graph.conv(main, width, 4 * width, 1, 1);
        const std::string skip = i == 0 ? graph.conv(value, channels, 4 * width, 1, stride) : value;
        const std::string add = graph.one("Add", main + ", " + skip);
        blocks.push_back({add, skip, main});
        value = graph.one("Relu", add);
        channels = 4 * width;
      }
      width *= 2;
    }
    value = graph.one("Flatten", graph.one("GlobalAveragePool", value));
    model = std::make_unique<Model>(parse_model_text(test::fill_tensors(graph.text(value, channels))));
  }
  [[nodiscard]] const Graph& graph() const { return model->graph(); }
  [[nodiscard]] NodeId writer(const std::string& value) const {
    return *graph().value(*graph().find_value(value)).producer;
  }

  std::string stem, pool;
  std::vector<Block> blocks;
  std::unique_ptr<Model> model;
};

}  // namespace detent::test
