#include "options/command_inputs.h"

#include <filesystem>
#include <string>
#include <utility>
#include <variant>

#include "detent/base/input_files.h"

namespace detent {

std::vector<InputFiles::Source> input_sources(const OptionList& list) {
  std::vector<InputFiles::Source> sources;
  for (const Option& option : list.options) {
    const bool is_model = option.traits.file == FileUse::ReadsModel;
    if (!is_model && option.traits.file != FileUse::Reads) continue;
    const bool is_data = std::holds_alternative<DataOptions*>(option.into);
    for (std::string& value : values_of(option)) {
      const auto find = [is_model, is_data, value = std::move(value)]() -> std::vector<std::filesystem::path> {
        return is_model  ? files_of_model(value)
               : is_data ? files_of_data(value)
                         : std::vector{std::filesystem::path(value)};
      };
      sources.push_back({option.long_name(), find});
    }
  }
  return sources;
}

}  // namespace detent
