#pragma once

#include <cstdlib>
#include <filesystem>

namespace detent {

/// Real models, images and reference numbers: DETENT_SHARED, or the folder beside the checkout. It need not exist:
/// tests skip then, by name.
inline std::filesystem::path shared_folder() {
  const char* named = std::getenv("DETENT_SHARED");
  return named ? named : DETENT_SHARED_DEFAULT;
}

}  // namespace detent
