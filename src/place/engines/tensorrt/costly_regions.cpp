// Layers in a chain of INT8 ones stay float where their quantizers and copies cost more than INT8 gains.
//
//   before:   Relu --> Q/DQ --> 1x1 Conv --> grouped Conv (float) --> Q/DQ --> 1x1 Conv
//   after:    Relu --> 1x1 Conv --> grouped Conv --> 1x1 Conv
//
// * Decides: layers that pass codes on to each other are a region. All its layers stay float if the region takes longer
//   with its pairs than in FP16 by more than the error of the estimate of `plan` (estimate.cpp). Batches that the model
//   leaves open count as 64. A plan without sizes keeps all regions.
// * Why: a float layer between INT8 ones reads 32-bit floats that are copied, and a quantizer behind it is a kernel by
//   itself. With many such borders a network is slower in INT8 than in FP16.
// * Change it: `--include` and `--policy include-op` win over it; `--policy small-layers=quantize` turns it off.
// * Source: milliseconds of networks on an H200, tests/engines/tensorrt/networks.csv.
// * Networks: RegNetX-1.6GF (groups of 24 channels, which TensorRT does not build in INT8).

#include <fmt/core.h>

#include <algorithm>

#include "place/engines/tensorrt/estimate.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

constexpr int64_t kBatch = 64;

/// Returns by how much a batch of kBatch is larger than that of the sizes; 1 where the model fixes its batch.
double batch_factor(const GraphFacts& facts) {
  for (const ValueId input : facts.graph().inputs()) {
    const Shape* shape = facts.find_shape(input);
    const auto& declared = facts.value(input).declared_shape;
    if (!shape || shape->rank() == 0 || !declared || declared->empty() || declared->front() >= 0) continue;
    return std::max(1.0, static_cast<double>(kBatch) / static_cast<double>(std::max<int64_t>(1, (*shape)[0])));
  }
  return 1;
}

void find_costly_regions(const PlacementDraft& draft, LayersKeptOut& kept) {
  const GraphFacts& facts = draft.facts();
  const PlacementRequest& options = draft.options();
  if (!facts.shapes() || facts.shapes()->empty() || options.type != CodeType::Int8 ||
      options.small_layers == PlacementOptions::SmallLayers::Quantize)
    return;
  PlacementDraft finished = draft;
  const PlacementPlan plan = finished.finish(*facts.shapes());
  const double batch = batch_factor(facts);
  for (const detent::tensorrt::CodeRegion& region :
       detent::tensorrt::code_regions(plan, facts.graph(), *facts.shapes())) {
    const double cost = detent::tensorrt::cost_of_codes(region, batch);
    if (!(cost > 1 + detent::tensorrt::kEstimateError)) continue;
    for (const NodeId layer : region.layers)
      if (!draft.is_forced(layer))
        kept.emplace(layer, fmt::format("quantizers and copies around {} cost more than INT8 gains: {:.2f} times the "
                                        "time in FP16 (estimate for an H200)",
                                        region.layers.size() == 1 ? "it" : "its region", cost));
  }
}

}  // namespace

constinit const Rule kCostlyRegions{.name = {"R24", "region"}, .review = find_costly_regions, .of_run = true};

}  // namespace detent::rules::tensorrt
