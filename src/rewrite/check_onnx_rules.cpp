#include "rewrite/check_onnx_rules.h"

#include <algorithm>
#include <set>

#include "detent/base/error.h"

namespace detent {

void check_onnx_rules(const Graph& written, const std::filesystem::path& path, std::span<const GraphFault> source,
                      Reporter& reporter) {
  std::set<std::string> told;
  for (const GraphFault& fault : find_graph_faults(written)) {
    const bool is_new = std::ranges::find(source, fault.where, &GraphFault::where) == source.end();
    if (is_new && !source.empty())
      throw Error(ErrorCode::InvalidModel,
                  "the model itself breaks a rule of ONNX: " + source.front().where + ": " + source.front().what,
                  "engines would refuse the written file, too: " + fault.where + ": " + fault.what);
    if (is_new)
      throw Error(ErrorCode::Internal,
                  path.string() + ": engines would refuse the file: " + fault.where + ": " + fault.what,
                  "this is a defect of Detent, not of the model; nothing was written");
    if (told.insert(fault.where).second)
      reporter.warn("the model itself breaks a rule of ONNX, and engines may refuse the written file: " + fault.where +
                    ": " + fault.what);
  }
}

}  // namespace detent
