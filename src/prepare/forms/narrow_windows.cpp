#include <algorithm>
#include <limits>
#include <span>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Extents = std::vector<int64_t>;

constexpr int64_t kWidestWindow = 16;  // extent of a window that stays
constexpr int64_t kWidestStride = 7;   // wider ones run in FP16 in any case
constexpr int64_t kMostParts = 64;

/// A Conv of constants, with one number for each axis of its window.
struct WideWindow {
  const Tensor* weight = nullptr;
  Extents extents, strides, begins, ends, dilations;
};

bool is_whole(const WideWindow& window) {
  const size_t axes = window.extents.size();
  const auto fit = [axes](const Extents& numbers, int64_t least) {
    return numbers.size() == axes && std::ranges::all_of(numbers, [least](int64_t number) { return number >= least; });
  };
  return fit(window.extents, 1) && fit(window.strides, 1) && fit(window.dilations, 1) && fit(window.begins, 0) &&
         fit(window.ends, 0);
}

/// Returns how many windows of 16 at most an extent needs.
int64_t window_count(int64_t extent) { return (extent + kWidestWindow - 1) / kWidestWindow; }

/// Returns the window of a Conv that is too wide; one without axes for others.
WideWindow wide_window(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "Conv" && node.domain.empty() ? graph.constant(node.input(1)) : nullptr;
  if (!weight || !node.input(0) || !node.output(0) || weight->type() != DataType::Float32 ||
      weight->shape().rank() < 3 || weight->element_count() == 0 || node.string_or("auto_pad", "NOTSET") != "NOTSET")
    return {};
  WideWindow window{weight, Extents(weight->shape().begin() + 2, weight->shape().end()), {}, {}, {}, {}};
  const size_t axes = window.extents.size();
  const Extents pads = node.ints_or("pads", Extents(2 * axes, 0));
  if (pads.size() != 2 * axes) return {};
  window.begins.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  window.ends.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  window.strides = node.ints_or("strides", Extents(axes, 1));
  window.dilations = node.ints_or("dilations", Extents(axes, 1));
  int64_t parts = 1;
  for (const int64_t extent : window.extents) parts *= std::min(window_count(extent), kMostParts);
  const bool narrow = std::ranges::all_of(window.strides, [](int64_t stride) { return stride <= kWidestStride; });
  return is_whole(window) && narrow && parts > 1 && parts <= kMostParts ? window : WideWindow();
}

/// A part of a window: where it begins and how wide it is.
struct WindowPart {
  Extents first, extents;
};

/// Returns parts of about the same extents that fill the window, the last axis first.
std::vector<WindowPart> window_parts(const WideWindow& window) {
  std::vector<WindowPart> parts{{}};
  for (const int64_t extent : window.extents) {
    const int64_t count = window_count(extent), width = (extent + count - 1) / count;
    std::vector<WindowPart> finer;
    for (const WindowPart& part : parts)
      for (int64_t first = 0; first < extent; first += width) {
        WindowPart next = part;
        next.first.push_back(first);
        next.extents.push_back(std::min(width, extent - first));
        finer.push_back(std::move(next));
      }
    parts = std::move(finer);
  }
  return parts;
}

/// Returns the weights [M, C, k...] of a part of the window.
Tensor weights_of_part(const WideWindow& window, const WindowPart& part) {
  const Tensor& whole = *window.weight;
  Extents extents{whole.shape()[0], whole.shape()[1]};
  extents.insert(extents.end(), part.extents.begin(), part.extents.end());
  Tensor weights(DataType::Float32, Shape(extents));
  const auto from = whole.data<float>();
  const auto to = weights.mutable_data<float>();
  const size_t axes = part.extents.size();
  for (size_t i = 0; i < to.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t place = 0, step = 1;
    for (size_t axis = axes; axis-- > 0;) {
      place += (rest % part.extents[axis] + part.first[axis]) * step;
      rest /= part.extents[axis];
      step *= window.extents[axis];
    }
    to[i] = from[static_cast<size_t>(rest * step + place)];
  }
  return weights;
}

