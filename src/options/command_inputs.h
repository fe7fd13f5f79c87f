#pragma once

#include <vector>

#include "core/files/input_files.h"
#include "options/commands.h"

namespace detent {

/// Returns the files that the options of a command name as inputs, with the external data of models and the files of
/// lists.
[[nodiscard]] std::vector<InputFiles::Source> input_sources(const OptionList& list);

/// Protects the inputs of a command, whose options are of type Options, while the result lives. Every public function
/// that writes a file does so first.
template <class Options>
[[nodiscard]] InputFiles protect_inputs(Options options) {
  ReportOptions no_reports;
  return InputFiles(input_sources(options_of(options, no_reports)));
}

}  // namespace detent
