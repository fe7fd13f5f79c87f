// A small network with a signal front end: STFT as one convolution with fixed cosines and sines, power, mel bands,
// logarithm, and two layers on those.
#include <cmath>
#include <numbers>
#include <random>

#include "tests/pipeline/small_network.h"

namespace detent {
namespace {

constexpr int kFrame = 64, kBins = kFrame / 2 + 1, kBands = 16, kSamples = 1024;

std::string joined(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "{" + text + "}";
}

/// Windowed cosines, then windowed sines: 2 * kBins rows of kFrame numbers.
std::vector<double> fourier_basis() {
  std::vector<double> basis;
  for (const double quarter : {0.5, 0.0})
    for (int bin = 0; bin < kBins; ++bin)
      for (int k = 0; k < kFrame; ++k) {
        const double hann = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * k / kFrame);
        basis.push_back(hann * std::sin(std::numbers::pi * (2.0 * k * bin / kFrame + quarter)));
      }
  return basis;
}

/// Triangles that overlap by half.
std::vector<double> mel_bands() {
  std::vector<double> bands;
  for (int band = 0; band < kBands; ++band)
    for (int bin = 0; bin < kBins; ++bin)
      bands.push_back(std::max(0.0, 1 - std::abs(static_cast<double>(bin) - 2.0 * band - 1) / 2));
  return bands;
}

std::vector<double> random_weights(size_t count, double size) {
  std::minstd_rand random(5);
  std::vector<double> weights(count);
  for (double& weight : weights) weight = size * (static_cast<double>(random() % 2001) / 1000 - 1);
  return weights;
}

class SignalFrontEnd : public testing::Test {
 protected:
  SignalFrontEnd() {
    write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,1,1024] x) => (float[1,16,F] y)
<float[66,1,64] basis = )" + joined(fourier_basis()) +
                                 ", float[16,33,1] mel = " + joined(mel_bands()) +
                                 ", float[32,16,3] w1 = " + joined(random_weights(32 * 16 * 3, 0.2)) +
                                 ", float[16,32,3] w2 = " + joined(random_weights(16 * 32 * 3, 0.2)) + R"(,
 int64[2] halves = {33, 33}, float eps = {0.00001}>
{ f = Conv <strides = [32]> (x, basis)  re, im = Split <axis = 1> (f, halves)
  rr = Mul (re, re)  ii = Mul (im, im)  p = Add (rr, ii)  m = Conv (p, mel)  e = Add (m, eps)  l = Log (e)
  a = Conv (l, w1)  r = Relu (a)  b = Conv (r, w2)  y = Tanh (b) })"),
                folder_ / "model.onnx");
    // A tone and noise, from loud to faint, as in a second of speech.
    for (int i = 0; i < 16; ++i) {
      std::mt19937 random(static_cast<uint32_t>(i));
      std::normal_distribution<float> normal;
      std::vector<float> samples(kSamples);
      for (int k = 0; k < kSamples; ++k) {
        const float loudness = std::exp2(-12.0F * static_cast<float>(k) / kSamples);
        samples[static_cast<size_t>(k)] =
            loudness *
            (std::sin(static_cast<float>(k) * (0.1F + 0.05F * static_cast<float>(i))) + 0.1F * normal(random));
      }
      std::filesystem::create_directories(folder_ / "data");
      std::ofstream(folder_ / "data" / (std::to_string(i) + ".npy"), std::ios::binary)
          << format_npy_header(DataType::Float32, {1, 1, kSamples})
          << std::string(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(float));
    }
  }

  /// Returns the SQNR of the output. include  layers that the user wants in INT8 whatever the rule says.
  [[nodiscard]] double sqnr(const std::string& target, const std::vector<std::string>& include) const {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    options.data.sources = {(folder_ / "data").string()};
    options.target = target;
    options.placement.include = include;
    options.output = folder_ / "out.onnx";
    options.overwrite = true;
    return quantize_model(options).error->sqnr_db.value();
  }

  TemporaryFolder folder_;
};

TEST_F(SignalFrontEnd, StaysFloatByRule) {
  for (const std::string target : {"tensorrt", "onnxruntime"}) {
    const PlanReport plan = plan_model({.model = folder_ / "model.onnx", .target = target});
    for (const auto& layer : plan.layers) {
      const bool front = layer.params == 66 * 64 || layer.params == 16 * 33 + 16;  // the floor of the Log is its bias
      EXPECT_EQ(layer.runs_on_codes(), !front) << layer.name;
      EXPECT_EQ(layer.rule == "R14 signal front end", front) << layer.name;
    }
  }
}

/// The margin is the least that was measured: tensorrt and onnxruntime gain more.
TEST_F(SignalFrontEnd, GainsWhatTheFaintPartsAreWorth) {
  for (const std::string target : {"tensorrt", "onnxruntime"}) {
    const double with = sqnr(target, {}), without = sqnr(target, {"^Conv_", "^Mul_", "^Add_", "^Split_"});
    RecordProperty(target + "_with", std::to_string(with));
    RecordProperty(target + "_without", std::to_string(without));
    EXPECT_GT(with, 25) << target;
    EXPECT_GT(with, without + 10) << target << ": " << without << " dB without the rule";
  }
}

}  // namespace
}  // namespace detent