class WindowSumWriter {
 public:
  WindowSumWriter(FormPatch& patch, const Node& node, const WideWindow& window)
      : patch_(patch), node_(node), window_(window) {}

  void write() {
    const std::vector<WindowPart> parts = window_parts(window_);
    std::string sum;
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const std::string term = write_part(parts[i], std::to_string(i), last);
      if (i == 0) {
        sum = term;
        continue;
      }
      const std::string added = patch_.fresh(node_, "sum" + std::to_string(i));
      const std::string output = last ? patch_.name_of(node_.output(0)) : added;
      patch_.add({"Add", added, {sum, term}, {output}, {}, ""});
      sum = output;
    }
    patch_.remove(node_);
  }

 private:
  /// The last part has the bias and the name of the Conv.
  std::string write_part(const WindowPart& part, const std::string& number, bool last) {
    const size_t axes = part.extents.size();
    Extents begins, ends, from, to;
    for (size_t axis = 0; axis < axes; ++axis) {
      const int64_t behind = window_.extents[axis] - part.first[axis] - part.extents[axis];
      begins.push_back(window_.begins[axis] - part.first[axis] * window_.dilations[axis]);
      ends.push_back(window_.ends[axis] - behind * window_.dilations[axis]);
      from.push_back(std::max<int64_t>(-begins[axis], 0));
      to.push_back(ends[axis] < 0 ? ends[axis] : std::numeric_limits<int64_t>::max());
    }
    Extents pads;
    for (const Extents* side : {&begins, &ends})
      for (const int64_t pad : *side) pads.push_back(std::max<int64_t>(pad, 0));
    const std::string term = patch_.fresh(node_, "window" + number);
    std::vector<Attribute> attributes = attributes_without(node_, {"kernel_shape", "pads"});
    attributes.push_back({"kernel_shape", part.extents});
    attributes.push_back({"pads", std::move(pads)});
    NodeSpec conv{"Conv",
                  last ? node_.name : term,
                  {sliced(from, to, number), patch_.constant(node_, "weight" + number, weights_of_part(window_, part))},
                  {term},
                  std::move(attributes),
                  ""};
    if (last && node_.input(2)) conv.inputs.push_back(patch_.name_of(node_.input(2)));
    patch_.add(std::move(conv));
    return term;
  }

  /// Returns what a part reads of the input: all, or what is left of it beside the other parts.
  std::string sliced(const Extents& from, const Extents& to, const std::string& number) {
    Extents begins, ends, axes;
    for (size_t axis = 0; axis < from.size(); ++axis) {
      if (from[axis] == 0 && to[axis] > 0) continue;
      begins.push_back(from[axis]);
      ends.push_back(to[axis]);
      axes.push_back(static_cast<int64_t>(axis) + 2);
    }
    const std::string input = patch_.name_of(node_.input(0));
    if (axes.empty()) return input;
    const auto constant = [&](const std::string& what, const Extents& numbers) {
      return patch_.constant(node_, what + number,
                             Tensor::from<int64_t>({std::ssize(numbers)}, std::span<const int64_t>(numbers)));
    };
    const std::string slice = patch_.fresh(node_, "slice" + number);
    patch_.add({"Slice",
                slice,
                {input, constant("from", begins), constant("to", ends), constant("axes", axes)},
                {slice},
                {},
                ""});
    return slice;
  }

  FormPatch& patch_;
  const Node& node_;
  const WideWindow& window_;
};

}  // namespace

GraphPatch narrow_windows(const Graph& graph) {
  FormPatch patch(graph, "write a Conv of a wide window as a sum");
  for (const Node& node : graph.nodes()) {
    const WideWindow window = wide_window(graph, node);
    if (window.weight) WindowSumWriter(patch, node, window).write();
  }
  return patch.take();
}

}  // namespace detent::forms
