#pragma once

#include <string>
#include <vector>

#include "options/option.h"

namespace detent {

/// Adds to `list`, behind the last option with OptionTraits::key_of, the option of the command line that takes these as
/// KEY=VALUE: "--policy concat=inputs,maxpool=both". Its help names each key with its values, its default and its help.
[[nodiscard]] OptionList with_key_options(const OptionList& list);

/// Sets keys of `option` from "concat=inputs,maxpool=both". A key of a list may stand several times.
/// Errors  Usage for an unknown or repeated key and an unknown value, with the likely one as the hint.
void take_keys(const std::string& option, const std::vector<Option>& keys, const std::string& text);

/// Returns the keys of `option` with their current values: {"concat=inputs", "quantize-outputs=off"}. Keys without a
/// value are left out.
[[nodiscard]] std::vector<std::string> key_values(const OptionList& list, const std::string& option);

}  // namespace detent
