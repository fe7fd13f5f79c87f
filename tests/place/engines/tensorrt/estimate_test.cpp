// The estimate of TensorRT's milliseconds, and the table of networks that it was fitted on.
#include "place/engines/tensorrt/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/half_constants.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"

namespace detent::test {
namespace {

using tensorrt::Gpu;
using tensorrt::KernelWork;

std::optional<SpeedEstimate> estimate_of(const PlacementRequest& options, bool sized) {
  const Model model = parse_half_model(
      fill_tensors("<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[64,64,56,56] x) => (float[64,64,56,56] y)\n"
                   "<float[64,64,3,3] w = {...}>\n{\n a = Conv <pads = [1,1,1,1]> (x, w)\n b = Relu (a)\n"
                   " c = Conv <pads = [1,1,1,1]> (b, w)\n d = Relu (c)\n y = Conv <pads = [1,1,1,1]> (d, w)\n}\n"));
  ValueShapes shapes;
  for (const Value& value : model.graph().values())
    if (sized) shapes[value.id] = Shape{64, 64, 56, 56};
  const PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), options, shapes, {});
  return tensorrt::estimate(plan, model.graph(), shapes);
}

TEST(TensorRtEstimate, OfConvsGainsByCodes) {
  const auto found = estimate_of({}, true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->gpu, "H200");
  EXPECT_GT(found->ratio, 1.2);
  EXPECT_LT(found->ratio, 2.0) << "INT8 multiplies at twice the rate, and halves the bytes";
  EXPECT_DOUBLE_EQ(found->ratio, found->float_ms / found->ms);
  EXPECT_EQ(found->others.size() + 1, tensorrt::gpus().size());
  for (const GpuEstimate& other : found->others) EXPECT_GT(other.ms, found->ms) << other.gpu;
}

TEST(TensorRtEstimate, IsAbsentWhereNothingIsKnown) {
  EXPECT_FALSE(estimate_of({}, false)) << "no sizes";
  PlacementRequest none;
  none.exclude = {".*"};
  EXPECT_FALSE(estimate_of(none, true)) << "no pairs";
  PlacementRequest fp8;
  fp8.type = CodeType::Fp8;
  EXPECT_FALSE(estimate_of(fp8, true));
}

TEST(TensorRtEstimate, TakesTheLongerOfArithmeticAndBytes) {
  const Gpu& gpu = tensorrt::gpus().front();
  const auto of = [&](double operations, double bytes) {
    return tensorrt::milliseconds({{.kind = KernelWork::Kind::Product, .operations = operations, .bytes = bytes}}, gpu);
  };
  const double start = of(0, 0), arithmetic = of(1e12, 0) - start, bytes = of(0, 1e9) - start;
  EXPECT_GT(start, 0);
  EXPECT_GT(arithmetic, 1e12 / (gpu.half_tflops * 1e9)) << "no kernel reaches the data sheet";
  EXPECT_GT(bytes, 1e9 / (gpu.terabytes * 1e9));
  EXPECT_DOUBLE_EQ(of(1e12, 1e9), start + std::max(arithmetic, bytes));
}

struct MeasuredNetwork {
  std::string network, set;
  double half_ms = 0, ms = 0, left_out = 0;  // measured, and the ratio that the others predict
};

std::vector<MeasuredNetwork> measured_networks() {
  std::ifstream file(std::filesystem::path(DETENT_SOURCE_DIR) / "tests/engines/tensorrt/networks.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "network,input,attention,set,half_ms,ms,estimated_half_ms,estimated_ms,ratio_left_out");
  std::vector<MeasuredNetwork> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    MeasuredNetwork row;
    std::string half, ms, cell;
    for (std::string* to : {&row.network, &cell, &cell, &row.set, &half, &ms, &cell, &cell})
      std::getline(cells, *to, ',');
    std::getline(cells, cell, ',');
    row.half_ms = std::stod(half), row.ms = std::stod(ms), row.left_out = std::stod(cell);
    rows.push_back(row);
  }
  return rows;
}

TEST(TensorRtEstimate, StatesTheErrorOfNetworksThatWereLeftOut) {
  double squares = 0, fitted = 0;
  for (const MeasuredNetwork& row : measured_networks()) {
    const double measured = row.half_ms / row.ms;
    if (row.set == "fitted") {
      squares += std::pow(std::log(row.left_out / measured), 2);
      ++fitted;
    }
    // A difference of builds of one file is 10 %: below that the sign means nothing.
    if (std::abs(std::log(measured)) > .1) {
      EXPECT_EQ(row.left_out > 1, measured > 1) << row.network;
    }
  }
  ASSERT_EQ(fitted, 16);
  const auto found = estimate_of({}, true);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->error, std::sqrt(squares / fitted), .01);
  EXPECT_NE(found->source.find("16 networks"), std::string::npos);
}

}  // namespace
}  // namespace detent::test
