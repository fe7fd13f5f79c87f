#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "detent/base/api.h"

namespace detent {

/// The unit of a metric.
enum class MetricUnit : uint8_t {
  Fraction,  ///< a share, shown in percent; of error rates it may exceed 1
  Decibels,
  Nats,   ///< a token
  Number  ///< without a unit
};

/// Evidence by which a metric judges outputs.
enum class MetricSource : uint8_t { Command, Masks, Objects, Labels, Tokens, Transcripts, Detections, Outputs };

/// Direction in which a metric improves.
enum class MetricBetter : uint8_t { Larger, Smaller };

/// Role of a metric in a comparison.
enum class MetricUse : uint8_t {
  Decides,  ///< may rank candidates
  Shown,    ///< stands beside the metric that ranks
  Detail    ///< a part of another one, which tables leave out
};

/// A number by which models are judged: its names, how it is printed and how it is compared.
struct Metric {
  const char* name;     ///< the key in reports and JSON documents
  const char* title;    ///< the head of a column
  const char* label;    ///< the name in a page
  const char* meaning;  ///< a sentence without its full stop
  MetricSource source;
  MetricUnit unit;
  int decimals;      ///< of a fraction: of its percentage; kSignificantDigits: six significant digits
  const char* loss;  ///< follows the amount of a loss: "points of top-1"
  MetricBetter better = MetricBetter::Larger;
  MetricUse use = MetricUse::Shown;

  static constexpr int kSignificantDigits = -1;

