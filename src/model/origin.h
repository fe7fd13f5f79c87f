#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/model.h"

namespace detent {

/// The producer of a model, and its metadata.
struct ModelOrigin {
  std::string producer_name, producer_version;
  std::map<std::string, std::string> metadata;
};

/// Returns the origin; of a repeated key the last entry counts.
[[nodiscard]] ModelOrigin origin_of(const Model& model);

/// Returns "pytorch 2.1"; empty when the model names no producer.
[[nodiscard]] std::string producer_of(const Model& model);

/// Replaces the producer and all metadata whose key begins with `own`; other metadata stays, in its order.
void set_origin(Model& model, const ModelOrigin& origin, std::string_view own);

}  // namespace detent
