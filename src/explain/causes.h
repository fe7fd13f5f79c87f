#pragma once

#include <cstddef>
#include <optional>

#include "explain/cause.h"
#include "explain/engine_view.h"

namespace detent {

/// Returns the cause of a reformat, of a quantizer by itself, of a copy, and of an INT8 layer that writes floats, as
/// far as the engine's file tells; nothing for other layers.
[[nodiscard]] std::optional<Cause> cause_of(const EngineView& view, size_t layer);

}  // namespace detent
