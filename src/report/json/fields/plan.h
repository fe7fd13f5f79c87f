#pragma once

#include "detent/cast.h"
#include "detent/lint.h"
#include "report/json/fields/parts.h"

namespace detent::json {

void plan_head_fields(auto& v, const PlanReport& r) {
  v("model", r.model, "Path of the model, as it was given.");
  v("target", r.target, "Engine and version that was planned for, as in tensorrt:10.13.");
  v("samples", r.samples,
    "Samples that were read: all, or the first alone where sizes are all that is asked of them; 0 without data.");
  v("sample_digest", r.sample_digest,
    "Digest of those samples' names and contents, whatever their order; empty without data.");
}

void fields(auto& v, const PlanReport::Edge& r) {
  v("value", r.value, "Name of the value that is read.");
  v("consumer", r.consumer, "Name of the node that reads it.");
  v("op", r.op, "Operator of that node.");
  v("slot", static_cast<size_t>(r.slot), "Index of the input.");
  v("decision", r.pair ? "pair" : "float", "Whether it is read through a pair.", {"pair", "float"});
  v("scale_group", r.scale_group, "Number of the group of values that share the scale; null where none does.");
  v("rule", r.rule, "Rule that decided, as src/place/RULES.md names it.");
  v("reason", r.reason, "The reason in words.");
}

void fields(auto& v, const PlanReport::Equalizable& r) {
  v("family", r.family, "Id of the family, as --equalize takes it.");
  v("count", r.values.size(), "Number of values.");
  v("values", r.values, "Their names.");
}

void fields(auto& v, const PlanReport& r) {
  v.document("plan", "Report of detent plan");
  plan_head_fields(v, r);
  v("layers", seen_as<TypedLayer>(r.layers, r.coverage.type), "The weighted operators, in execution order.");
  v("edges", r.edges, "Every data input of every node, in execution order.");
  v("notes", r.notes, "What else there is to know, in sentences.");
  v("float_types", r.floats, "What of the rest would become 16-bit floats; null where it stays as it is.");
  v("equalizable", r.equalizable,
    "Values that equalization could even out, by family; null where open sizes leave that unknown.");
  v("coverage", r.coverage, "How much of the model would run in INT8 or FP8.");
}

void fields(auto& v, const LintReport::Finding& r) {
  v("id", r.id, "Id of the finding, as lint --help and src/place/RULES.md list it.");
  v("level", r.level, "How much it matters.", {"error", "warning", "note"});
  v("node", r.node, "Name of the node or value that it is about.");
  v("message", r.message, "What was found, in words.");
  v("cure", r.cure, "What to do, in words; may be empty.");
  v("mac_share", r.mac_share,
    "Share of the model's multiply-accumulates that it concerns, in [0, 1]; 0 where sizes are open.");
}

void fields(auto& v, const LintReport& r) {
  v.document("lint", "Report of detent lint");
  plan_head_fields(v, r.plan);
  v("origin", r.origin, "How the file is quantized: by pairs, by integer operators, or not at all.",
    {"qdq", "qoperator", "float"});
  v("codes", r.codes, "What the pairs hold, in words; empty without pairs.");
  v("built_for", filled(r.built_for),
    "The engine that the file seems to be built for, where that is another than the target; else null.");
  v("following", r.following, "Findings that are not there for the engine it was built for.");
  v("findings", r.findings, "The findings, worst first.");
  v("layers", seen_as<TypedLayer>(r.plan.layers, r.plan.coverage.type),
    "The weighted operators as the file runs them, in execution order.");
  v("notes", r.plan.notes, "What else there is to know, in sentences.");
  v("coverage", r.plan.coverage, "How much of the file runs in INT8 or FP8.");
}

/// The error of a model that was cast: of its agreements it has none.
struct CastError {
  const ErrorReport& error = kEmptyReport<ErrorReport>;
};

void fields(auto& v, const CastError& r) {
  v("samples", r.error.samples, "Samples that were compared.");
  v(metrics::kSqnr.name, r.error.sqnr_db, description_of(metrics::kSqnr));
  v(metrics::kCosine.name, r.error.cosine, description_of(metrics::kCosine));
  v("outputs", r.error.outputs, "Each compared output, in the model's order.");
}

void fields(auto& v, const CastReport& r) {
  v.document("cast", "Report of detent cast");
  v("model", r.model, "Path of the model, as it was given.");
  v("output", r.output, "Path of the file that was written.");
  v("samples", r.samples, "Samples that were measured.");
  v("floats", r.floats, "What became 16-bit floats.");
  v("coverage", r.coverage, "What of the written model has which type; nothing of it is INT8.");
  v("error", r.error ? std::optional(CastError{*r.error}) : std::nullopt,
    "Error of the written model against the float model; null where it was not measured.");
  v("bytes_before", r.bytes_before, "Size of the float model in bytes, with external data.");
  v("bytes_after", r.bytes_after, "Size of the written model in bytes, with external data.");
  v("seconds", Finite{r.seconds}, "Time that the command took, in seconds.");
}

}  // namespace detent::json
