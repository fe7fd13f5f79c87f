#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/model.h"

namespace detent {

/// Who made a model, and what they noted about it.
struct ModelOrigin {
  std::string producer_name, producer_version;
  std::map<std::string, std::string> metadata;
};

/// Of a key that stands twice the last counts.
[[nodiscard]] ModelOrigin origin_of(const Model& model);

/// "pytorch 2.1"; empty when the model names no producer.
[[nodiscard]] std::string producer_of(const Model& model);

/// Replaces the producer and all metadata whose key begins with `own`; other metadata stays as it is, in its order.
void set_origin(Model& model, const ModelOrigin& origin, std::string_view own);

}  // namespace detent
