#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "report/html/axis.h"
#include "report/html/document.h"
#include "report/html/parts.h"

namespace detent::html {
namespace {

using Picture = DetectionPictures::Picture;
using PageBox = DetectionPictures::Box;
using PairScores = DetectionPictures::Scores;

/// A model whose boxes a picture has.
struct Drawn {
  std::string name;     ///< as the page has it
  const char* classes;  ///< of its boxes
  bool below = false;   ///< scores stand below the boxes, not above
};
const Drawn kFloat{"FP32", "boxes"};

Drawn quantized(const DetectionPictures& shown) { return {escape(shown.quantized), "boxes quantized", true}; }

/// Draws boxes with their scores, the highest last: its score covers others. Numbers are pixels of the network's input.
/// Boxes that both models have alike are thin, have no score, and are drawn once, those of the float model.
std::string boxes_markup(const std::vector<PageBox>& boxes, const Picture& picture, const Drawn& model) {
  const double letter = picture.width / 30.0;
  std::string frames, scores;
  for (size_t i = boxes.size(); i-- > 0;) {
    const PageBox& box = boxes[i];
    const double left = std::max(box.left, 0.0), right = std::min<double>(box.right, picture.width);
    const double top = std::max(box.top, 0.0), bottom = std::min<double>(box.bottom, picture.height);
    if (!(right > left && bottom > top)) continue;  // outside, or not a number
    if (box.alike && model.below) continue;
    frames += fmt::format(
        "<rect{} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}: class {}, "
        "score {:.3f}</title></rect>",
        box.alike ? " class=\"alike\"" : "", left, top, right - left, bottom - top, box.alike ? "both" : model.name,
        box.category, box.score);
    if (box.alike) continue;
    const double line = model.below ? std::min(bottom + 0.85 * letter, picture.height - 0.2 * letter)
                                    : std::max(top - 0.2 * letter, 0.85 * letter);
    scores += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.2f}</text>", std::min(left, picture.width - 2.5 * letter),
                          line, box.score);
  }
  return fmt::format("<g class=\"{}\" font-size=\"{:.1f}\" stroke-width=\"{:.1f}\">{}{}</g>", model.classes, letter,
                     letter / 5, frames, scores);
}

std::string picture_markup(const Picture& picture, const Drawn& other) {
  const auto alike = std::ranges::count(picture.expected, true, &PageBox::alike);
  const std::string counts = fmt::format("{} in {}, {} in {}, {} alike", picture.expected.size(), kFloat.name,
                                         picture.found.size(), other.name, alike);
  return fmt::format(
      "<li><svg class=\"picture\" role=\"img\" aria-label=\"Detections in {0}: {1}\" viewBox=\"0 0 {2} "
      "{3}\"><image width=\"{2}\" height=\"{3}\" href=\"{4}\"/>{5}{6}</svg><p>{0} "
      "<small>{1}</small></p></li>",
      escape(picture.sample), counts, picture.width, picture.height, data_uri("image/jpeg", picture.jpeg),
      boxes_markup(picture.expected, picture, kFloat), boxes_markup(picture.found, picture, other));
}

std::string pictures_markup(const DetectionPictures& shown) {
  if (shown.pictures.empty()) return {};
  const Drawn other = quantized(shown);
  std::string list;
  for (const Picture& picture : shown.pictures) list += picture_markup(picture, other);
  return chart_key(
             key_entry("<rect class=\"boxes\" x=\"1\" y=\"1\" width=\"10\" height=\"10\"/>", kFloat.name) +
             key_entry("<rect class=\"boxes quantized\" x=\"1\" y=\"1\" width=\"10\" height=\"10\"/>", other.name) +
             key_entry("<rect class=\"boxes alike\" x=\"1\" y=\"1\" width=\"10\" height=\"10\"/>",
                       "both, at most .1 apart in score")) +
         "<ul class=\"pictures\">" + list + "</ul>";
}

bool is_lost(const PairScores& pair) { return pair.found == 0 || pair.expected == 0; }

