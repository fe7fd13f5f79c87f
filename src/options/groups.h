#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/calibrator.h"
#include "detent/options/accuracy_bound.h"
#include "detent/options/equalize_options.h"
#include "detent/options/external_data.h"
#include "detent/options/format_options.h"
#include "detent/options/latency_options.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "options/option.h"

namespace detent {

/// Options that several commands share. `required` applies to --data or --eval.

[[nodiscard]] OptionList data_options(DataOptions& data, bool required);
/// Returns --eval and --eval-limit. The samples are preprocessed like those of `data`.
[[nodiscard]] OptionList eval_options(DataOptions& eval, const DataOptions& data, bool required);
[[nodiscard]] Option next_token_option(bool& next_token);
[[nodiscard]] OptionList transcripts_options(std::filesystem::path& transcripts, std::filesystem::path& vocabulary);
/// Returns --detections.
[[nodiscard]] Option detections_option(RunSettings& run);
/// Returns --judged-outputs and --detections.
[[nodiscard]] OptionList judging_options(RunSettings& run);
/// Returns eval_options and the options of the task.
[[nodiscard]] OptionList evaluation_options(EvaluationOptions& evaluation, const DataOptions& data, bool required);
/// Returns --max-drop and --min-sqnr with evaluation_options.
[[nodiscard]] OptionList bound_options(AccuracyBound& bound, const DataOptions& data);
/// Options of a command that times files.
enum class LatencyUse : uint8_t {
  Searches,  ///< for the fastest file, with a table
  Compares
};
[[nodiscard]] OptionList latency_options(LatencyOptions& latency, LatencyUse use);
[[nodiscard]] Option latency_table_option(std::filesystem::path& table, std::string help, FileUse use);

[[nodiscard]] Option calibrator_option(std::string& calibrator);
[[nodiscard]] Option override_option(std::filesystem::path& file);
[[nodiscard]] Option outliers_option(OutlierPolicy& policy);

[[nodiscard]] Option target_option(std::string& target);
/// Adds the parts of a list with commas; none of "".
void add_parts(const std::string& list, std::vector<std::string>& parts);
/// Returns --target of a command that takes several. One alone goes into `target`, several into `targets`.
[[nodiscard]] OptionList target_options(std::string& target, std::vector<std::string>& targets);
[[nodiscard]] Option type_option(CodeType& type);
/// Returns the options that choose nodes by name and operator.
[[nodiscard]] OptionList node_options(NodeChoice& nodes);
/// Returns keys of --policy, and --scales, a key of --format.
[[nodiscard]] OptionList policy_options(PlacementOptions& placement);
/// Returns --type, node_options and policy_options.
[[nodiscard]] OptionList placement_options(PlacementOptions& placement);
[[nodiscard]] Option shape_option(std::map<std::string, std::vector<int64_t>>& shapes);

enum class CpuOption { Offered, NotOffered };
/// Returns the keys of --format with --activation, --cpu if it is offered, and --float-type.
[[nodiscard]] OptionList format_options(FormatOptions& format, CpuOption cpu);
/// Returns --activation, whose word `dynamic` sets the second argument.
[[nodiscard]] Option activation_option(std::optional<DataType>& activation, bool& dynamic);
[[nodiscard]] Option float_type_option(std::optional<FloatType>& type, std::string help);
[[nodiscard]] Option io_type_option(IoType& io);
[[nodiscard]] Option external_data_option(ExternalData& where);
/// Returns --block; 0 stands for a whole channel.
[[nodiscard]] Option block_option(int64_t& block);

[[nodiscard]] Option equalize_option(EqualizeOptions& options);
[[nodiscard]] Option bias_correction_option(EqualizeOptions& options);
[[nodiscard]] OptionList run_options(RunSettings& run);
/// Returns --time-limit.
[[nodiscard]] Option time_limit_option(RunSettings& run);
/// Returns --emulate exact|avx2, for a model that runs here.
[[nodiscard]] Option products_option(RunSettings& run);
/// Returns --isa; use_instruction_set() takes the choice.
[[nodiscard]] Option isa_option(std::string& isa);
/// Returns --max-memory, and with `model` --allow-external. Both apply to the process as soon as they are parsed.
[[nodiscard]] OptionList limit_options(bool model);

/// Refuses a mistyped name in "NAME[:ARG]". An unknown name that resembles none is left to the command, which lists the
/// calibrators.
void check_calibrator(const std::string& option, const std::string& text);

}  // namespace detent
