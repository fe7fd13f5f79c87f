// Calibrates a model from tensors in memory, shows the ranges, writes an INT8 model and prints its verdict.
//   calibrate_tensors MODEL.onnx OUT.onnx        a model with one float input of 1 x 3 x 128 x 128
#include <detent/detent.h>

#include <cstdio>
#include <random>
#include <string_view>

namespace {

/// Stands for the data of your program: frames of a camera, rows of a data base.
std::vector<detent::Tensor> frame(std::size_t index) {
  detent::Tensor image(detent::DataType::Float32, detent::Shape{1, 3, 128, 128});
  std::mt19937 random(static_cast<unsigned>(index));  // the same frame for the same index on each call
  std::normal_distribution<float> pixels;
  for (float& pixel : image.mutable_data<float>()) pixel = pixels(random);
  return {image};
}

/// Prints progress and warnings.
class Log : public detent::Reporter {
 public:
  void begin(std::string_view task, std::size_t) override {
    std::printf("  %.*s\n", static_cast<int>(task.size()), task.data());
  }
  void advance_to(std::size_t) override {}
  void end() override {}
  void warn(std::string_view text) override {
    std::fprintf(stderr, "warning: %.*s\n", static_cast<int>(text.size()), text.data());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: calibrate_tensors MODEL.onnx OUT.onnx\n", stderr);
    return 2;
  }
  try {
    Log log;
    detent::QuantizeOptions options;
    options.model = argv[1];
    options.output = argv[2];
    options.overwrite = true;
    options.data.own = detent::samples_from(16, frame);
    options.run.reporter = &log;
    const detent::QuantizeReport report = detent::quantize_model(options);

    for (std::size_t i = 0; i < report.values.size() && i < 5; ++i)
      std::printf("%-24s %10.4f .. %10.4f   scale %g\n", report.values[i].name.c_str(), report.values[i].min,
                  report.values[i].max, report.values[i].scale);
    std::printf("%zu values, %zu samples, calibrator %s\n", report.values.size(), report.samples,
                report.calibrator.c_str());
    return 0;
  } catch (const detent::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint().c_str());
    return static_cast<int>(error.code());
  }
}
