#include "prepare/read_model_to_run.h"

#include "detent/base/error.h"
#include "model/qoperators.h"
#include "ops/check_signatures.h"
#include "prepare/inline_branches.h"
#include "prepare/inline_functions.h"
#include "prepare/plain_nodes.h"

namespace detent {

Model read_runnable_model(const std::filesystem::path& path) {
  Model model = read_model(path);
  try {
    inline_functions(model);
    check_signatures(model.graph());
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return model;
}

Model read_float_model(const std::filesystem::path& path) {
  Model model = read_runnable_model(path);
  if (is_quantized(model.graph()))
    throw Error(ErrorCode::InvalidModel,
                path.string() +
                    ": the model is already quantized (it holds QuantizeLinear, DequantizeLinear or "
                    "integer operators)",
                "quantize the float model it was made from");
  inline_branches(model);
  replace_cast_likes(model);
  return model;
}

}  // namespace detent
