// Ctrl-C inside a sample: the measurements of the sample are taken back.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "calibrate/calibration.h"
#include "detent/base/progress.h"
#include "model/model.h"

namespace detent {
namespace {

/// Samples of [1, 4], all ones. From the second on the Loop of the model below goes on for ever.
class Ones final : public DataSource {
 public:
  explicit Ones(size_t count) : count_(count) {}
  size_t size() const override { return count_; }
  std::string sample_name(size_t i) const override { return "ones[" + std::to_string(i) + "]"; }
  Sample read(size_t i) const override {
    const int64_t trips = i == 0 ? 1 : int64_t{1} << 40;
    return {i, sample_name(i), {Tensor::from<float>({1, 4}, {1, 1, 1, 1}), Tensor::scalar(trips)}};
  }

 private:
  size_t count_;
};

constexpr const char* kLoop = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4] x, int64 m) => (float[1,4] y) <bool t = {1}> {
  a = Relu (x)
  y = Loop <body = b (int64 i, bool c, float[1,4] v) => (bool d, float[1,4] w) { d = Identity (c) w = Add (v, v) }>
      (m, t, a)
})";

TEST(InterruptedSample, LeavesNothingInTheHistograms) {
  const Model model = parse_model_text(kLoop);
  const Graph& graph = model.graph();
  const ValueId a = *graph.find_value("a");
  SampleTracker tracker;
  std::jthread ctrl_c([&tracker] {
    while (tracker.added().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the second sample goes on for ever
    interrupted() = true;
  });
  RunSettings settings;
  settings.threads = 1;
  const Pass pass = measure(graph, std::vector{a, *graph.find_value("y")}, Ones(2), settings, &tracker);
  ctrl_c.join();
  interrupted() = false;
  EXPECT_TRUE(pass.interrupted);
  EXPECT_EQ(tracker.added().size(), 1U);
  EXPECT_EQ(pass.collector.histogram(a).count(), 4U) << "four elements, of the first sample";
}

TEST(InterruptedSample, IsNotMissedWhereNobodyInterrupts) {
  const Model model = parse_model_text(kLoop);
  const ValueId a = *model.graph().find_value("a");
  SampleTracker tracker;
  const Pass pass = measure(model.graph(), std::vector{a, *model.graph().find_value("y")}, Ones(1), {}, &tracker);
  EXPECT_FALSE(pass.interrupted);
  EXPECT_EQ(tracker.added().size(), 1U);
  EXPECT_EQ(pass.collector.histogram(a).count(), 4U);
}

}  // namespace
}  // namespace detent
