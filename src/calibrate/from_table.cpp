#include "calibrate/from_table.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "detent/base/error.h"
#include "detent/base/version.h"
#include "exec/runnable_part.h"
#include "ops/traits.h"
#include "ops/versions.h"
#include "place/draft/quantizable_values.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"

namespace detent {

namespace {

/// Returns the values of the table that share a scale in the default placement.
std::vector<std::vector<std::string>> default_groups(const Graph& prepared, const CalibrationTable& table) {
  std::vector<std::vector<std::string>> groups;
  const PlacementPlan plan = make_placement_plan(prepared, default_target(), {});
  for (const std::vector<ValueId>& group : plan.scale_groups()) {
    std::vector<std::string> names = names_of(prepared, group);
    std::erase_if(names, [&](const std::string& name) { return !table.values.contains(name); });
    std::ranges::sort(names);
    if (names.size() > 1) groups.push_back(std::move(names));
  }
  std::ranges::sort(groups);
  return groups;
}

std::string lacking(const std::vector<std::string>& names) {
  return listed(names, 5, [](const std::string& name) { return "'" + name + "'"; });
}

/// Returns the value of the table whose numbers hold those of a value that an engine's form of operators added: what it
/// copies, or what a Concat makes of it; the value itself where the table has it. kNoValue: there is none.
MaybeValue measured_for(const CalibrationTable& table, const Graph& prepared, ValueId value) {
  const auto is_there = [&](MaybeValue one) { return one && table.values.contains(prepared.value(*one).name); };
  MaybeValue copied = value;
  while (!is_there(copied)) {
    const Node* copy = copied ? prepared.producer(*copied) : nullptr;
    if (!copy || !keeps_elements(traits_of(prepared, *copy))) break;
    copied = copy->input(0);
  }
  if (is_there(copied)) return copied;
  const auto& uses = prepared.value(value).uses;
  if (uses.size() != 1 || uses.front().slot < 0) return kNoValue;
  const Node& reader = prepared.node(uses.front().node);
  return reader.op_type == "Concat" && is_there(reader.output(0)) ? reader.output(0) : kNoValue;
}

const char* way_out(const CalibrationTable& table) {
  if (table.imported()) return "quantize with --data instead, or leave the nodes that read them float with --exclude";
  if (!table.targets.empty()) return "calibrate with the same --target and placement options, or without --target";
  return "calibrate again with this version and the --target to quantize for, whose forms of operators may have other "
         "values";
}

}  // namespace

CalibrationTable make_table(const std::string& fingerprint, const Graph& prepared, std::span<const ValueId> values,
                            std::span<const ValueId> reached) {
  CalibrationTable table;
  table.model = fingerprint;
  table.tools = {tool_version()};
  table.instruction_sets = {instruction_set()};
  for (const ValueId value : values) table.values[prepared.value(value).name];
  for (const ValueId value : reached) table.reaches[prepared.value(value).name];
  for (const ValueId value : values_with_tokens(prepared, values)) table.tokens[prepared.value(value).name];
  table.groups = default_groups(prepared, table);
  return table;
}

std::vector<ValueId> values_to_measure(const Graph& prepared, std::span<const std::string> targets,
                                       const PlacementOptions& placement) {
  const RunnablePart runnable(prepared);
  std::set<ValueId> values;
  const auto add = [&](const PlacementRequest& request, const Target& target) {
    for (const ValueId value : make_placement_plan(prepared, target, request).quantized_values())
      if (!prepared.constant(value) && runnable.can_run(value)) values.insert(value);
  };
  for (const std::string& spec : targets) {
    const Target& target = find_target(spec);
    if (placement.type != CodeType::Int8) add({placement}, target);
    if (placement.type == CodeType::Int8)
      for (const ActivationType& activation : *target.activation_types)
        add(with_activation({placement}, activation.type, target), target);
  }
  if (!targets.empty()) return {values.begin(), values.end()};
  for (const ValueId value : quantizable_values(prepared))
    if (runnable.can_run(value)) values.insert(value);
  return {values.begin(), values.end()};
}

CalibrationTable read_table_of(const std::filesystem::path& path, const std::string& fingerprint) {
  CalibrationTable table = read_table(path);
  if (table.model != fingerprint)
    throw Error(ErrorCode::TableMismatch,
                path.string() + ": the table is of another model (fingerprint " + table.model + ", this model has " +
                    fingerprint + ")",
                "calibrate this model, or give the one that the table was made of");
  return table;
}

Calibration calibration_from(const CalibrationTable& table, const Graph& prepared, std::span<const ValueId> values,
                             Reporter& reporter) {
  Calibration calibration;
  add_constants(prepared, values, calibration.histograms);
  std::vector<std::string> missing;
  for (const ValueId value : values) {
    if (prepared.constant(value)) continue;
    const MaybeValue source = measured_for(table, prepared, value);
    const auto found = source ? table.values.find(prepared.value(*source).name) : table.values.end();
    if (found == table.values.end())
      missing.push_back(prepared.value(value).name);
    else if (found->second.scale > 0)
      calibration.given[value] = range_of_scale(found->second.scale);
    else {
      calibration.histograms[value] = found->second.histogram;
      if (table.has_extremes()) calibration.extremes[value] = found->second.extremes;
    }
  }
  if (table.has_extremes())
    for (const TableSample& sample : table.samples) calibration.sample_names.push_back(sample.name);
  if (!missing.empty())
    throw Error(ErrorCode::TableMismatch,
                "the table lacks " + plural(missing.size(), "value") + " to be quantized: " + lacking(missing),
                way_out(table));
  check_measured(prepared, calibration.histograms, reporter);
  calibration.samples = table.samples.size();
  calibration.identities = table.samples;
  return calibration;
}

ValueReaches reaches_from(const CalibrationTable& table, const Graph& prepared) {
  ValueReaches reaches;
  std::vector<std::string> missing;
  for (const ValueId value : values_with_reach(prepared)) {
    const auto found = table.reaches.find(prepared.value(value).name);
    if (found == table.reaches.end())
      missing.push_back(prepared.value(value).name);
    else if (found->second)
      reaches[value] = *found->second;
  }
  if (missing.empty()) return reaches;
  throw Error(ErrorCode::TableMismatch, "the table lacks what these float values reach: " + lacking(missing),
              "calibrate with the same --float-type");
}

}  // namespace detent
