#include "prepare/prepare_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/files/dump.h"
#include "core/files/output_set.h"
#include "detent/base/error.h"
#include "exec/same_outputs.h"
#include "ops/traits.h"
#include "ops/value_types.h"
#include "prepare/attention_form.h"
#include "prepare/cancel_transposes.h"
#include "prepare/engine_forms.h"
#include "prepare/fit_opset.h"
#include "prepare/fold_batchnorm.h"
#include "prepare/fold_constants.h"
#include "prepare/fold_operators.h"
#include "prepare/lower_opset.h"
#include "prepare/plain_nodes.h"
#include "prepare/raise_opset.h"

namespace detent {

namespace {

/// The first opset with FP16 scales and with codes of float8e4m3fn. Source: ONNX docs/Changelog.md, QuantizeLinear-19.
constexpr int64_t kHalfScalesOpset = 19, kFp8Opset = 19;
/// The first opset with BFloat16 convolutions, pooling and others. Source: ONNX docs/Changelog.md, version 22.
constexpr int64_t kBFloat16Opset = 22;
/// The last opset at which every ONNX Runtime loads INT8 pairs. From 21 on its fusions copy a QuantizeLinear with
/// `output_dtype`, and releases 1.30 to 1.32 then make INT8 codes UINT8 in the zero point alone and refuse the model.
constexpr int64_t kInt8Opset = 20;

/// True when nodes compute with FP16 values. FP16 constants that Casts alone read are weights stored in half the bytes.
bool computes_in_half(const Graph& graph) {
  const ValueMap<DataType> types = value_types(graph);
  const auto casts = [&](const Use& use) {
    return use.slot >= 0 && traits_of(graph, graph.node(use.node)).kind == OpKind::Cast;
  };
  return std::ranges::any_of(graph.values(), [&](const Value& value) {
    const bool stored = value.is_constant && !value.is_output && std::ranges::all_of(value.uses, casts);
    return types[value.id] == DataType::Float16 && !stored;
  });
}

/// Returns the opset that FP8 codes and 16-bit floats need; 0 when there are neither, or FP16 values have FP32 scales.
int64_t types_opset(const Graph& graph, const PrepareOptions& options) {
  if (options.float_type == FloatType::Bf16) return kBFloat16Opset;
  if (options.fp8) return kFp8Opset;
  const bool half = options.float_type == FloatType::Fp16 || computes_in_half(graph);
  return options.half_scales && half ? kHalfScalesOpset : 0;
}

bool shapes_attention(const Graph& graph, const Target& target, const PrepareOptions& options) {
  return options.attention && !target.attention_kernels->empty() &&
         lacks_attention_form(graph, options.attention_pairs);
}

bool may_change(const Graph& graph, const Target& target, const PrepareOptions& options) {
  if (shapes_attention(graph, target, options) || (options.forms && lacks_forms(graph, target))) return true;
  if (graph.opset() < std::max(*target.engine.minimum_opset, types_opset(graph, options))) return true;
  if (options.int8 && graph.opset() > kInt8Opset) return true;
  if (const int64_t limit = opset_limit(target); limit > 0 && graph.opset() > limit) return true;
  return computes_constants(graph) || has_foldable_operators(graph) ||
         (options.forms && !cancel_transposes(graph).empty()) ||
         std::ranges::any_of(graph.nodes(), [](const Node& node) {
           return node.op_type == "BatchNormalization" || node.op_type == "Identity" || is_sum_of_two(node);
         });
}

/// Folds what follows from sizes that the graph fixes, which fixes others.
void fold_fixed_sizes(Model& model, const Target& target, Preparation& done) {
  constexpr int kMostRounds = 32;  // one a layer whose padding is computed
  for (int round = 0; round < kMostRounds && bring_into_form(model, target, OperatorForm::FixedSizes); ++round) {
    ++done.forms;
    done.folded_constants += fold_constants(model);
  }
}

}  // namespace

void raise_for(FloatType type, Model& model, bool pairs) {
  const int64_t opset = type == FloatType::Bf16 ? kBFloat16Opset : pairs ? kHalfScalesOpset : 0;
  if (model.graph().opset() < opset) raise_opset(model, opset);
}

Preparation prepare_model(Model& model, const Target& target, const PrepareOptions& options) {
  Preparation done;
  done.opset_before = model.graph().opset();
  if (done.opset_before < target.engine.minimum_opset) raise_opset(model, target.engine.minimum_opset);
  fit_opset(model, target);
  // Before FP16 values ask for an opset, and before weights behind Casts are folded.
  if (options.forms && bring_into_form(model, target, OperatorForm::Float32)) {
    ++done.forms;
    forward_empty_casts(model);
  }
  try {
    if (const int64_t opset = types_opset(model.graph(), options); model.graph().opset() < opset) {
      check_opset_limit(target, opset, "these types need");
      raise_opset(model, opset);
    }
  } catch (const Error& error) {
    if (options.float_type == FloatType::Bf16)
      throw Error(error.code(), std::string("BF16 needs opset 22: ") + error.what(), "--float-type fp16");
    if (options.fp8) throw Error(error.code(), std::string("FP8 needs opset 19: ") + error.what(), "--type int8");
    throw Error(error.code(), std::string("FP16 scales need opset 19: ") + error.what(),
                "--format scales=fp32 keeps opset " + std::to_string(model.graph().opset()));
  }
  if (options.int8 && options.float_type != FloatType::Bf16) lower_opset(model, kInt8Opset);
  done.forwarded_constants = forward_constants(model);
  forward_empty_dropouts(model);
  done.folded_constants = fold_constants(model);
  if (options.forms) fold_fixed_sizes(model, target, done);
  done.sums_of_two = make_adds_of_sums(model);
  if (options.forms) done.cancelled_transposes = cancel_transposes(model);
  done.folded_batchnorms = fold_batchnorms(model);
  done.folded_operators = fold_operators(model);
  leave_out_unread_states(model);
  if (options.forms) done.forms += bring_into_forms(model, target);
  if (shapes_attention(model.graph(), target, options))
    done.attention_nodes = shape_attention(model, options.attention_pairs);
  fit_opset(model, target);  // attention and forms may have operators of a newer one
  done.opset_after = model.graph().opset();
  if (dumps()) {
    const AtOnce now;
    write_model(model, next_dump("prepared.onnx"), {.joined = true});
  }
  return done;
}

Preparation prepare_checked(Model& model, const Target& target, std::span<const Tensor> inputs,
                            const PrepareOptions& options) {
  // Keeps the outputs, not the model, whose weights would be in memory twice.
  NamedOutputs before;
  if (!inputs.empty() && may_change(model.graph(), target, options)) before = outputs_of(model, inputs);
  std::optional<Model> unchanged;
  if (!inputs.empty() && options.forms && lacks_forms(model.graph(), target)) unchanged = model.clone();
  Preparation preparation = prepare_model(model, target, options);
  if (inputs.empty() || !preparation.changed()) return preparation;
  try {
    check_same_outputs(before, model, inputs, "folding and another opset");
  } catch (const Error& error) {
    if (!unchanged || preparation.forms == 0) throw;
    model = std::move(*unchanged);
    PrepareOptions plain = options;
    plain.forms = false;
    preparation = prepare_model(model, target, plain);
    preparation.forms_undone = error.what();
    if (preparation.changed()) check_same_outputs(before, model, inputs, "folding and another opset");
  }
  return preparation;
}

}  // namespace detent
