#include "pipeline/parts/changed_options.h"

#include <string_view>

#include "core/text.h"
#include "rewrite/format_options.h"

namespace detent {

namespace {

class OptionList {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += "; ";
    text_.append(name).append("=").append(value);
  }
  void add_if(bool differs, std::string_view name, std::string_view value) {
    if (differs) add(name, value);
  }
  void add_all(std::string_view name, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(name, value);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_placement(OptionList& list, const PlacementOptions& options) {
  using P = PlacementOptions;
  list.add_if(options.type != CodeType::Int8, "type", option_name_of(options.type));
  list.add_all("include", options.include);
  list.add_all("exclude", options.exclude);
  list.add_all("include-op", options.include_op);
  list.add_all("exclude-op", options.exclude_op);
  if (options.concat != P::Concat::Shared)
    list.add("concat", options.concat == P::Concat::Inputs ? "inputs" : "independent");
  if (options.deconv_activation != P::DeconvActivation::ByActivation)
    list.add("deconv-activation", options.deconv_activation == P::DeconvActivation::Fuse ? "fuse" : "split");
  list.add_if(options.act_add == P::ActAdd::Main, "act-add", "main");
  list.add_if(options.se_mul == P::SeMul::Float, "se-mul", "float");
  list.add_if(options.maxpool == P::MaxPool::Both, "maxpool", "both");
  list.add_if(options.small_layers == P::SmallLayers::Quantize, "small-layers", "quantize");
  list.add_if(options.attention == P::Attention::Int8, "attention", "int8");
  if (options.residual != P::Residual::Auto)
    list.add("residual", options.residual == P::Residual::Float ? "float" : "quantize");
  list.add_if(options.scales == P::Scales::Fp32, "scales", "fp32");
  list.add_if(options.quantize_outputs, "quantize-outputs", "on");
}

void add_format(OptionList& list, const RewriteOptions& made, const RewriteOptions& usual) {
  list.add_if(made.int8_weights != usual.int8_weights, "weights", made.int8_weights ? "int8" : "fp32");
  list.add_if(made.weight_range != usual.weight_range, "weight-range", "mse");
  list.add_if(made.weight_bits != usual.weight_bits, "weight-bits", std::to_string(made.weight_bits));
  list.add_if(made.per_tensor_weights != usual.per_tensor_weights, "per-tensor", "on");
  list.add_if(made.activation.type != usual.activation.type, "activation",
              made.activation.type == DataType::UInt8 ? "uint8" : "int8");
  list.add_if(made.activation.full_range != usual.activation.full_range, "range",
              made.activation.full_range ? "full" : "narrow");
  list.add_if(made.saturation != usual.saturation && made.saturation == RewriteOptions::Saturation::Accepted, "cpu",
              "vnni");
  list.add_if(made.int32_bias != usual.int32_bias, "bias", made.int32_bias ? "int32" : "float");
}

void add_types(OptionList& list, const FormatOptions& format, const Target& target) {
  const FloatType type = float_type_of(format, target);
  if (type != target.float_type)
    list.add("float-type", type == FloatType::Fp32 ? "fp32" : type == FloatType::Fp16 ? "fp16" : "bf16");
  list.add_if(type != FloatType::Fp32 && format.io == IoType::Same, "io-type", "same");
}

void add_equalization(OptionList& list, const EqualizeOptions& given, const Prepared& setup, bool best) {
  // The best level equalizes by "auto" unless told otherwise; a table says itself how it was equalized.
  list.add_if(best && !setup.table && given.equalize == "off", "equalize", "off");
  if (!setup.equalized) return;
  const std::string requested = setup.table ? setup.table->equalize : setup.equalized->report.requested;
  const bool implied = best && !setup.table && requested == "auto";
  list.add_if(!setup.equalized->equalization.values.empty() && !implied, "equalize", requested);
}

/// "--min-sqnr 34" as the list has it.
void add_bound(OptionList& list, const BoundReport* bound) {
  if (!bound || bound->kept.empty()) return;
  const size_t space = bound->bound.find(' ');
  list.add(std::string_view(bound->bound).substr(2, space - 2), std::string_view(bound->bound).substr(space + 1));
}

}  // namespace

std::string changed_options(const DecidingOptions& options, const Prepared& setup) {
  OptionList list;
  add_placement(list, options.placement);
  PlacementOptions usual;
  usual.type = options.placement.type;
  add_format(list, setup.recipe.format, rewrite_options({}, usual, *setup.recipe.target));
  add_types(list, options.format, *setup.recipe.target);
  const bool best = options.accuracy == Accuracy::Best && setup.data != nullptr;
  add_equalization(list, options.equalize, setup, best);
  list.add_if(best, "accuracy", "best");
  list.add_if(options.outliers != OutlierPolicy::Clip, "outliers", name_of(options.outliers));
  list.add_if(options.biases_corrected && !best, "bias-correction", "on");
  list.add_if(best && options.equalize.bias_correction == false, "bias-correction", "off");
  add_bound(list, options.bound);
  list.add_if(!setup.recipe.overrides.empty(), "override", "FILE of " + plural(setup.recipe.overrides.size(), "value"));
  return list.take();
}

}  // namespace detent