/// Returns points of a plot of 1000 units a side; `lost` chooses those on an axis.
std::string points(const std::vector<PairScores>& scores, bool lost) {
  const auto at = [](double score) { return std::isnan(score) ? 0L : std::lround(1000 * std::clamp(score, 0.0, 1.0)); };
  std::string path;
  for (const PairScores& pair : scores)
    if (is_lost(pair) == lost) path += fmt::format("M{} {}h0", at(pair.expected), 1000 - at(pair.found));
  return path;
}

std::string scatter_grid(const Axis& axis) {
  std::string svg;
  for (const double tick : axis.ticks(4))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"100%\"/><line class=\"grid\" "
        "x1=\"0\" x2=\"100%\" y1=\"{1}\" y2=\"{1}\"/><text x=\"{0}\" y=\"100%\" dy=\"1.5em\" "
        "text-anchor=\"middle\">{2}</text><text x=\"-8\" y=\"{1}\" dy=\".32em\" "
        "text-anchor=\"end\">{2}</text>",
        percentage(axis.at(tick)), percentage(1 - axis.at(tick)), number_text(tick));
  return svg;
}

std::string scatter(const DetectionPictures& shown) {
  const std::vector<PairScores>& scores = shown.scores;
  return fmt::format(
      "<svg class=\"scatter\" role=\"img\" aria-label=\"Score in {1} over the score in {0}, of {2}\">"
      "{3}<line class=\"reference\" x1=\"0\" y1=\"100%\" x2=\"100%\" y2=\"0\"/><svg viewBox=\"0 0 1000 "
      "1000\" preserveAspectRatio=\"none\" width=\"100%\" height=\"100%\"><path d=\"{4}\"/><path "
      "class=\"lost\" d=\"{5}\"/></svg><text x=\"100%\" y=\"100%\" dy=\"3em\" "
      "text-anchor=\"end\">score in {0}</text><text x=\"0\" y=\"0\" dy=\"-.9em\">score in "
      "{1}</text></svg>",
      kFloat.name, quantized(shown).name, plural(scores.size(), "detection"), scatter_grid({0, 1}),
      points(scores, false), points(scores, true));
}

/// Returns "Of 512 detections 480 are in both models, 20 are lost and 12 new. In both, scores change by −0.02 on
/// average."
std::string scores_lead(const std::vector<PairScores>& scores) {
  size_t lost = 0, added = 0;
  double change = 0;
  for (const PairScores& pair : scores) {
    lost += pair.found == 0, added += pair.found != 0 && pair.expected == 0;
    if (!is_lost(pair)) change += pair.found - pair.expected;
  }
  const size_t both = scores.size() - lost - added;
  std::string text = fmt::format("Of {} {} are in both models, {} are lost and {} new",
                                 plural(scores.size(), "detection"), both, lost, added);
  if (both > 0) text += "; scores change by " + signed_text(change / static_cast<double>(both), 3) + " on average";
  return text + ".";
}

std::string detections_lead(const DetectionPictures& shown) {
  const std::string least = fmt::format("{:.2f}", shown.least_score);
  if (shown.pictures.empty()) return "Detections that score " + least + " or more.";
  return fmt::format(
      "{} with the largest error of detections out of {}, worst first, with the boxes that score {} or "
      "more.",
      shown.pictures.size() == 1 ? "The sample" : fmt::format("The {} samples", shown.pictures.size()), shown.samples,
      least);
}

}  // namespace

std::string drawing_markup(const DetectionPictures* shown) {
  const std::string plot =
      shown->scores.empty()
          ? std::string()
          : "<h3>Scores</h3><p class=\"lead\">" + scores_lead(shown->scores) + "</p>" +
                chart_key(
                    key_entry("<circle class=\"alone\" cx=\"6\" cy=\"6\" r=\"3\"/>", "in both models") +
                    key_entry("<circle class=\"lost\" cx=\"6\" cy=\"6\" r=\"3\"/>", "lost or new") +
                    key_entry("<line class=\"reference\" x1=\"0\" x2=\"12\" y1=\"12\" y2=\"0\"/>", "equal scores")) +
                scatter(*shown);
  return "<p class=\"lead\">" + detections_lead(*shown) + "</p>" + pictures_markup(*shown) + plot;
}

}  // namespace detent::html
