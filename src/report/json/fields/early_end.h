#pragma once

#include "detent/reports/early_end_report.h"
#include "detent/reports/input_check.h"
#include "report/json/fields/parts.h"

namespace detent::json {

/// Writes what is missing where the work ended early.
void early_end_fields(auto& v, const EarlyEndReport& r) {
  v.optional(
      "stopped", filled(r.reason),
      "What ended the work early, with the best result so far: time limit or interrupted; absent where it ran to "
      "its end.");
  v.optional("left_out", when(!r.reason.empty(), r.left_out),
             "What was not done, in words; empty where only samples are missing.");
}

void fields(auto& v, const InputCheckReport& r) {
  v.part("input_check", "Whether the data reach the float model as it wants them.");
  v("verdict", std::string(name_of(r.verdict)), "The verdict on the input.", {"good", "doubtful", "wrong"});
  v("reasons", r.reasons, "Why, in words.");
  v("command", r.command, "Command that quantizes, with the cure where one was found.");
}

}  // namespace detent::json
