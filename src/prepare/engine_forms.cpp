#include "prepare/engine_forms.h"

#include <algorithm>

#include "detent/base/error.h"
#include "prepare/fit_opset.h"
#include "prepare/forms/forms.h"
#include "prepare/raise_opset.h"

namespace detent {

namespace {

/// The first opset with Gelu. Source: ONNX docs/Changelog.md, Gelu-20.
constexpr int64_t kGeluOpset = 20;

using MakePatch = GraphPatch (*)(const Graph&);

MakePatch patch_for(OperatorForm form) {
  switch (form) {
    case OperatorForm::Float32: return forms::float32;
    case OperatorForm::FiniteMasks: return forms::finite_masks;
    case OperatorForm::NearMasks: return forms::near_masks;
    case OperatorForm::DefaultActivations: return forms::default_activations;
    case OperatorForm::GeluOperator: return forms::gelu_operator;
    case OperatorForm::BoundedActivations: return forms::bounded_activations;
    case OperatorForm::DivisionOfOne: return forms::division_of_one;
    case OperatorForm::DifferenceOfNumber: return forms::difference_of_number;
    case OperatorForm::SumOfProducts: return forms::sum_of_products;
    case OperatorForm::RemainderByDivision: return forms::remainder_by_division;
    case OperatorForm::OperandsInPairs: return forms::operands_in_pairs;
    case OperatorForm::MaximumOfNumber: return forms::maximum_of_number;
    case OperatorForm::PlainAverages: return forms::plain_averages;
    case OperatorForm::EarlyStrides: return forms::early_strides;
    case OperatorForm::NeutralStatistics: return forms::neutral_statistics;
    case OperatorForm::PlanePooling: return forms::plane_pooling;
    case OperatorForm::MatrixProduct: return forms::matrix_product;
    case OperatorForm::PlainGemm: return forms::plain_gemm;
    case OperatorForm::FixedSizes: return forms::fixed_sizes;
    case OperatorForm::BatchFirst: return forms::batch_first;
    case OperatorForm::FlatMlps: return forms::flat_mlps;
    case OperatorForm::ShuffleProducts: return forms::shuffle_products;
    case OperatorForm::ExplicitNorms: return forms::explicit_norms;
    case OperatorForm::NarrowStrides: return forms::narrow_strides;
    case OperatorForm::SignalPatches: return forms::signal_patches;
    case OperatorForm::NarrowWindows: return forms::narrow_windows;
    case OperatorForm::MaskedScores: return forms::masked_scores;
    case OperatorForm::NonzeroBiases: return forms::nonzero_biases;
    case OperatorForm::ReducedPlanes: return forms::reduced_planes;
    case OperatorForm::LastSteps: return forms::last_steps;
    case OperatorForm::OutputsApart: return forms::outputs_apart;
    case OperatorForm::NamedOutputs: return forms::named_outputs;
    case OperatorForm::FocusConvs: return forms::focus_convs;
    case OperatorForm::ConvPerOperand: return forms::conv_per_operand;
    case OperatorForm::PlainDeconvolution: return forms::plain_deconvolution;
  }
  throw Error(ErrorCode::Internal, "an operator form has no change");
}

/// True for a form of the engine that the version reads.
bool wants(const Target& target, OperatorForm form) {
  const int64_t limit = opset_limit(target);
  if (form == OperatorForm::GeluOperator && limit > 0 && limit < kGeluOpset) return false;
  return std::ranges::find(*target.engine.forms, form) != target.engine.forms->end();
}

/// Raises the opset for Gelu. Returns false, with the model unchanged, where an operator has no adapter.
bool raise_for_gelu(Model& model) {
  if (model.graph().opset() >= kGeluOpset) return true;
  try {
    raise_opset(model, kGeluOpset);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Unsupported) throw;
    return false;
  }
  return true;
}

}  // namespace

bool bring_into_form(Model& model, const Target& target, OperatorForm form) {
  if (!wants(target, form)) return false;
  const MakePatch make = patch_for(form);
  GraphPatch patch = make(model.graph());
  if (patch.empty()) return false;
  if (form == OperatorForm::GeluOperator) {
    if (!raise_for_gelu(model)) return false;
    patch = make(model.graph());
  }
  apply_patch(model, patch);
  return true;
}

size_t bring_into_forms(Model& model, const Target& target) {
  return static_cast<size_t>(std::ranges::count_if(
      *target.engine.forms, [&](OperatorForm form) { return bring_into_form(model, target, form); }));
}

bool lacks_forms(const Graph& graph, const Target& target) {
  return std::ranges::any_of(*target.engine.forms,
                             [&](OperatorForm form) { return wants(target, form) && !patch_for(form)(graph).empty(); });
}

}  // namespace detent
