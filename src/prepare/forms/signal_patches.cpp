#include <algorithm>
#include <optional>
#include <span>

#include "place/draft/certain_shapes.h"
#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr int64_t kWidestSignalStride = 7;  // that stays

/// A Conv of a signal of one channel: [batch, 1, length] or [batch, 1, 1, length].
struct SignalConv {
  const Tensor* weight = nullptr;
  int64_t window = 0, stride = 0;
};

bool all_are(const std::vector<int64_t>& numbers, int64_t wanted) {
  return std::ranges::all_of(numbers, [wanted](int64_t number) { return number == wanted; });
}

/// Returns a Conv whose stride is too wide and divides its window.
std::optional<SignalConv> signal_conv(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "Conv" && node.domain.empty() ? graph.constant(node.input(1)) : nullptr;
  if (!weight || !node.input(0) || !node.output(0) || weight->type() != DataType::Float32) return std::nullopt;
  const size_t rank = weight->shape().rank();
  if ((rank != 3 && rank != 4) || weight->element_count() == 0 || weight->shape()[1] != 1 ||
      (rank == 4 && weight->shape()[2] != 1))
    return std::nullopt;
  const std::vector<int64_t> strides = node.ints_or("strides", {});
  if (strides.size() != rank - 2 || !all_are({strides.begin(), strides.end() - 1}, 1) || node.int_or("group", 1) != 1 ||
      !all_are(node.ints_or("pads", {}), 0) || !all_are(node.ints_or("dilations", {}), 1) ||
      node.string_or("auto_pad", "NOTSET") != "NOTSET")
    return std::nullopt;
  const int64_t window = weight->shape()[rank - 1], stride = strides.back();
  if (stride <= kWidestSignalStride || window % stride != 0) return std::nullopt;
  return SignalConv{weight, window, stride};
}

/// Returns weights [M, stride, (1,) window / stride] that read the elements of a stride on channels.
Tensor on_channels(const SignalConv& conv) {
  const int64_t filters = conv.weight->shape()[0], taps = conv.window / conv.stride;
  const auto from = conv.weight->data<float>();
  std::vector<float> to;
  to.reserve(from.size());
  for (int64_t filter = 0; filter < filters; ++filter)
    for (int64_t channel = 0; channel < conv.stride; ++channel)
      for (int64_t tap = 0; tap < taps; ++tap)
        to.push_back(from[static_cast<size_t>(filter * conv.window + tap * conv.stride + channel)]);
  const Shape shape =
      conv.weight->shape().rank() == 4 ? Shape{filters, conv.stride, 1, taps} : Shape{filters, conv.stride, taps};
  return Tensor::from<float>(shape, std::span<const float>(to));
}

class PatchWriter {
 public:
  PatchWriter(FormPatch& patch, const Node& node, const SignalConv& conv) : patch_(patch), node_(node), conv_(conv) {}

  void write(int64_t batch, int64_t length) {
    const bool image = conv_.weight->shape().rank() == 4;
    const int64_t read = (length - conv_.window) / conv_.stride * conv_.stride + conv_.window;
    std::string value = patch_.name_of(node_.input(0));
    if (read != length)
      value =
          add("Slice", "read", {value, numbers("from", {0}), numbers("to", {read}), numbers("axes", {image ? 3 : 2})});
    const int64_t rows = read / conv_.stride;
    value = add("Reshape", "strides",
                {value, numbers("strides_shape", image ? std::vector<int64_t>{batch, 1, rows, conv_.stride}
                                                       : std::vector<int64_t>{batch, rows, conv_.stride})});
    value = add("Transpose", "channels", {value},
                {{"perm", image ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 1}}});
    NodeSpec conv{"Conv",
                  node_.name,
                  {value, patch_.constant(node_, "weight", on_channels(conv_))},
                  {patch_.name_of(node_.output(0))},
                  {},
                  ""};
    if (node_.input(2)) conv.inputs.push_back(patch_.name_of(node_.input(2)));
    patch_.remove(node_);
    patch_.add(std::move(conv));
  }

 private:
  std::string numbers(const std::string& what, const std::vector<int64_t>& values) {
    return patch_.constant(node_, what, Tensor::from<int64_t>({std::ssize(values)}, std::span<const int64_t>(values)));
  }

  std::string add(const char* op, const std::string& what, std::vector<std::string> inputs,
                  std::vector<Attribute> attributes = {}) {
    const std::string output = patch_.fresh(node_, what);
    patch_.add({op, output, std::move(inputs), {output}, std::move(attributes), ""});
    return output;
  }

  FormPatch& patch_;
  const Node& node_;
  const SignalConv& conv_;
};

}  // namespace

GraphPatch signal_patches(const Graph& graph) {
  FormPatch patch(graph, "put the elements of a stride of a signal on channels");
  const GraphFacts facts(graph, default_target());  // sizes are the same for every target
  CertainShapes shapes(facts);
  for (const Node& node : graph.nodes()) {
    const auto conv = signal_conv(graph, node);
    const std::optional<std::vector<int64_t>> sizes = conv ? shapes.of(node.input(0)) : std::nullopt;
    if (!sizes || sizes->size() != conv->weight->shape().rank() ||
        !all_are({sizes->begin() + 1, sizes->end() - 1}, 1) || sizes->front() < 1 || sizes->back() < conv->window)
      continue;
    PatchWriter(patch, node, *conv).write(sizes->front(), sizes->back());
  }
  return patch.take();
}

}  // namespace detent::forms
