#include <algorithm>
#include <span>

#include "model/name_source.h"
#include "prepare/forms/batchnorm_affine.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

GraphPatch neutral_statistics(const Graph& graph) {
  constexpr int kFactor = 1, kShift = 2, kMean = 3, kVariance = 4;
  GraphPatch patch;
  patch.reason = "multiply the statistics of a BatchNormalization into its factor";
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    const std::optional<ChannelAffine> affine = batchnorm_affine(graph, node);
    if (!affine) continue;
    const Eigen::Index channels = affine->factor.size();
    const float variance = 1.0F - node.float_or("epsilon", 1e-5F);
    // Of FP32: another type of float has become that before (OperatorForm::Float32).
    const auto is_all = [&](int slot, float number) {
      const Tensor& constant = *graph.constant(node.input(slot));
      return constant.type() == DataType::Float32 &&
             std::ranges::all_of(constant.data<float>(), [&](float x) { return x == number; });
    };
    if (graph.constant(node.input(kFactor))->type() != DataType::Float32 ||
        (is_all(kMean, 0) && is_all(kVariance, variance)))
      continue;
    const auto put = [&](int slot, const char* what, const Eigen::ArrayXd& numbers) {
      const Eigen::ArrayXf floats = numbers.cast<float>();
      const std::string name = names.fresh(node.name + "_" + what);
      patch.add_initializers.emplace_back(
          name, Tensor::from<float>({channels}, std::span<const float>(floats.data(), static_cast<size_t>(channels))));
      patch.rewire.push_back({node.name, slot, name});
    };
    put(kFactor, "factor", affine->factor);
    put(kShift, "shift", affine->shift);
    put(kMean, "mean", Eigen::ArrayXd::Zero(channels));
    put(kVariance, "variance", Eigen::ArrayXd::Constant(channels, static_cast<double>(variance)));
  }
  return patch;
}

}  // namespace detent::forms
