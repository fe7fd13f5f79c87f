#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"

namespace detent {

/// Refuses options that say how samples are read or chosen where there are none that they could apply to.
/// eval  other samples, preprocessed as `data` is; nullptr: the command takes none.
/// Errors  Usage naming the option.
void refuse_stray_options(const DataOptions& data, const DataOptions* eval, const RunSettings& run);

}  // namespace detent
