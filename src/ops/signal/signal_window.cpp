#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/index.h"
#include "core/stop.h"
#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// A window a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N).
struct Cosines {
  std::string_view op_type;
  double a0, a1, a2;
};

constexpr Cosines kWindows[] = {
    {"HannWindow", 0.5, 0.5, 0},
    {"HammingWindow", 25.0 / 46, 21.0 / 46, 0},
    {"BlackmanWindow", 0.42, 0.5, 0.08},
};

/// Returns the type of the output of a window or of mel weights.
DataType output_type(const Node& node) { return data_type_from_onnx(node.int_or("output_datatype", 1)); }

/// Makes a kernel for a window; N is the size of a periodic window, one less for a symmetric one.
std::unique_ptr<Kernel> make_window(const KernelContext& context) {
  const auto* window = std::ranges::find(kWindows, std::string_view(context.node.op_type), &Cosines::op_type);
  const bool periodic = context.node.int_or("periodic", 1) != 0;
  return kernel_of([window = *window, periodic, type = output_type(context.node)](KernelCall& call) {
    const std::vector<int64_t> size = integers_of(call.input(0));
    if (size.size() != 1 || size[0] < 0) throw Error(ErrorCode::InvalidData, "one size of 0 or more was expected");
    Tensor values(DataType::Float64, Shape{size[0]}, call.allocator());
    const double period = static_cast<double>(periodic ? size[0] : std::max<int64_t>(1, size[0] - 1));
    auto out = values.mutable_data<double>();
    in_stoppable_blocks(out.size(), [&](size_t first, size_t last) {
      for (size_t n = first; n < last; ++n) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(n) / period;
        out[n] = window.a0 - window.a1 * std::cos(angle) + window.a2 * std::cos(2 * angle);
      }
    });
    call.set_output(0, cast(values, type, call.allocator()));
  });
}

double double_of(const Tensor& tensor) {
  if (tensor.element_count() != 1) throw Error(ErrorCode::InvalidModel, "one number was expected");
  return cast(tensor, DataType::Float64).data<double>()[0];
}

/// Returns the spectrogram bins at which the mel bands begin, peak and end: equal steps on the scale 2595 log10(1 + f /
/// 700).
std::vector<int64_t> band_edges(int64_t bands, double dft_length, double rate, double lowest, double highest) {
  const auto to_mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double step = (to_mel(highest) - to_mel(lowest)) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10.0, (static_cast<double>(i) * step + to_mel(lowest)) / 2595) - 1);
    const double bin = std::floor((dft_length + 1) * hertz / rate);
    if (!(std::abs(bin) < 0x1p31))
      throw Error(ErrorCode::InvalidData, "the edges of the mel bands are not valid frequencies");
    edges.push_back(static_cast<int64_t>(bin));
  }
  return edges;
}

/// Computes a triangle for every mel band. Errors  InvalidData when a band lies beyond the spectrogram.
void run_mel(KernelCall& call, DataType type) {
  const double band_count = double_of(call.input(0)), dft_length = double_of(call.input(1));
  const double rate = double_of(call.input(2));
  constexpr double kMost = 1 << 24;  // of each: spectrograms have thousands
  if (!(band_count >= 0 && band_count <= kMost && dft_length >= 1 && dft_length <= kMost && rate >= 1))
    throw Error(ErrorCode::InvalidData, "bands, DFT length and sample rate must be positive, the first two up to 2^24");
  const auto bands = static_cast<int64_t>(band_count);
  const auto edges = band_edges(bands, dft_length, rate, double_of(call.input(3)), double_of(call.input(4)));
  const int64_t bins = static_cast<int64_t>(dft_length) / 2 + 1;
  Tensor weights(DataType::Float64, Shape{bins, bands}, call.allocator());
  auto out = weights.mutable_data<double>();
  in_stoppable_blocks(out.size(), [&](size_t first, size_t last) { std::fill(&out[first], &out[last - 1] + 1, 0.0); });
  const auto set = [&](int64_t bin, int64_t band, double value) {
    if (bin < 0 || bin >= bins)
      throw Error(ErrorCode::InvalidData,
                  "a mel band reaches beyond the " + std::to_string(bins) + " spectrogram bins");
    out[as_index(bin * bands + band)] = value;
  };
  for (int64_t band = 0; band < bands; ++band) {
    stop_if_interrupted();
    const int64_t* edge = edges.data() + band;
    const auto rise = static_cast<double>(edge[1] - edge[0]), fall = static_cast<double>(edge[2] - edge[1]);
    if (edge[1] == edge[0])
      set(edge[1], band, 1);
    else
      for (int64_t bin = edge[0]; bin <= edge[1]; ++bin) set(bin, band, static_cast<double>(bin - edge[0]) / rise);
    for (int64_t bin = edge[1]; bin < edge[2]; ++bin) set(bin, band, static_cast<double>(edge[2] - bin) / fall);
  }
  call.set_output(0, cast(weights, type, call.allocator()));
}

}  // namespace

std::vector<OperatorDef> signal_window_operators() {
  return {
      {"HannWindow", {.data_inputs = 0}, make_window, 17},
      {"HammingWindow", {.data_inputs = 0}, make_window, 17},
      {"BlackmanWindow", {.data_inputs = 0}, make_window, 17},
      {"MelWeightMatrix", {.data_inputs = 0}, make_with<output_type, run_mel>, 17},
  };
}

}  // namespace detent
