#pragma once

#include <memory>
#include <optional>
#include <span>

#include "detent/data_source.h"
#include "detent/float_types.h"
#include "detent/format_options.h"
#include "detent/run_settings.h"
#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "place/targets/target.h"

namespace detent {

/// A prepared model whose nodes compute in a 16-bit float type, and what that was decided with.
struct HalfSetup {
  FloatFormat format;
  ValueReaches reaches;  ///< by id of the float model's graph
  FloatReport report;
  ForcedFloat32 forced;                  ///< nodes that a bound keeps in FP32
  std::shared_ptr<const Model> float32;  ///< what errors are measured against
  std::shared_ptr<const Model> before;   ///< the prepared model as it was: what values are measured in
};

/// The type that the options ask for, or the target's default.
[[nodiscard]] FloatType float_type_of(const FormatOptions& format, const Target& target);

/// Lets `model` compute in `type`; graph inputs and outputs keep their types.
/// reference  the model that errors are measured against, or `model` itself; both are copied.
/// reaches    of the values of `model`.
[[nodiscard]] HalfSetup set_up_half(Model& model, const Model& reference, FloatType type, ValueReaches reaches);

/// By value of a model's half form: the value of the model as it was whose numbers it carries. It has the same name, or Casts lie
/// between them. None for constants and for integers that only the half form has.
[[nodiscard]] std::map<ValueId, ValueId> values_before(const Graph& half, const Graph& before,
                                                       std::span<const ValueId> values);

/// What `cast` does: raises the opset where the type needs it, measures what every float value reaches, lets `model` compute in
/// `type`. Errors  those of raising and running.
FloatReport cast_nodes(Model& model, FloatType type, const DataSource& source, const RunSettings& run);

/// The same where nothing is measured: only operators, constants and structure keep nodes in FP32.
/// inputs  one tensor per graph input, of any content
/// Errors  those of running.
[[nodiscard]] FloatReport plan_half(Model& model, FloatType type, std::span<const Tensor> inputs);

/// Bytes that the coverage of `plan` counts for graph inputs that are FP32 in `graph` and get the 16-bit type by narrow_io().
/// Inputs without a shape count 0.
[[nodiscard]] int64_t narrowed_input_bytes(const Graph& graph, const PlacementPlan& plan, const FloatFormat& format,
                                           const ValueShapes& shapes);

/// Does what set_up_half did to a model that was read and prepared again.
void repeat_half(Model& model, const HalfSetup& half);

}  // namespace detent