  /// Returns the factor from a value to the printed number.
  [[nodiscard]] constexpr double factor() const { return unit == MetricUnit::Fraction ? 100 : 1; }
  /// Returns true where the metric compares outputs with those of the float model.
  [[nodiscard]] constexpr bool is_error() const { return source == MetricSource::Outputs; }
  /// Returns true for shares of positions or elements that equal those of the float model.
  [[nodiscard]] constexpr bool is_agreement() const { return is_error() && unit == MetricUnit::Fraction; }
  /// Returns true where a smaller value is better.
  [[nodiscard]] constexpr bool falls() const { return better == MetricBetter::Smaller; }
  friend constexpr bool operator==(const Metric& a, const Metric& b) { return std::string_view(a.name) == b.name; }
};

namespace metrics {

using enum MetricSource;
using enum MetricUnit;
using enum MetricBetter;
using enum MetricUse;

// clang-format off
inline constexpr Metric kCommand{
    "metric", "metric", "your metric", "Printed by --metric-command",
    Command, Number, Metric::kSignificantDigits, "of the metric", Larger, Decides};
inline constexpr Metric kMiou{
    "miou", "mIoU", "mIoU", "Intersection over union with the masks, mean over classes",
    Masks, Fraction, 2, "points of mIoU", Larger, Decides};
inline constexpr Metric kMap{
    "map", "mAP", "mAP", "Mean average precision over IoU .50 to .95, as COCO defines it",
    Objects, Fraction, 2, "points of mAP", Larger, Decides};
inline constexpr Metric kMap50{
    "map50", "mAP50", "mAP at IoU .50", "Mean average precision at an IoU of .50",
    Objects, Fraction, 2, "points of mAP50"};
inline constexpr Metric kMapSmall{
    "map_small", "small", "mAP of small objects",
    "Mean average precision of objects whose area is at most 32^2 pixels of the image",
    Objects, Fraction, 2, "points of mAP of small objects", Larger, Detail};
inline constexpr Metric kMapMedium{
    "map_medium", "medium", "mAP of medium objects",
    "Mean average precision of objects whose area is from 32^2 to 96^2 pixels of the image",
    Objects, Fraction, 2, "points of mAP of medium objects", Larger, Detail};
inline constexpr Metric kMapLarge{
    "map_large", "large", "mAP of large objects",
    "Mean average precision of objects whose area is at least 96^2 pixels of the image",
    Objects, Fraction, 2, "points of mAP of large objects", Larger, Detail};
inline constexpr Metric kTop1{
    "top1", "top-1", "top-1", "Share of samples whose label is the largest output",
    Labels, Fraction, 2, "points of top-1", Larger, Decides};
inline constexpr Metric kTop5{
    "top5", "top-5", "top-5", "Share of samples whose label is among the five largest outputs",
    Labels, Fraction, 2, "points of top-5"};
inline constexpr Metric kNats{
    "nats", "nats", "cross entropy", "Mean of -ln p(next token), in nats a token; smaller is better",
    Tokens, Nats, 4, "nats a token", Smaller, Decides};
inline constexpr Metric kPerplexity{
    "perplexity", "perplexity", "perplexity", "Exponential of the cross entropy; smaller is better",
    Tokens, Number, 3, "of the perplexity", Smaller};
inline constexpr Metric kNextToken{
    "next_token", "next token", "next token", "Share of tokens that have the largest logit",
    Tokens, Fraction, 2, "points of next token"};
inline constexpr Metric kWer{
    "wer", "WER", "word error rate",
    "Words to insert, remove or replace in the decoded text, over those of the transcripts; smaller is better",
    Transcripts, Fraction, 2, "points of WER", Smaller, Decides};
inline constexpr Metric kCer{
    "cer", "CER", "character error rate", "The same of characters; smaller is better",
    Transcripts, Fraction, 2, "points of CER", Smaller};
inline constexpr Metric kDetectionAgreement{
    "detection_agreement", "agreement", "same detections",
    "Mean average precision of the detections, with those of FP32 above a score of 0.5 as the truth",
    Detections, Fraction, 2, "points of agreement", Larger, Decides};
inline constexpr Metric kSqnr{
    "sqnr_db", "SQNR", "SQNR",
    "Power of the FP32 output over the power of the error, at the worst output; larger is better",
    Outputs, Decibels, 2, "dB", Larger, Decides};
inline constexpr Metric kCosine{
    "cosine", "cosine", "cosine", "Cosine between the output and that of FP32, at the worst output",
    Outputs, Number, 5, "of the cosine"};
inline constexpr Metric kArgmaxAgreement{
    "argmax_agreement", "argmax", "same argmax",
    "Share of positions where the largest channel is that of FP32",
    Outputs, Fraction, 2, "points of agreement"};
inline constexpr Metric kSignAgreement{
    "sign_agreement", "sign", "same sign", "Share of elements with the sign that FP32 gives",
    Outputs, Fraction, 2, "points of agreement"};
inline constexpr Metric kIntegerAgreement{
    "integer_agreement", "integers", "same integers", "Share of integer elements that are as in FP32",
    Outputs, Fraction, 2, "points of agreement", Larger, Decides};
// clang-format on

}  // namespace metrics

/// Every metric, in the order of columns. The first that decides and was measured ranks the candidates.
inline constexpr std::array kMetrics{metrics::kCommand,
                                     metrics::kMiou,
                                     metrics::kMap,
                                     metrics::kMap50,
                                     metrics::kMapSmall,
                                     metrics::kMapMedium,
                                     metrics::kMapLarge,
                                     metrics::kTop1,
                                     metrics::kTop5,
                                     metrics::kNats,
                                     metrics::kPerplexity,
                                     metrics::kNextToken,
                                     metrics::kWer,
                                     metrics::kCer,
                                     metrics::kDetectionAgreement,
                                     metrics::kSqnr,
                                     metrics::kCosine,
                                     metrics::kArgmaxAgreement,
                                     metrics::kSignAgreement,
                                     metrics::kIntegerAgreement};

/// Returns the metric of that name; for an unknown name the row of --metric-command.
[[nodiscard]] constexpr const Metric& metric_named(std::string_view name) {
  for (const Metric& metric : kMetrics)
    if (metric.name == name) return metric;
  return kMetrics.front();
}

/// Prints a loss or gain: "1.20 points of top-1", "0.0062 nats a token", "0.013 of the metric".
[[nodiscard]] DETENT_API std::string loss_text(const Metric& metric, double amount);

}  // namespace detent
