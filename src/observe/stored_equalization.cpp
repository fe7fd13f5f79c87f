#include "observe/stored_equalization.h"

#include <algorithm>
#include <cmath>

#include "observe/calibration_table.pb.h"

namespace detent {

Error damaged_table(const std::string& what) {
  return {ErrorCode::InvalidData, "the calibration table is damaged: " + what, "copy it again, or calibrate again"};
}

void store_equalization(const Equalization& equalization, stored::Table& out) {
  for (const auto& [name, value] : equalization.values) {
    auto& one = *out.add_equalized();
    one.set_name(name);
    one.set_family(static_cast<uint32_t>(value.family));
    one.set_from_right(static_cast<uint32_t>(value.from_right));
    one.mutable_factors()->Add(value.factors.begin(), value.factors.end());
  }
  for (const auto& [node, slot] : equalization.gates) {
    auto& gate = *out.add_gates();
    gate.set_node(node);
    gate.set_slot(static_cast<uint32_t>(slot));
  }
  out.mutable_activations()->Add(equalization.activations.begin(), equalization.activations.end());
}

Equalization restore_equalization(const stored::Table& stored) {
  Equalization result;
  for (const auto& one : stored.equalized()) {
    EqualizedValue value{static_cast<EqualizeFamily>(one.family()),
                         static_cast<int32_t>(one.from_right()),
                         {one.factors().begin(), one.factors().end()}};
    const bool sound = one.family() <= static_cast<uint32_t>(EqualizeFamily::Branch) && one.from_right() < 16 &&
                       !value.factors.empty() &&
                       std::ranges::all_of(value.factors, [](float f) { return std::isfinite(f) && f > 0; });
    if (!sound || (!result.values.empty() && result.values.rbegin()->first >= one.name()))
      throw damaged_table("its equalization cannot be");
    result.values.emplace_hint(result.values.end(), one.name(), std::move(value));
  }
  for (const auto& gate : stored.gates())
    if (gate.slot() > 1 || !result.gates.emplace(gate.node(), static_cast<int32_t>(gate.slot())).second)
      throw damaged_table("its equalization cannot be");
  result.activations.assign(stored.activations().begin(), stored.activations().end());
  if (!std::ranges::is_sorted(result.activations)) throw damaged_table("its equalization cannot be");
  return result;
}

}  // namespace detent
