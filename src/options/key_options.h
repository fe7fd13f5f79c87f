#pragma once

#include <string>
#include <vector>

#include "options/option.h"

namespace detent {

/// Adds to `list`, behind the last option with OptionTraits::key_of, the option of the command line that takes these as
/// KEY=VALUE: "--policy concat=inputs,maxpool=both". The first paragraph of its help has each key with its values, the
/// lines below it their help and defaults.
[[nodiscard]] OptionList with_key_options(const OptionList& list);

/// Sets keys of `option` from "concat=inputs,maxpool=both". A key of a list may stand several times.
/// Errors  Usage for an unknown or repeated key, and for an empty or invalid value, with the likely one as the hint.
void take_keys(const std::string& option, const std::vector<Option>& keys, const std::string& text);

/// Sets the member of an option that has a kind which keys have.
/// Errors  Usage for an invalid value; Internal for other kinds.
void take_text(const Option& option, const std::string& text);

/// Returns the values of a key in "concat=inputs,maxpool=both"; none where it is missing.
[[nodiscard]] std::vector<std::string> values_of_key(const std::string& text, const std::string& key);

/// Returns the keys of `option` with their current values: {"concat=inputs", "quantize-outputs=off"}. Left out are keys
/// without a value and those that keep their names as options.
[[nodiscard]] std::vector<std::string> key_values(const OptionList& list, const std::string& option);

}  // namespace detent
