#include <fmt/core.h>

#include <algorithm>

#include "core/text.h"
#include "report/text/text.h"

namespace detent {

namespace {

using ExplainedLayer = ExplainReport::Layer;
using ExplainedLayers = std::vector<const ExplainedLayer*>;

constexpr size_t kShownLayers = 12;  // the dearest

std::string form_text(const ExplainReport& report) {
  if (report.form == "onnxruntime") return "ONNX Runtime's profile, " + plural(report.layers.size(), "node");
  return "TensorRT's layers (" + report.form + "), " + std::to_string(report.layers.size());
}

std::string shares_text(const ExplainReport::Summary& summary) {
  const auto part = [](const char* word, double share) { return fmt::format("{} {}", word, percent_text(share)); };
  std::string text = part("INT8", summary.int8) + ", " + part("FP16", summary.fp16) + ", " + part("FP32", summary.fp32);
  if (summary.other > 0) text += ", " + part("other or unknown types", summary.other);
  text += ", " + part("reformats, quantizers and copies", summary.reformat);
  return text + (summary.total_ms ? " of the time" : " of the layers");
}

std::string summary_counts_text(const ExplainReport::Summary& summary) {
  return plural(summary.standalone_quantize, "quantizer") + " by " +
         (summary.standalone_quantize == 1 ? "itself" : "themselves") + ", " + plural(summary.reformats, "reformat") +
         ", " + plural(summary.copies, "copy", "copies") + "; unexplained " + percent_text(summary.unexplained) + "\n";
}

/// Returns ", 10.5 of 70.0 MB that layers read and write": what the layers of one reason move, of all, where it is
/// known.
std::string moved_text(const ExplainReport& report, const ExplainReport::Advice& advice) {
  if (!advice.bytes) return {};
  double all = 0;
  for (const ExplainedLayer& layer : report.layers) all += layer.kind == "none" ? 0 : layer.bytes.value_or(0);
  const bool known = std::ranges::all_of(
      report.layers, [](const ExplainedLayer& layer) { return layer.kind == "none" || layer.bytes.has_value(); });
  constexpr double kMegabyte = 1e6;
  return known ? fmt::format(", {:.1f} of {:.1f} MB that layers read and write", *advice.bytes / kMegabyte,
                             all / kMegabyte)
               : fmt::format(", {:.1f} MB read and written", *advice.bytes / kMegabyte);
}

/// Prints the dearest reasons, each with what to do; all of them under Lists::All.
std::string advice_text(const ExplainReport& report, Listing& listing) {
  constexpr size_t kShownReasons = 3;
  constexpr double kLeast = 0.001;  // of the time
  std::string text = "\nwhy slow, what to do first\n";
  size_t number = 0;
  for (const ExplainReport::Advice& advice : report.advice) {
    if (!listing.all() && (number == kShownReasons || advice.share < kLeast)) break;
    text += fmt::format("  {}. {} in {}", ++number, percent_text(advice.share), plural(advice.layers, "layer"));
    text += moved_text(report, advice) + "\n     " + advice.text + "\n";
    if (!advice.cure.empty()) text += "     do: " + advice.cure + "\n";
  }
  if (number == 0) text += "  nothing that the file tells: layers of the network take the time\n";
  return text;
}

std::string time_text(const ExplainedLayer& layer) {
  return (layer.ms ? fmt::format("{:.4f} ms, ", *layer.ms) : "") + percent_text(layer.share);
}

/// Returns a key that is equal for layers with alike causes: words that may be names of nodes are left out.
std::string cause_key(const ExplainedLayer& layer) {
  std::string key = layer.finding + " ", word;
  for (const char character : layer.cause + ' ') {
    word += character;
    if (character != ' ') continue;
    if (word.find_first_of("/_+.[|") == std::string::npos) key += word;
    word.clear();
  }
  return key;
}

/// Prints the causes of the layers for which `fits` is true, each with the first layer, the others that are alike, and
/// the cure.
template <class Fits>
std::string causes_text(const ExplainReport& report, const Fits& fits, const char* title, Listing& listing) {
  ExplainedLayers layers;
  double share = 0;
  for (const ExplainedLayer& layer : report.layers) {
    if (!fits(layer)) continue;
    layers.push_back(&layer);
    share += layer.share;
  }
  if (layers.empty()) return {};
  std::ranges::stable_sort(layers, std::greater{}, &ExplainedLayer::share);
  std::string text = fmt::format("\n{}: {}, {}\n", title, layers.size(), percent_text(share));
  std::vector<std::string> keys;
  for (const ExplainedLayer* layer : layers) keys.push_back(cause_key(*layer));
  const auto groups = listing.groups(keys);
  for (const auto& group : groups) {
    const ExplainedLayer& first = *layers[group.front()];
    double sum = 0;
    for (const size_t index : group) sum += layers[index]->share;
    text += "  " + first.name + "  (" + time_text(first) + ")\n    " +
            (first.cause.empty() ? "the file does not tell why" : first.cause) + "\n";
    if (group.size() > 1) text += fmt::format("    {} like this, {} together\n", group.size() - 1, percent_text(sum));
    if (!first.cure.empty()) text += "    cure: " + first.cure + "\n";
  }
  return text;
}

std::string types_of(const ExplainedLayer& layer) {
  std::vector<std::string> inputs;
  for (const std::string& type : layer.inputs)
    if (std::ranges::find(inputs, type) == inputs.end()) inputs.push_back(type);
  return (inputs.empty() ? "-" : join(inputs, "+")) + " -> " + layer.arithmetic + " -> " + layer.output;
}

std::string nodes_text(const ExplainedLayer& layer, Listing& listing) {
  if (layer.nodes.empty() && !layer.block) return layer.name;
  return layer.block ? "block " + layer.name : listing.names(layer.nodes);
}

/// Prints the dearest layers; under Lists::All every layer in the engine's order.
std::string layers_text(const ExplainReport& report, Listing& listing) {
  ExplainedLayers layers;
  for (const ExplainedLayer& layer : report.layers)
    if (listing.all() || layer.kind != "none") layers.push_back(&layer);
  const bool timed = report.summary.total_ms.has_value();
  if (!listing.all()) {
    if (timed) std::ranges::stable_sort(layers, std::greater{}, &ExplainedLayer::share);
    layers.resize(listing.shown(layers.size(), kShownLayers));
  }
  Table table{{{"share", Kind::Number},
               {"ms", Kind::Number},
               {"kind", Kind::Words},
               {"reads -> computes -> writes", Kind::Words},
               {"nodes", Kind::Words}}};
  for (const ExplainedLayer* layer : layers)
    table.rows.push_back({{{percent_text(layer->share)},
                           {layer->ms ? fmt::format("{:.4f}", *layer->ms) : "-"},
                           {layer->kind},
                           {types_of(*layer)},
                           {nodes_text(*layer, listing)}}});
  const char* title = listing.all() ? "layers" : timed ? "layers that cost most" : "first layers";
  return std::string("\n") + title + "\n" + to_text(table);
}

/// Prints what was predicted of fusions, reformats and copies; "" without such predictions.
std::string forecast_text(const ExplainReport& report) {
  const auto& predictions = *report.predictions;
  std::string text;
  const auto right = [](const auto& items) {
    return std::ranges::count_if(items, [](const auto& item) { return item.right; });
  };
  if (!predictions.fusions.empty())
    text += fmt::format("{} of {} predicted right: in the layer of the Conv in front, or not\n",
                        right(predictions.fusions), plural(predictions.fusions.size(), "node"));
  for (const auto& fusion : predictions.fusions)
    if (!fusion.right)
      text +=
          fmt::format("  {}: predicted {} the layer of {}\n", fusion.node, fusion.fused ? "in" : "not in", fusion.conv);
  size_t there = predictions.reformats_elsewhere;
  for (const auto& place : predictions.reformat_places) there += place.reformats;
  if (there > 0 || !predictions.reformat_places.empty())
    text += fmt::format("{} predicted to have a reformat each at most; {} of {} in the engine stand there\n",
                        plural(predictions.reformat_places.size(), "place"), there - predictions.reformats_elsewhere,
                        plural(there, "reformat"));
  if (!predictions.copies.empty())
    text += fmt::format("{} predicted for Concats, {} of them are in the engine\n",
                        plural(predictions.copies.size(), "copy", "copies"), right(predictions.copies));
  return text;
}

std::string predictions_text(const ExplainReport& report, Listing& listing) {
  if (!report.predictions) return {};
  std::string text = fmt::format("\n{} of {} predicted right: INT8 or float\n", report.predictions->right,
                                 plural(report.predictions->layers, "weighted layer"));
  const auto& predictions = *report.predictions;
  if (predictions.outputs > 0)
    text += fmt::format("{} of {} predicted right: writes codes or floats\n", predictions.outputs_right,
                        plural(predictions.outputs, "INT8 layer"));
  if (report.form != "onnxruntime" && (predictions.quantizers > 0 || report.summary.standalone_quantize > 0))
    text += fmt::format("{} predicted by themselves, {} of them are, of {} in the engine\n",
                        plural(predictions.quantizers, "quantizer"), predictions.quantizers_right,
                        report.summary.standalone_quantize);
  text += forecast_text(report);
  if (!predictions.folded.empty())
    text += "  predicted by themselves, but part of a layer: " + listing.names(predictions.folded) + "\n";
  for (const ExplainedLayer& layer : report.layers) {
    if (!layer.right)
      text += "  " + layer.name + ": predicted " + layer.predicted + ", is " +
              (layer.kind == "layer" ? layer.arithmetic : layer.kind) + "\n";
    if (!layer.predicted_output.empty() && (layer.predicted_output == "int8") != (layer.output == "int8"))
      text += "  " + layer.name + ": predicted to write " + layer.predicted_output + ", writes " + layer.output + "\n";
  }
  if (!report.predictions->missing.empty())
    text += "  not named by the engine: " + listing.names(report.predictions->missing) + "\n";
  return text;
}

std::string against_text(const ExplainReport& report, Listing& listing) {
  if (!report.against) return {};
  const auto& against = *report.against;
  std::string text = "\nagainst " + against.file + ", " + plural(against.layers, "layer") + "\n  there " +
                     shares_text(against.summary) + "\n  there " + summary_counts_text(against.summary) + "  " +
                     plural(against.same, "layer") + " alike, " + std::to_string(against.differences.size()) +
                     " different\n";
  const size_t shown = listing.shown(against.differences.size(), kShownLayers);
  for (size_t i = 0; i < shown; ++i) {
    const auto& difference = against.differences[i];
    const auto side = [](const std::string& name, const std::string& computes) {
      return name.empty() ? "no layer" : computes + "  " + name;
    };
    text += "  " + listing.names(difference.nodes) + "\n    here   " + side(difference.layer, difference.computes) +
            "\n    there  " + side(difference.other, difference.other_computes) + "\n";
  }
  if (shown < against.differences.size())
    text += "  and " + std::to_string(against.differences.size() - shown) + " more\n";
  return text;
}

}  // namespace

std::string to_text(const ExplainReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = report.file + "  " + form_text(report) + "\n" + shares_text(report.summary) + "\n" +
                     summary_counts_text(report.summary);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  text += advice_text(report, listing);
  const auto of_kind = [](std::string_view kind) {
    return [kind](const ExplainedLayer& layer) { return layer.kind == kind; };
  };
  const auto of_network = [](bool with_pairs) {
    return [with_pairs](const ExplainedLayer& layer) {
      return layer.kind == "layer" && !layer.cause.empty() && (layer.finding == "no_int8_kernel") == with_pairs;
    };
  };
  text += causes_text(report, of_network(true), "layers with pairs that run in floats", listing);
  text += causes_text(report, of_kind("quantize"), "quantizers by themselves", listing);
  text += causes_text(report, of_kind("reformat"), "reformats", listing);
  text += causes_text(report, of_kind("copy"), "copies", listing);
  text += causes_text(report, of_network(false), "layers that write floats, or whose types are not known", listing);
  text += layers_text(report, listing);
  return text + predictions_text(report, listing) + against_text(report, listing) + listing.closing();
}

}  // namespace detent
