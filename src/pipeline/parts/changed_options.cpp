#include "pipeline/parts/changed_options.h"

#include <string_view>

#include "core/text.h"
#include "options/groups.h"
#include "rewrite/format_options.h"

namespace detent {

namespace {

struct List : std::vector<std::pair<std::string, std::string>> {
  void add_if(bool differs, std::string_view name, std::string_view value) {
    if (differs) emplace_back(name, value);
  }
  void add_changed(const OptionList& options, const OptionList& usual) {
    for (auto& entry : changed(options, usual)) push_back(std::move(entry));
  }
};

/// The format of a file as options that would give it.
FormatOptions format_of(const RewriteOptions& made, FloatType float_type, IoType io) {
  using Wanted = FormatOptions::WeightRange;
  return {.int8_weights = made.int8_weights,
          .weight_range = made.weight_range == WeightRange::Mse ? Wanted::Mse : Wanted::Max,
          .weight_bits = made.weight_bits,
          .per_tensor = made.per_tensor_weights,
          .uint8_activations = made.activation.type == DataType::UInt8,
          .full_range = made.activation.full_range,
          .int32_bias = made.int32_bias,
          .cpu = made.saturation == RewriteOptions::Saturation::Accepted ? std::optional(Cpu::Vnni) : std::nullopt,
          .float_type = float_type,
          .io = float_type == FloatType::Fp32 ? IoType::Keep : io};
}

void add_format(List& list, const DecidingOptions& options, const Prepared& setup) {
  const Target& target = *setup.recipe.target;
  PlacementOptions placement;
  placement.type = options.placement.type;
  FormatOptions made = format_of(setup.recipe.format, float_type_of(options.format, target), options.format.io);
  FormatOptions usual = format_of(rewrite_options({}, placement, target), target.float_type, IoType::Keep);
  list.add_changed(format_options(made, CpuOption::Offered), format_options(usual, CpuOption::Offered));
}

void add_equalization(List& list, const EqualizeOptions& given, const Prepared& setup, bool best) {
  // The best level equalizes by "auto" unless told otherwise; a table says itself how it was equalized.
  list.add_if(best && !setup.table && given.equalize == "off", "equalize", "off");
  if (!setup.equalized) return;
  const std::string requested = setup.table ? setup.table->equalize : setup.equalized->report.requested;
  const bool implied = best && !setup.table && requested == "auto";
  list.add_if(!setup.equalized->equalization.values.empty() && !implied, "equalize", requested);
}

/// "--min-sqnr 34" as the list has it.
void add_bound(List& list, const BoundReport* bound) {
  if (!bound || bound->kept.empty()) return;
  const size_t space = bound->bound.find(' ');
  list.emplace_back(bound->bound.substr(2, space - 2), bound->bound.substr(space + 1));
}

}  // namespace

std::string changed_options(const DecidingOptions& options, const Prepared& setup) {
  List list;
  PlacementOptions placement = options.placement, usual;
  list.add_changed(placement_options(placement), placement_options(usual));
  add_format(list, options, setup);
  const bool best = options.accuracy == Accuracy::Best && setup.data != nullptr;
  add_equalization(list, options.equalize, setup, best);
  list.add_if(best, "accuracy", "best");
  list.add_if(options.outliers != OutlierPolicy::Clip, "outliers", name_of(options.outliers));
  list.add_if(options.biases_corrected && !best, "bias-correction", "on");
  list.add_if(best && options.equalize.bias_correction == false, "bias-correction", "off");
  add_bound(list, options.bound);
  list.add_if(!setup.recipe.overrides.empty(), "override", "FILE of " + plural(setup.recipe.overrides.size(), "value"));
  return join(list, "; ", [](const auto& entry) { return entry.first + "=" + entry.second; });
}

}  // namespace detent
