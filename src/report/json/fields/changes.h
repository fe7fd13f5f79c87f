#pragma once

#include "detent/reports/equalize_report.h"
#include "report/json/fields/parts.h"

namespace detent::json {

// Parts about measured changes of the model.

void fields(auto& v, const EqualizeReport::Family& r) {
  v("name", r.name, "Id of the family, as --equalize takes it.");
  v("alpha", Finite{r.alpha}, "Exponent of the activations' share in the factors.");
  v("groups", r.groups, "Groups of layers that can be equalized.");
  v("values", r.values, "Values that can be equalized.");
  v("kept", r.kept, "Whether the family is equalized in the written model.");
  v("reason", r.reason, "Why it was not kept, in words; empty where it was kept or not measured.");
  v("gain_db", r.gain_db,
    "Rise of the output SQNR on top of the families kept before it, in dB; null where it was not measured.");
}

void fields(auto& v, const EqualizeReport::Value& r) {
  v("name", r.name, "Name of the value.");
  v("family", r.family, "Id of its family.");
  v("channels", r.channels, "Number of its channels.");
  v("imbalance_before", r.imbalance_before,
    "Largest over median magnitude of its channels, before the change; 0 where it was not measured.");
  v("imbalance_after", r.imbalance_after, "The same after the change.");
}

/// Writes the members of every measured change.
void change_fields(auto& v, const MeasuredChange& r) {
  v("sqnr_before_db", r.before_db,
    "SQNR at the outputs without the change, in dB; null where nothing was measured or nothing differs.");
  v("sqnr_after_db", r.after_db, "SQNR at the outputs with the change, in dB; null where sqnr_before_db is.");
  v("kept", r.kept, "Whether the change was kept.");
  v("reason", r.reason, "Why it was not kept, or a remark, in words; may be empty.");
  v("samples", r.samples, "Number of samples that decided or made the change; 0 where nothing was measured.");
  v("seconds", Finite{r.seconds}, "Time of the change, in seconds.");
}

void fields(auto& v, const AcceptanceReport& r) {
  v.part("acceptance",
         "A change of the model, measured as written against the model without it. Both SQNRs are the mean of the "
         "average SQNR of the samples and of the SQNR of their average noise.");
  change_fields(v, r);
  v("worst_before_db", r.worst_before_db, "Mean over the worst tenth of the samples without the change, in dB.");
  v("worst_after_db", r.worst_after_db, "The same with the change, in dB.");
}

void fields(auto& v, const EqualizeReport& r) {
  v.part("equalization", "Equalization of the model before calibration.");
  v("requested", r.requested, "Requested families, and whether a calibration table asked for them.");
  v("families", r.families, "Every examined family, including those without a group.");
  v("values", r.values, "The equalized values.");
  v("acceptance", r.acceptance,
    "The equalized model as written against the one without equalization; null where that was not measured.");
  change_fields(v, r);
  v("notes", r.notes, kNotes);
}

}  // namespace detent::json
