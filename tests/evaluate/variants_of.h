#pragma once

#include <memory>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/options/run_settings.h"
#include "exec/find_shapes.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"
#include "rewrite/format_options.h"
#include "rewrite/rewrite.h"
#include "run/model_inputs.h"
#include "tune/float_variants.h"

namespace detent::test {

/// A float model with variants that differ in the nodes that stay float, calibrated on `source` with `max`.
struct VariantsOf {
  VariantsOf(const Model& float_model, const DataSource& data, const std::string& target_name,
             PlacementRequest placement = {})
      : model(float_model), source(data), target(find_target(target_name)),
        format(rewrite_options({}, placement, target)), calibrator(make_calibrator("max")),
        shapes(find_shapes(model.graph(), read_first_inputs(data, settings))),
        plan(make_placement_plan(model.graph(), target, placement, shapes)),
        ranges(measure(plan.quantized_values()), {model.graph(), *calibrator, overrides, format.range_kind(), 2},
               [this](std::span<const ValueId> values) {
                 ++extra_passes;
                 return measure(values);
               }),
        variants(model, target, placement, shapes, format, ranges) {}

  [[nodiscard]] Calibration measure(std::span<const ValueId> values) const {
    return calibrate(model.graph(), values, source, settings);
  }
  [[nodiscard]] const FloatChoice& choice(const std::string& node) const {
    for (const FloatChoice& one : variants.choices())
      if (model.graph().node(one.node).name == node) return one;
    throw Error(ErrorCode::Internal, node + " is no choice");
  }

  const Model& model;
  const DataSource& source;
  RunSettings settings;
  const Target& target;
  RewriteOptions format;
  std::unique_ptr<Calibrator> calibrator;
  RangeOverrides overrides;
  ValueShapes shapes;
  PlacementPlan plan;
  int extra_passes = 0;
  RangeBook ranges;
  PairVariants variants;
};

}  // namespace detent::test
