#include "lint/view/finding.h"

#include <algorithm>
#include <array>

namespace detent {
namespace {

/// A kind of finding that concerns OpenVINO whatever its device.
struct OpenVinoLevel {
  std::string_view id;
  FindingLevel level;
};

constexpr std::array kOpenVinoLevels{
    OpenVinoLevel{"scale-not-constant", FindingLevel::Error},
    OpenVinoLevel{"scale-not-positive", FindingLevel::Error},
    OpenVinoLevel{"codes-not-8-bit", FindingLevel::Warning},
    OpenVinoLevel{"fp8-refused-by-engine", FindingLevel::Error},
    OpenVinoLevel{"fp8-on-float-operator", FindingLevel::Warning},
    OpenVinoLevel{"missing-axis", FindingLevel::Error},
    OpenVinoLevel{"wrong-axis", FindingLevel::Error},
    OpenVinoLevel{"q-and-dq-differ", FindingLevel::Error},
    OpenVinoLevel{"q-without-dq", FindingLevel::Error},
    OpenVinoLevel{"cast-between-q-and-dq", FindingLevel::Warning},
    OpenVinoLevel{"weight-without-dq", FindingLevel::Error},
    OpenVinoLevel{"pair-between-conv-and-activation", FindingLevel::Warning},
    OpenVinoLevel{"coarse-scores", FindingLevel::Warning},
    OpenVinoLevel{"copy-scales-differ", FindingLevel::Warning},
    OpenVinoLevel{"float-island", FindingLevel::Warning},
    OpenVinoLevel{"layer-left-float", FindingLevel::Warning},
    OpenVinoLevel{"layer-float-on-purpose", FindingLevel::Note},
    OpenVinoLevel{"layer-float-by-rule", FindingLevel::Note},
    OpenVinoLevel{"product-left-float", FindingLevel::Note},
};

}  // namespace

std::optional<FindingLevel> openvino_level(std::string_view id, const Target& target) {
  if (id == "concat-scales-differ" && target.concat_shares_scale) return FindingLevel::Warning;
  if (id == "saturates-without-vnni" && target.saturates_without_vnni) return FindingLevel::Warning;
  const auto found = std::ranges::find(kOpenVinoLevels, id, &OpenVinoLevel::id);
  return found == kOpenVinoLevels.end() ? std::nullopt : std::optional(found->level);
}

}  // namespace detent
