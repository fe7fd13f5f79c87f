#include <algorithm>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Extents = std::vector<int64_t>;

/// Returns a part of the first axis.
Tensor rows_of(const Tensor& tensor, int64_t first, int64_t count) {
  Extents extents(tensor.shape().begin(), tensor.shape().end());
  const size_t row = tensor.byte_count() / static_cast<size_t>(std::max<int64_t>(extents[0], 1));
  extents[0] = count;
  Tensor part(tensor.type(), Shape(extents));
  std::copy_n(static_cast<const std::byte*>(tensor.raw()) + static_cast<size_t>(first) * row,
              static_cast<size_t>(count) * row, static_cast<std::byte*>(part.mutable_raw()));
  return part;
}

/// Returns weights [C, M, k...] with zeros between the elements of each kernel.
Tensor spread(const Tensor& weight, const Extents& dilations) {
  Extents extents(weight.shape().begin(), weight.shape().end());
  for (size_t i = 0; i < dilations.size(); ++i) extents[i + 2] = (extents[i + 2] - 1) * dilations[i] + 1;
  const Shape wide(extents);
  Tensor result(weight.type(), wide);
  std::fill_n(static_cast<std::byte*>(result.mutable_raw()), result.byte_count(), std::byte{0});
  const size_t size = byte_size(weight.type());
  Extents index(extents.size(), 0);
  for (int64_t element = 0; element < weight.element_count(); ++element) {
    int64_t rest = element, offset = 0, step = 1;
    for (size_t axis = extents.size(); axis-- > 0;) {
      const int64_t at = rest % weight.shape()[axis];
      rest /= weight.shape()[axis];
      offset += step * (axis < 2 ? at : at * dilations[axis - 2]);
      step *= extents[axis];
    }
    std::copy_n(static_cast<const std::byte*>(weight.raw()) + static_cast<size_t>(element) * size, size,
                static_cast<std::byte*>(result.mutable_raw()) + static_cast<size_t>(offset) * size);
  }
  return result;
}

/// One ConvTranspose of constants and what is to become of it.
struct Deconvolution {
  const Node& node;
  const Tensor& weight;
  const Tensor* bias;
  int64_t groups;
  Extents dilations;

  [[nodiscard]] bool is_dilated() const {
    return std::ranges::any_of(dilations, [](int64_t dilation) { return dilation != 1; });
  }
  /// A ConvTranspose with one input channel a group stays one node.
  [[nodiscard]] bool is_split() const { return groups > 1 && groups < weight.shape()[0]; }
};

class DeconvolutionWriter {
 public:
  DeconvolutionWriter(const Deconvolution& given, FormPatch& patch) : given_(given), patch_(patch) {}

  void write() {
    const Tensor weight = given_.is_dilated() ? spread(given_.weight, given_.dilations) : given_.weight;
    patch_.remove(given_.node);
    const std::string output = patch_.name_of(given_.node.output(0)), input = patch_.name_of(given_.node.input(0));
    if (!given_.is_split())
      return add(given_.node.name, {input, constant("weight", weight)}, bias(), output, given_.groups);
    const int64_t channels = weight.shape()[0] / given_.groups, outputs = weight.shape()[1];
    NodeSpec split{"Split", patch_.fresh(given_.node, "Split"), {input}, {}, {{"axis", int64_t{1}}}, ""};
    split.inputs.push_back(constant(
        "split", Tensor::from<int64_t>({given_.groups}, Extents(static_cast<size_t>(given_.groups), channels))));
    NodeSpec joined{"Concat", given_.node.name, {}, {output}, {{"axis", int64_t{1}}}, ""};
    for (int64_t group = 0; group < given_.groups; ++group) {
      const std::string number = "_group" + std::to_string(group);
      split.outputs.push_back(patch_.fresh(given_.node, "input" + number));
      joined.inputs.push_back(patch_.fresh(given_.node, "output" + number));
      std::string part;
      if (given_.bias) part = constant("bias" + number, rows_of(*given_.bias, group * outputs, outputs));
      add(patch_.fresh(given_.node, number.substr(1)),
          {split.outputs.back(), constant("weight" + number, rows_of(weight, group * channels, channels))}, part,
          joined.inputs.back(), 1);
    }
    patch_.add(std::move(split));
    patch_.add(std::move(joined));
  }

 private:
  std::string constant(const std::string& what, Tensor tensor) {
    return patch_.constant(given_.node, what, std::move(tensor));
  }

  [[nodiscard]] std::string bias() const {
    return given_.node.input(2) ? patch_.name_of(given_.node.input(2)) : std::string();
  }

  void add(const std::string& name, std::vector<std::string> inputs, const std::string& bias, const std::string& output,
           int64_t groups) {
    if (!bias.empty()) inputs.push_back(bias);
    NodeSpec node{"ConvTranspose",
                  name,
                  std::move(inputs),
                  {output},
                  attributes_without(given_.node, {"group", "dilations", "kernel_shape"}),
                  ""};
    if (groups > 1) node.attributes.push_back({"group", groups});
    patch_.add(std::move(node));
  }

  const Deconvolution& given_;
  FormPatch& patch_;
};

}  // namespace

GraphPatch plain_deconvolution(const Graph& graph) {
  FormPatch patch(graph, "write ConvTranspose without groups and dilations");
  for (const Node& node : graph.nodes()) {
    const Tensor* weight =
        node.op_type == "ConvTranspose" && node.domain.empty() ? graph.constant(node.input(1)) : nullptr;
    const Tensor* bias = graph.constant(node.input(2));
    if (!weight || weight->shape().rank() < 3 || (node.input(2) && !bias)) continue;
    Deconvolution given{node, *weight, bias, node.int_or("group", 1),
                        node.ints_or("dilations", Extents(weight->shape().rank() - 2, 1))};
    if (given.groups < 1 || weight->shape()[0] % given.groups != 0 ||
        given.dilations.size() != weight->shape().rank() - 2)
      continue;
    if (given.is_dilated() || given.is_split()) DeconvolutionWriter(given, patch).write();
  }
  return patch.take();
}

}  // namespace detent::forms
