#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <stop_token>
#include <thread>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using std::chrono::duration;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// RunSettings::stop ends one call and leaves the others running.
class StopOneCall : public SmallNetwork {
 protected:
  void TearDown() override { interrupted() = false; }

  /// Calibration that takes hours: each of a million samples is made in 10 ms.
  [[nodiscard]] QuantizeOptions endless(const std::string& output) {
    QuantizeOptions given = options("", output);
    given.data.own = samples_from(1'000'000, [this](size_t i) {
      ++samples_made_;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      Tensor sample(DataType::Float32, Shape{1, 2, 4, 4});
      std::ranges::fill(sample.mutable_data<float>(), static_cast<float>(i % 7) + 1);
      return std::vector{std::move(sample)};
    });
    given.run.threads = 2;
    return given;
  }
  /// Returns once samples are read.
  void wait_until_running() const {
    while (samples_made_ < 4) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  static ErrorCode code_of(const QuantizeOptions& given) {
    try {
      static_cast<void>(quantize_model(given));
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode{0};
  }
  static bool soon(std::future<ErrorCode>& call) {
    return call.wait_for(seconds(120)) == std::future_status::ready;  // the work itself would take an hour
  }

  std::atomic<size_t> samples_made_{0};
};

TEST_F(StopOneCall, EndsInTheMiddleAndWritesNothing) {
  std::stop_source stop;
  QuantizeOptions given = endless("out.onnx");
  given.run.stop = stop.get_token();
  auto call = std::async(std::launch::async, code_of, given);
  wait_until_running();
  stop.request_stop();
  ASSERT_TRUE(soon(call));
  EXPECT_EQ(call.get(), ErrorCode::Interrupted);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"model.onnx"});
}

TEST_F(StopOneCall, AnotherCallGoesOnToTheSameFile) {
  const std::string data = samples("calib", {1, 2, 3, 1, 2, 3, 2, 1});
  static_cast<void>(quantize_model(options(data, "alone.onnx")));

  std::stop_source stop;
  QuantizeOptions given = endless("never.onnx");
  given.run.stop = stop.get_token();
  auto stopped = std::async(std::launch::async, code_of, given);
  wait_until_running();
  std::promise<void> halfway;
  QuantizeOptions other = options("", "beside.onnx");
  const auto files = open_data({.sources = {data}}, std::vector<InputSpec>{{"x", DataType::Float32, {1, 2, 4, 4}}});
  std::atomic<bool> told{false};
  other.data.own = samples_from(files->size(), [&](size_t i) {
    if (i == 4 && !told.exchange(true)) {
      halfway.set_value();
      while (!stop.stop_requested()) std::this_thread::yield();
    }
    return files->read(i).inputs;
  });
  auto finished = std::async(std::launch::async, code_of, other);
  halfway.get_future().wait();
  stop.request_stop();
  ASSERT_TRUE(soon(stopped));
  EXPECT_EQ(stopped.get(), ErrorCode::Interrupted);
  EXPECT_EQ(finished.get(), ErrorCode{0});
  EXPECT_FALSE(interrupted());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "never.onnx"));
  const auto scales = [&](const char* name) {
    const Model model = read_model(folder_ / name);
    std::vector<std::vector<float>> found;
    for (const char* value : {"x", "r1", "r2", "r3"}) {
      const auto* constant = model.graph().constant(*model.graph().find_value(std::string(value) + "_scale"));
      if (constant) found.emplace_back(constant->data<float>().begin(), constant->data<float>().end());
    }
    return found;
  };
  EXPECT_EQ(scales("beside.onnx").size(), 4U);
  EXPECT_EQ(scales("beside.onnx"), scales("alone.onnx"));
}

TEST_F(StopOneCall, CtrlCStillEndsAll) {
  std::stop_source stop;
  QuantizeOptions with_token = endless("a.onnx");
  with_token.run.stop = stop.get_token();
  auto first = std::async(std::launch::async, code_of, with_token);
  auto second = std::async(std::launch::async, code_of, endless("b.onnx"));
  wait_until_running();
  interrupted() = true;
  ASSERT_TRUE(soon(first) && soon(second));
  EXPECT_EQ(first.get(), ErrorCode::Interrupted);
  EXPECT_EQ(second.get(), ErrorCode::Interrupted);
}

