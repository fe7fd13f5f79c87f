#pragma once

#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// Returns the outputs that models are judged by, in the graph's order: settings.judged_outputs, or if it is empty all
/// that feed no other file.
/// Errors  InvalidOption for a name that is no output; the message lists the outputs.
[[nodiscard]] std::vector<ValueId> judged_outputs(const Graph& graph, const RunSettings& settings);

/// Returns "judged by 'enh' alone, of 4 outputs"; "" where all outputs count.
/// Errors  those of judged_outputs.
[[nodiscard]] std::string judged_outputs_text(const Graph& graph, const RunSettings& settings);

/// Says which of judged_outputs() need a node that cannot run, and what is compared instead, in a sentence; empty where
/// all can run.
[[nodiscard]] std::string not_compared_text(const Graph& graph, const RunSettings& settings);

/// Returns the names of the values that a run of judged_outputs() ends with (RunnablePart::ends).
[[nodiscard]] std::vector<std::string> judged_ends(const Graph& graph, const RunSettings& settings);

/// Returns the values by which variants of a model are compared: its judged float outputs that can run, or where it has
/// none (a network that ends in ArgMax) the last float values before them. Runs the model on `inputs` to find them.
/// Empty   no judged output depends on a computed float value.
[[nodiscard]] std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs,
                                                         const RunSettings& settings);

/// The same on the first samples. Errors  those of reading them.
[[nodiscard]] std::vector<std::string> values_to_compare(const Model& model, const DataSource& samples,
                                                         const RunSettings& settings);

/// Returns `names` with the input of a Softmax in place of its output: near 0 and 1 a Softmax hides the errors of all
/// samples but the undecided ones, of which few samples may have none.
[[nodiscard]] std::vector<std::string> in_front_of_softmax(const Graph& graph, std::vector<std::string> names);

/// Returns values_to_compare().
/// Errors  InvalidOption when there are none.
[[nodiscard]] std::vector<std::string> comparable_values(const Model& model, std::span<const Tensor> inputs,
                                                         const RunSettings& settings);

/// Returns the values to run where outputs are judged too: judged_ends(), of any type, then the other values of
/// values_to_compare().
/// Errors  InvalidOption when no output can run; those of reading and running the first sample.
[[nodiscard]] std::vector<std::string> values_to_judge(const Model& model, const DataSource& samples,
                                                       const RunSettings& settings);

}  // namespace detent
