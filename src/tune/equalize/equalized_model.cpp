#include "tune/equalize/equalized_model.h"

#include "tune/equalize/absorb_biases.h"

namespace detent {

std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                    std::span<const Tensor> inputs, const DataSource& source,
                                                    const FactorOptions& options, const JudgeOptions& judged) {
  if (!request.asks()) return std::nullopt;
  EqualizedModel evened;
  evened.report.requested = "off";
  Absorption absorption;
  if (request.absorbs()) {
    absorption = absorb_biases(model, inputs, source, judged.run, make_fold_judge(model, judged));
    evened.original = std::move(absorption.original);
  }
  if (request.equalizes()) {
    const Model& reference = evened.original ? *evened.original : model;
    EqualizeOutcome outcome =
        equalize_model(model, request, {inputs, source, judged.run}, options, make_fold_judge(reference, judged));
    evened.equalization = std::move(outcome.equalization);
    evened.report = std::move(outcome.report);
  }
  evened.equalization.shifts = std::move(absorption.shifts);
  if (request.absorbs()) evened.report.absorbed = std::move(absorption.report);
  return evened;
}

const Model& reference_of(const Model& model, const std::optional<EqualizedModel>& evened) {
  return evened && evened->original ? *evened->original : model;
}

}  // namespace detent
