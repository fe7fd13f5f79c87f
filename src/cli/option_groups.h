#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/calibrator.h"
#include "detent/equalize_options.h"
#include "detent/evaluation_options.h"
#include "detent/external_data.h"
#include "detent/format_options.h"
#include "detent/placement_options.h"
#include "detent/run_settings.h"

namespace detent::cli {

/// Options that several commands share. Each function declares them on `app`; values land in the struct when the
/// function it returns is called after parsing.
/// Errors (from the returned function)  Usage for text that does not parse.
using Collect = std::function<void()>;

enum class Need { Optional, Required };

[[nodiscard]] Collect add_data_options(CLI::App& app, DataOptions& data, Need need);
/// --eval and --eval-limit. Samples are preprocessed as those of `data`.
[[nodiscard]] Collect add_eval_options(CLI::App& app, DataOptions& eval, const DataOptions& data, Need need);
/// --next-token.
void add_next_token_flag(CLI::App& app, bool& next_token);
/// --eval, --eval-limit, --labels, --masks, --next-token, --metric-command. Samples are preprocessed as those of `data`.
[[nodiscard]] Collect add_evaluation_options(CLI::App& app, EvaluationOptions& evaluation, const DataOptions& data,
                                             Need need);
/// --calibrator and --override.
void add_calibrator_options(CLI::App& app, std::string& calibrator, std::filesystem::path& override_file);
/// --outliers.
void add_outlier_option(CLI::App& app, OutlierPolicy& policy);
[[nodiscard]] Collect add_run_options(CLI::App& app, RunSettings& run);
/// --target, --type and the policies.
[[nodiscard]] Collect add_placement_options(CLI::App& app, std::string& target, PlacementOptions& placement);
/// --shape NAME=1,3,224,224, repeatable.
[[nodiscard]] Collect add_shape_option(CLI::App& app, std::map<std::string, std::vector<int64_t>>& shapes);
/// --io-type.
void add_io_type_option(CLI::App& app, IoType& io);
/// --external-data.
void add_external_data_option(CLI::App& app, ExternalData& where);
/// --float-type, with this help.
[[nodiscard]] Collect add_float_type_option(CLI::App& app, std::optional<FloatType>& type, const std::string& help);
[[nodiscard]] Collect add_format_options(CLI::App& app, FormatOptions& format);
/// --cpu any|vnni, of a file that is written.
[[nodiscard]] Collect add_cpu_option(CLI::App& app, std::optional<Cpu>& cpu);
/// --cpu exact|avx2, of a model that runs here.
void add_products_option(CLI::App& app, RunSettings& run);
/// --activation alone, for commands that write no file.
[[nodiscard]] Collect add_activation_option(CLI::App& app, std::optional<bool>& uint8_activations);
/// --equalize; where ranges are chosen --bias-correction too.
enum class BiasCorrection { Offered, NotOffered };
[[nodiscard]] Collect add_equalize_options(CLI::App& app, EqualizeOptions& options, BiasCorrection correction);

/// Errors  Usage: "--concat: 'x' is not one of inputs, shared", with the name that was meant as the hint.
[[noreturn]] void refuse_choice(const std::string& option, const std::string& given,
                                const std::vector<std::string>& names);

/// Refuses a mistyped name in "NAME[:ARG]" of an option that takes a calibrator, as refuse_choice does; names that are like none
/// are left to the command, which lists what each calibrator does.
[[nodiscard]] CLI::Validator known_calibrator(const std::string& option);

/// A count: a whole number, no smaller than `least`.
[[nodiscard]] CLI::Validator count_from(int64_t least);

/// A finite number from `least` to `most`: NaN, which lies in no range, compares as if it did.
[[nodiscard]] CLI::Validator number_from(double least, double most);

/// An option that takes one of the names of an enumeration.
template <class Enum>
void add_choice(CLI::App& app, const std::string& name, Enum& value, std::map<std::string, Enum> names,
                const std::string& help, const std::string& group = "Placement") {
  std::string choices;
  for (const auto& [text, ignored] : names) choices += (choices.empty() ? "" : "|") + text;
  std::string current;
  for (const auto& [text, meaning] : names)
    if (meaning == value) current = text;
  app.add_option_function<std::string>(
         name,
         [&value, names, name](const std::string& text) {
           const auto found = names.find(text);
           if (found == names.end()) {
             std::vector<std::string> known;
             for (const auto& [key, ignored] : names) known.push_back(key);
             refuse_choice(name, text, known);
           }
           value = found->second;
         },
         help)
      ->type_name(choices)
      ->default_str(current)
      ->group(group);
}

}  // namespace detent::cli
