#pragma once

// A model that sums its steps, and data for it.
#include <gtest/gtest.h>

#include <string>

#include "model/temporary_folder.h"
#include "run/open_samples.h"

namespace detent {

/// y = h + x + `error` is the state h of the next step, and z = 4 y besides.
inline Model summing(const std::string& error) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] z, float[N, 1] y)\n<float[1] e = {" +
      error + "}, float[1] four = {4}> {\n  s = Add (h, x)\n  y = Add (s, e)\n  z = Mul (y, four) }");
}

/// Four steps of two samples of ones.
class SummingSteps : public ::testing::Test {
 protected:
  SummingSteps() {
    Tensor ones(DataType::Float32, {2, 4});
    for (float& x : ones.mutable_data<float>()) x = 1;
    data_.arrays = {ones};
    data_.steps = 4;
    data_.state = folder_.write("state.json", R"({"feeds": {"y": "h"}, "cut": {"x": 1}})");
  }

  TemporaryFolder folder_;
  DataOptions data_;
  Model float_ = summing("0");
};

}  // namespace detent
