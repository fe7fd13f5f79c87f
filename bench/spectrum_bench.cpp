// Computes spectra of frames of real samples, in double: by the defining sum, by a product with the matrix of cosines
// and sines, and by the FFT that STFT and DFT use. Runs a network like those that find the pitch of a voice: STFT of
// 1024 samples every 256 of one second at 16 kHz and small convolutions on its magnitudes; and its STFT alone.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "ops/signal/fourier_transform.h"

namespace detent::bench {
namespace {

using Complex = std::complex<double>;
constexpr int64_t kFrames = 59;  // of the network below

double sample(int64_t i) {
  return std::sin(0.03 * static_cast<double>(i)) + std::cos(0.0007 * static_cast<double>(i * i));
}

std::vector<double> frame(int64_t length, int64_t number) {
  std::vector<double> samples;
  for (int64_t i = 0; i < length; ++i) samples.push_back(sample(number * 256 + i));
  return samples;
}

void direct(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0)), bins = n / 2 + 1;
  std::vector<Complex> roots(n), out(bins);
  for (size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  const auto samples = frame(state.range(0), 0);
  for (auto _ : state) {
    for (size_t b = 0; b < bins; ++b) {
      Complex sum;
      for (size_t k = 0; k < n; ++k) sum += samples[k] * roots[k * b % n];
      out[b] = sum;
    }
    benchmark::DoNotOptimize(out.data());
  }
}

/// All frames at once, as one product; the result is the time of one frame.
void matrix(benchmark::State& state) {
  const int64_t n = state.range(0), bins = n / 2 + 1;
  Eigen::MatrixXd basis(2 * bins, n), samples(n, kFrames), out(2 * bins, kFrames);
  for (int64_t b = 0; b < bins; ++b)
    for (int64_t k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k * b % n) / static_cast<double>(n);
      basis(2 * b, k) = std::cos(angle);
      basis(2 * b + 1, k) = -std::sin(angle);
    }
  for (int64_t i = 0; i < kFrames; ++i) samples.col(i) = Eigen::Map<const Eigen::VectorXd>(frame(n, i).data(), n);
  for (auto _ : state) {
    out.noalias() = basis * samples;
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["frame"] =
      benchmark::Counter(kFrames, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void fft(benchmark::State& state) {
  const auto samples = frame(state.range(0), 0);
  std::vector<Complex> out(samples.size() / 2 + 1);
  FourierTransform transform;
  for (auto _ : state) {
    transform.forward(std::span<const double>(samples), out);
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK(direct)->Arg(16)->Arg(64)->Arg(256)->Arg(400)->Arg(512)->Arg(1024)->Arg(2048);
BENCHMARK(matrix)->Arg(16)->Arg(64)->Arg(256)->Arg(400)->Arg(512)->Arg(1024)->Arg(2048);
BENCHMARK(fft)->Arg(16)->Arg(64)->Arg(256)->Arg(400)->Arg(512)->Arg(1024)->Arg(2048);

std::string numbers(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += (i ? "," : "") + std::to_string(0.2 * sample(i));
  return "{" + text + "}";
}

/// `upto`: the value that is the output, "f" the STFT alone.
void network(benchmark::State& state, const std::string& upto) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16000] x) => (float[1,1,59,128] y)
<int64 step = {256}, int64 length = {1024}, float[1024] window = )" +
                                       numbers(1024) + R"(,
 int64[1] from = {3}, int64[1] to = {131}, int64[1] axis = {2}, int64[1] last = {3}, int64[1] one = {1},
 float[8,1,5,5] w1 = )" + numbers(200) +
                                       R"(, float[16,8,5,5] w2 = )" + numbers(3200) + R"(, float[1,16,1,1] w3 = )" +
                                       numbers(16) + R"(>
{ f = STFT (x, step, window, length)  p = Mul (f, f)  s = ReduceSum <keepdims = 0> (p, last)  m = Sqrt (s)
  c = Slice (m, from, to, axis)  i = Unsqueeze (c, one)
  a = Conv <pads = [2,2,2,2]> (i, w1)  b = Relu (a)  d = Conv <pads = [2,2,2,2]> (b, w2)  e = Relu (d)  y = Conv (e, w3) })");
  const std::vector<ValueId> wanted{*model.graph().find_value(upto)};
  const Schedule schedule(model.graph(), wanted);
  Executor executor(schedule);
  Tensor input(DataType::Float32, Shape{1, 16000});
  for (int64_t i = 0; i < 16000; ++i)
    input.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(sample(i));
  struct : Observer {
    void observe(ValueId, const Tensor& tensor) override { benchmark::DoNotOptimize(tensor.raw()); }
  } observer;
  for (auto _ : state) executor.run(std::vector<Tensor>{input}, observer);
}

BENCHMARK_CAPTURE(network, whole, "y")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(network, stft_alone, "f")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace detent::bench
