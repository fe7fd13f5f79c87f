#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "model/temporary_folder.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

// Two branches meet in a Concat (one scale), a ConvTranspose, a bias and a last Conv that writes a graph output.
inline constexpr const char* kNetwork = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16,8,8] x) => (float[1,16,16,16] y)
<float[16,16,3,3] w1 = {...}, float[16] b1 = {...}, float[16,16,3,3] w2 = {...}, float[32,16,2,2] wt = {...},
 float[16,16,1,1] wy = {...}>
{
  c1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
  r1 = Relu (c1)
  c2 = Conv <pads = [1, 1, 1, 1]> (r1, w2)
  r2 = Relu (c2)
  cat = Concat <axis = 1> (r1, r2)
  t = ConvTranspose <strides = [2, 2]> (cat, wt)
  rt = Relu (t)
  y = Conv (rt, wy)
})";

/// A model quantized as `detent quantize` does, and the promises of its plan.
struct QuantizedNetwork {
  explicit QuantizedNetwork(const std::string& target_name, const RewriteOptions& wish = {},
                            const PlacementRequest& placement = {})
      : model(parse_model_text(test::fill_tensors(kNetwork))) {
    const Target& target = find_target(target_name);
    const PlacementPlan plan = make_placement_plan(model.graph(), target, placement);
    promised = promise_of(model.graph(), plan);
    std::map<ValueId, Range> ranges;
    float amax = 1;
    for (const ValueId value : plan.quantized_values()) ranges[value] = {-amax, amax += 0.5F};
    for (const auto& group : plan.scale_groups())
      for (const ValueId value : group) ranges[value] = ranges[group.front()];
    RewriteOptions options = wish;
    options.activation = target.activation;
    if (placement.type == CodeType::Fp8) options.activation.type = DataType::Float8E4M3FN;
    if (placement.type == CodeType::A16W8) options.activation.type = code_format(target.activation->type).wide;
    options.int32_bias = target.int32_bias();
    apply_patch(model, make_qdq_patch(model.graph(), plan, ranges, options).patch);
  }

  [[nodiscard]] const Graph& graph() const { return model.graph(); }
  [[nodiscard]] std::string reads(const std::string& output, size_t slot) const {
    return graph().value(*writer(output).input(slot)).name;
  }
  [[nodiscard]] const Node& writer(const std::string& output) const {
    return *graph().producer(*graph().find_value(output));
  }
  void apply(GraphPatch patch) { apply_patch(model, patch); }
  void rewire(const std::string& output, int slot, const std::string& value) {
    GraphPatch patch;
    patch.rewire.push_back({writer(output).name, slot, value});
    apply(patch);
  }
  void replace(const std::string& constant, Tensor tensor) {
    GraphPatch patch;
    patch.replace_constants.emplace_back(constant, std::move(tensor));
    apply(patch);
  }
  void set_axis(const std::string& output, int64_t axis) {
    GraphPatch patch;
    patch.set_attributes.push_back({writer(output).name, {"axis", axis}});
    apply(patch);
  }

  Model model;
  PromisedFile promised;
};

}  // namespace detent
