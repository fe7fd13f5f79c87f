#pragma once

#include <set>
#include <span>
#include <string>

#include "detent/base/data_source.h"
#include "detent/base/tensor.h"
#include "detent/options/run_settings.h"

namespace detent {

/// The data that equalization looks at. Looks at things that must outlive it.
struct EqualizeData {
  std::span<const Tensor> inputs;  ///< of one batch: shapes come from it, and every patch is checked on it
  const DataSource& source;  ///< channels are measured on 256 samples of it, those whose names have the smallest hash
  const DataSource&
      all;  ///< the model is calibrated with in the end; `source` may lack samples that ranges do not follow
  const RunSettings& settings;
  const std::set<std::string>& always;  ///< names of samples that are always among those that channels are measured on
};

}  // namespace detent
