#pragma once

#include <map>
#include <string>

#include "model/model.h"

namespace onnx {
class ValueInfoProto;
}

namespace detent {

/// Declares the rank of a tensor, with open sizes, where the file declares no shape; libonnx refuses inputs and outputs
/// without one.
void declare_rank(onnx::ValueInfoProto& info, size_t rank);

/// Does so for the inputs of a model that have a rank here.
void declare_ranks(Model& model, const std::map<std::string, size_t>& ranks);

}  // namespace detent
