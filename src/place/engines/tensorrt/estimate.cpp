#include "place/engines/tensorrt/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace detent::tensorrt {
namespace {

using Kind = KernelWork::Kind;

constexpr std::array kGpus{
    Gpu{.name = "H200",
        .half_tflops = 989,
        .int8_tops = 1979,
        .core_tflops = 134,
        .terabytes = 4.8,
        .source = "fitted on 16 networks at batch 8 and 64, TensorRT 10.6, level 2"},
    Gpu{.name = "A100",
        .half_tflops = 312,
        .int8_tops = 624,
        .core_tflops = 78,
        .terabytes = 2.039,
        .source = "data sheet, SXM 80 GB"},
    Gpu{.name = "RTX 4090",
        .half_tflops = 330,
        .int8_tops = 661,
        .core_tflops = 83,
        .terabytes = 1.008,
        .source = "data sheet, sums in FP16"},
    Gpu{.name = "L4", .half_tflops = 121, .int8_tops = 242, .core_tflops = 30, .terabytes = .3, .source = "data sheet"},
    Gpu{.name = "T4", .half_tflops = 65, .int8_tops = 130, .core_tflops = 16, .terabytes = .32, .source = "data sheet"},
    Gpu{.name = "Jetson AGX Orin",
        .half_tflops = 42,
        .int8_tops = 85,
        .core_tflops = 10.6,
        .terabytes = .205,
        .source = "data sheet, 64 GB, without DLA"},
};

// Attainable shares of the data sheet's numbers, and the start of a kernel, that fit the networks of
// tests/engines/tensorrt/networks.csv best: least squares of logarithms, the ratio counted twice. The
// error of the ratio (kEstimateError) is that of networks each left out of its fit.
constexpr double kHalfShare = .733, kInt8Share = .703, kBandwidthShare = .592;
constexpr double kAttentionShare = .285;                ///< of tensor cores in FP16
constexpr double kDepthwiseShare = .057;                ///< of other cores
constexpr double kDepthwiseGain = 4;                    ///< of INT8, in depthwise Convs
constexpr double kStart = .00796, kCopyStart = .00024;  ///< milliseconds

constexpr double kTera = 1e9;  ///< operations of a millisecond

double arithmetic(const KernelWork& kernel, const Gpu& gpu) {
  switch (kernel.kind) {
    case Kind::Attention: return kernel.operations / (gpu.half_tflops * kTera * kAttentionShare);
    case Kind::Depthwise:
      return kernel.operations / (gpu.core_tflops * kTera * kDepthwiseShare * (kernel.codes ? kDepthwiseGain : 1));
    default:
      return kernel.operations /
             (kernel.codes ? gpu.int8_tops * kTera * kInt8Share : gpu.half_tflops * kTera * kHalfShare);
  }
}

// batch: a factor of the sizes.
double transfer(const KernelWork& kernel, const Gpu& gpu, double batch) {
  return ((kernel.bytes - kernel.weights) * batch + kernel.weights) / (gpu.terabytes * kTera * kBandwidthShare);
}
double work(const KernelWork& kernel, const Gpu& gpu, double batch) {
  return std::max(arithmetic(kernel, gpu) * batch, transfer(kernel, gpu, batch));
}

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

double milliseconds(const std::vector<KernelWork>& kernels, const Gpu& gpu) {
  double sum = 0;
  for (const KernelWork& kernel : kernels)
    sum += work(kernel, gpu, 1) + (kernel.kind == Kind::Copy ? kCopyStart : kStart);
  return sum;
}

double cost_of_codes(const CodeRegion& region, double batch) {
  const auto ratio = [&](double (*cost)(const KernelWork& kernel, const Gpu& gpu, double batch)) {
    const auto sum = [&](const std::vector<KernelWork>& kernels) {
      double all = 0;
      for (const KernelWork& kernel : kernels) all += cost(kernel, kGpus.front(), batch);
      return all;
    };
    const double floats = sum(region.floats), codes = sum(region.codes);
    return floats > 0 && std::abs(codes - floats) > kStart ? codes / floats : 1;
  };
  return std::min(ratio(work), ratio(transfer));
}

std::optional<SpeedEstimate> estimate(const PlacementPlan& plan, const Graph& graph, const ValueShapes& shapes) {
  if (plan.type != CodeType::Int8 || std::ranges::none_of(plan.edges, &EdgeDecision::reads_pair)) return std::nullopt;
  const std::vector<KernelWork> before = kernel_work(plan, graph, shapes, false);
  const std::vector<KernelWork> after = kernel_work(plan, graph, shapes, true);
  if (before.empty() || after.empty()) return std::nullopt;
  SpeedEstimate found;
  found.error = kEstimateError;
  for (const Gpu& gpu : kGpus) {
    GpuEstimate one{.gpu = std::string(gpu.name),
                    .float_ms = milliseconds(before, gpu),
                    .ms = milliseconds(after, gpu),
                    .source = std::string(gpu.source)};
    one.ratio = one.float_ms / one.ms;
    if (&gpu == kGpus.data())
      static_cast<GpuEstimate&>(found) = std::move(one);
    else
      found.others.push_back(std::move(one));
  }
  return found;
}

}  // namespace detent::tensorrt