TEST_F(StopOneCall, EveryFunctionWithRunSettingsObeys) {
  const std::string data = samples("calib", {1, 2, 3, 1});
  static_cast<void>(quantize_model(options(data, "qdq.onnx")));
  const DataOptions given{.sources = {data}};
  const std::filesystem::path model = folder_ / "model.onnx";
  const std::filesystem::path out = folder_ / "out";
  std::filesystem::create_directory(out);
  const auto ends = [](const char* function, auto call) {
    RunSettings run;
    EXPECT_NO_THROW(call(run)) << function;
    std::stop_source stop;
    stop.request_stop();
    run.stop = stop.get_token();
    EXPECT_EQ(error_of<Error>([&] { call(run); }).code(), ErrorCode::Interrupted) << function;
  };
  ends("quantize_model", [&](const RunSettings& run) {
    QuantizeOptions o = options(data);
    o.run = run;
    static_cast<void>(quantize_model(o));
  });
  ends("quantize_targets", [&](const RunSettings& run) {
    QuantizeOptions o = options(data);
    o.run = run, o.targets = {"tensorrt", "onnxruntime"};
    static_cast<void>(quantize_targets(o));
  });
  ends("quantize_weights", [&](const RunSettings& run) {
    QuantizeWeightsOptions o;
    o.model = model, o.output = out / "w.onnx", o.data = given, o.run = run, o.overwrite = true;
    static_cast<void>(quantize_weights(o));
  });
  ends("cast_model", [&](const RunSettings& run) {
    CastModelOptions o;
    o.model = model, o.output = out / "h.onnx", o.data = given, o.run = run, o.overwrite = true;
    static_cast<void>(cast_model(o));
  });
  ends("calibrate_model", [&](const RunSettings& run) {
    CalibrateOptions o;
    o.model = model, o.output = out / "t.dct", o.data = given, o.run = run, o.overwrite = true;
    static_cast<void>(calibrate_model(o));
  });
  CompareOptions compared;
  compared.model = model, compared.data = given, compared.evaluation.data = given;
  ends("compare_calibrators", [&](const RunSettings& run) {
    compared.run = run;
    static_cast<void>(compare_calibrators(compared));
  });
  ends("compare_types", [&](const RunSettings& run) {
    CompareTypesOptions typed{compared, {.names = {"int8", "fp8"}}};
    typed.run = run;
    static_cast<void>(compare_types(typed));
  });
  ends("compare_targets", [&](const RunSettings& run) {
    compared.run = run;
    compared.targets = {"tensorrt", "onnxruntime"};
    static_cast<void>(compare_targets(compared));
  });
  ends("measure_sensitivity", [&](const RunSettings& run) {
    SensitivityOptions o;
    o.model = model, o.data = given, o.eval = given, o.run = run;
    static_cast<void>(measure_sensitivity(o));
  });
  ends("plan_model", [&](const RunSettings& run) {
    PlanModelOptions o;
    o.model = model, o.data = given, o.run = run;
    static_cast<void>(plan_model(o));
  });
  ends("lint_model", [&](const RunSettings& run) {
    LintOptions o;
    o.model = folder_ / "qdq.onnx", o.target = "tensorrt:11", o.data = given, o.run = run;
    static_cast<void>(lint_model(o));
  });
  ends("run_model", [&](const RunSettings& run) {
    RunOptions o;
    o.model = model, o.output_folder = out / "run", o.data = given, o.run = run, o.overwrite = true;
    static_cast<void>(run_model(o));
  });
  ends("verify_models",
       [&](const RunSettings& run) { static_cast<void>(verify_models({.folders = {folder_.path()}, .run = run})); });
}

}  // namespace
}  // namespace detent
