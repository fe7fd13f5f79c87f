// Runs layers of known networks as the executor does, on one core: operations a second and the share of what the core
// can do with independent multiply-adds (fma_peak-inl.h, measured at the start). Weights are constant; activations are
// channels-last where the layer takes them so.
#include <benchmark/benchmark.h>

#include "bench_data.h"
#include "exec/executor.h"
#include "fma_peak-inl.h"
#include "model/model.h"

namespace detent::bench {
namespace {

struct Layer {
  const char* name;
  const char* node;  ///< from x and w to y
  Shape input, weights;
};

const Layer kLayers[] = {
    {"resnet50/7x7s2_3_64", "Conv<strides=[2,2],pads=[3,3,3,3]>", {1, 3, 224, 224}, {64, 3, 7, 7}},
    {"resnet50/1x1_64_256", "Conv", {1, 64, 56, 56}, {256, 64, 1, 1}},
    {"resnet50/3x3_64_64", "Conv<pads=[1,1,1,1]>", {1, 64, 56, 56}, {64, 64, 3, 3}},
    {"resnet50/3x3_128_128", "Conv<pads=[1,1,1,1]>", {1, 128, 28, 28}, {128, 128, 3, 3}},
    {"resnet50/1x1_1024_256", "Conv", {1, 1024, 14, 14}, {256, 1024, 1, 1}},
    {"resnet50/3x3_256_256", "Conv<pads=[1,1,1,1]>", {1, 256, 14, 14}, {256, 256, 3, 3}},
    {"resnet50/3x3_512_512", "Conv<pads=[1,1,1,1]>", {1, 512, 7, 7}, {512, 512, 3, 3}},
    {"resnet50/gemm_2048_1000", "Gemm<transB=1>", {1, 2048}, {1000, 2048}},
    {"mobilenetv2/3x3s2_3_32", "Conv<strides=[2,2],pads=[1,1,1,1]>", {1, 3, 224, 224}, {32, 3, 3, 3}},
    {"mobilenetv2/1x1_24_144", "Conv", {1, 24, 56, 56}, {144, 24, 1, 1}},
    {"mobilenetv2/1x1_320_1280", "Conv", {1, 320, 7, 7}, {1280, 320, 1, 1}},
    {"mobilenetv2/depthwise_144", "Conv<group=144,pads=[1,1,1,1]>", {1, 144, 56, 56}, {144, 1, 3, 3}},
    {"mobilenetv2/depthwise_s2_96", "Conv<group=96,strides=[2,2],pads=[1,1,1,1]>", {1, 96, 112, 112}, {96, 1, 3, 3}},
    {"mobilenetv2/depthwise_960", "Conv<group=960,pads=[1,1,1,1]>", {1, 960, 7, 7}, {960, 1, 3, 3}},
    {"occupancy3d/3x3x3_160", "Conv<pads=[1,1,1,1,1,1]>", {1, 160, 8, 8, 8}, {160, 160, 3, 3, 3}},
    {"occupancy3d/1x1x1_80_160", "Conv", {1, 80, 8, 8, 8}, {160, 80, 1, 1, 1}},
    {"occupancy3d/up_80_40", "ConvTranspose<strides=[2,2,2]>", {1, 80, 8, 8, 8}, {80, 40, 2, 2, 2}},
    {"occupancy3d/up_24_12", "ConvTranspose<strides=[2,2,2]>", {1, 24, 32, 32, 32}, {24, 12, 2, 2, 2}},
    {"unet/3x3_16_16", "Conv<pads=[1,1,1,1]>", {1, 16, 128, 128}, {16, 16, 3, 3}},
    {"unet/3x3_128_64", "Conv<pads=[1,1,1,1]>", {1, 128, 32, 32}, {64, 128, 3, 3}},
    {"unet/up_128_64", "ConvTranspose<strides=[2,2]>", {1, 128, 16, 16}, {128, 64, 2, 2}},
    {"transformer/matmul_196_384_1536", "MatMul", {196, 384}, {384, 1536}},
};

/// Keeps only the number of elements computed.
class OutputSize : public Observer {
 public:
  void observe(ValueId /*value*/, const Tensor& tensor) override { elements_ = tensor.element_count(); }
  [[nodiscard]] int64_t elements() const { return elements_; }

 private:
  int64_t elements_ = 0;
};

Model one_node(const Layer& layer) {
  std::string node = layer.node;
  node.insert(std::min(node.find('<'), node.size()), " ");
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float x, float w) => (float y) { y = " + node + " (x, w) }";
  return parse_model_text(text);
}

/// Returns multiplications and additions, with padding: oneDNN leaves it out, so a share may exceed 1. An output
/// element of Conv reads a row of the weights; an input element of ConvTranspose (weights: input channels first)
/// meets one.
double operations(const Layer& layer, int64_t outputs) {
  const Shape& w = layer.weights;
  const std::string_view node = layer.node;
  if (node.starts_with("ConvTranspose"))
    return 2.0 * static_cast<double>(layer.input.element_count() * w.element_count(1, w.rank()));
  const int64_t depth = node.starts_with("MatMul") ? w[0] : w.element_count(1, w.rank());
  return 2.0 * static_cast<double>(outputs * depth);
}

void report(benchmark::State& state, double operations, double begin) {
  const double rate = operations / (thread_seconds() - begin);
  state.counters["GFLOP/s"] = rate / 1e9;
  state.counters["of_peak"] = rate / fma_peak();
}

void run(benchmark::State& state, const Layer& layer) {
  fma_peak();  // measured before the clock starts
  const Model model = one_node(layer);
  const Graph& graph = model.graph();
  const std::pair<ValueId, Tensor> known[] = {{*graph.find_value("w"), random_tensor(layer.weights)}};
  const ValueId wanted[] = {*graph.find_value("y")};
  const Schedule schedule(graph, wanted, {.known = known});
  Tensor input = random_tensor(layer.input);
  if (schedule.steps()[0].layout != LayoutNeed::Plain && input.shape().rank() >= 3) input = to_channels_last(input);
  const Tensor inputs[] = {input, known[0].second};
  Executor executor(schedule);
  OutputSize output;
  executor.run(inputs, output);  // makes the primitive and packs the weights
  const double begin = thread_seconds();
  for (auto _ : state) executor.run(inputs, output);
  report(state, operations(layer, output.elements()) * static_cast<double>(state.iterations()), begin);
}

void peak(benchmark::State& state) {
  fma_peak();
  float result = 0;
  double total = 0;
  const double begin = thread_seconds();
  for (auto _ : state) total += HWY_DYNAMIC_DISPATCH(RunFmas)(100'000, &result);
  benchmark::DoNotOptimize(result);
  report(state, total, begin);
}

void register_all() {
  benchmark::RegisterBenchmark("fma_peak", peak)->Unit(benchmark::kMicrosecond);
  for (const Layer& layer : kLayers)
    benchmark::RegisterBenchmark(layer.name, run, layer)->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace detent::bench
