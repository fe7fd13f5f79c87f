#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr int64_t kWidest = 7;         // stride that stays
constexpr int64_t kImageChannels = 4;  // of an image: the first Conv has their square as channels

/// Rows and columns of a window.
using Window = std::array<int64_t, 2>;

/// A window in two steps: first `inner`, and of what that finds `outer`.
struct Steps {
  Window inner, outer;
};

/// Returns the largest divisor of 7 at most whose complement is 7 at most, too; 0 where there is none.
int64_t inner_of(int64_t extent) {
  for (int64_t inner = std::min(extent, kWidest); inner > 0; --inner)
    if (extent % inner == 0 && extent / inner <= kWidest) return inner;
  return 0;
}

/// Returns the steps of a Conv of few channels whose windows stand side by side and are too wide; no steps for others.
std::optional<Steps> steps_of(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "Conv" && node.domain.empty() ? graph.constant(node.input(1)) : nullptr;
  if (!weight || !node.input(0) || !node.output(0) || weight->type() != DataType::Float32 ||
      weight->shape().rank() != 4 || weight->element_count() == 0 || weight->shape()[1] > kImageChannels)
    return std::nullopt;
  const Window window{weight->shape()[2], weight->shape()[3]};
  const auto are = [](const std::vector<int64_t>& numbers, int64_t wanted) {
    return std::ranges::all_of(numbers, [wanted](int64_t number) { return number == wanted; });
  };
  const std::string padding = node.string_or("auto_pad", "NOTSET");
  if (node.int_or("group", 1) != 1 || !are(node.ints_or("pads", {}), 0) || !are(node.ints_or("dilations", {}), 1) ||
      (padding != "NOTSET" && padding != "VALID") || std::max(window[0], window[1]) <= kWidest ||
      !std::ranges::equal(node.ints_or("strides", {1, 1}), window))
    return std::nullopt;
  const Window inner{inner_of(window[0]), inner_of(window[1])};
  if (inner[0] == 0 || inner[1] == 0) return std::nullopt;
  return Steps{inner, {window[0] / inner[0], window[1] / inner[1]}};
}

/// Returns weights [C * h * w, C, h, w] that put each element of a window on a separate channel.
Tensor picking(int64_t channels, const Window& window) {
  const int64_t elements = channels * window[0] * window[1];
  std::vector<float> weights(static_cast<size_t>(elements * elements), 0.0F);
  for (int64_t i = 0; i < elements; ++i) weights[static_cast<size_t>(i * elements + i)] = 1.0F;
  return Tensor::from<float>({elements, channels, window[0], window[1]}, std::span<const float>(weights));
}

/// Returns the weights [M, C, H, W] for channels that hold the elements of inner windows: [M, C * h * w, H / h, W / w].
Tensor in_steps(const Tensor& weight, const Steps& steps) {
  const auto& shape = weight.shape();
  const auto [h, w] = steps.inner;
  const auto [rows, columns] = steps.outer;
  const auto from = weight.data<float>();
  std::vector<float> to(from.size());
  size_t next = 0;
  for (int64_t filter = 0; filter < shape[0]; ++filter)
    for (int64_t channel = 0; channel < shape[1]; ++channel)
      for (int64_t i = 0; i < h; ++i)
        for (int64_t j = 0; j < w; ++j)
          for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < columns; ++column)
              to[next++] = from[static_cast<size_t>(
                  ((filter * shape[1] + channel) * shape[2] + row * h + i) * shape[3] + column * w + j)];
  return Tensor::from<float>({shape[0], shape[1] * h * w, rows, columns}, std::span<const float>(to));
}

NodeSpec conv(const std::string& name, std::vector<std::string> inputs, const std::string& output,
              const Window& strides) {
  return {"Conv", name, std::move(inputs), {output}, {{"strides", std::vector<int64_t>{strides[0], strides[1]}}}, ""};
}

}  // namespace

GraphPatch narrow_strides(const Graph& graph) {
  FormPatch patch(graph, "write a Conv of wide patches as two");
  for (const Node& node : graph.nodes()) {
    const auto steps = steps_of(graph, node);
    if (!steps) continue;
    const Tensor& weight = *graph.constant(node.input(1));
    const std::string patches = patch.fresh(node, "patches");
    const std::string pick = patch.constant(node, "pick", picking(weight.shape()[1], steps->inner));
    std::vector<std::string> inputs{patches, patch.constant(node, "narrow", in_steps(weight, *steps))};
    if (node.input(2)) inputs.push_back(patch.name_of(node.input(2)));
    patch.remove(node);
    patch.add(conv(patches, {patch.name_of(node.input(0)), pick}, patches, steps->inner));
    patch.add(conv(node.name, std::move(inputs), patch.name_of(node.output(0)), steps->outer));
  }
  return patch.take();
}

}  // namespace detent::forms
