#include "pipeline/parts/stray_options.h"

#include <string>

#include "detent/base/error.h"

namespace detent {

namespace {

void refuse_without(const std::string& samples, bool given, const char* option) {
  if (given)
    throw Error(ErrorCode::Usage, std::string(option) + " applies to " + samples + ", which was not given",
                "give " + samples + ", or leave " + option + " away");
}

}  // namespace

void refuse_stray_options(const DataOptions& data, const DataOptions* eval, const RunSettings& run) {
  if (!data.given()) {
    refuse_without("--data", data.limit.has_value(), "--limit");
    refuse_without("--data", data.shuffle.has_value(), "--shuffle");
    refuse_without("--data", data.shard_count != 1, "--shard");
  }
  if (!data.given() && (!eval || !eval->given())) {
    refuse_without("--data", !data.preprocess.empty(), "--preprocess");
    refuse_without("--data", !data.batch_axes.empty(), "--batch-axis");
    refuse_without("--data", !data.padding_masks.empty(), "--mask");
    refuse_without("--data", run.skip_bad_data, "--skip-bad-data");
  }
  if (eval && !eval->given()) refuse_without("--eval", eval->limit.has_value(), "--eval-limit");
}

}  // namespace detent
