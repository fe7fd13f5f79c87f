#pragma once

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/saturation.h"
#include "rewrite/rewrite.h"

namespace detent {

/// The input of add_verdict(). Its members must outlive it.
struct VerdictGrounds {
  WorseArithmetic worse;                ///< its closing error; absent: not measured
  const DataSource* samples = nullptr;  ///< of the closing error; not null where there is one
  size_t calibrated_with = 0;           ///< number of them that are calibration samples
  const Chosen& chosen;
  const Measured& measured;         ///< what `chosen` was chosen from
  std::vector<std::string> unseen;  ///< JudgedFacts::unseen
};

/// Returns the values with a pair whose range is 0, which means that they were 0 in every calibration sample. Constants
/// and their copies need no sample.
[[nodiscard]] std::vector<std::string> unseen_values(const Graph& graph, const Rewrite& rewrite);

/// Fills the report's verdict from the closing error. Unless it is good, finds the values that cost most, on a few
/// samples with the float model read again, and lists cures; of an unknown one the nodes that decide extents. A good
/// model for TensorRT that has little in INT8 gets a note about FP16 alone. The model of `prepared` was taken before.
void add_verdict(QuantizeReport& report, const QuantizeOptions& options, Prepared& prepared,
                 const VerdictGrounds& grounds);

/// Makes the verdict unknown, unless it is broken, where the float model is fed wrongly: what it answers then tells
/// nothing of the file.
void judge_input(VerdictReport& verdict, const InputCheckReport& check);

}  // namespace detent
