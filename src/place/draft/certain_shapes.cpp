#include "place/draft/certain_shapes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace detent {
namespace {

using Extents = CertainShapes::Extents;
using Known = std::optional<Extents>;

Known broadcast(const Known& a, const Known& b) {
  if (!a || !b) return std::nullopt;
  const bool swapped = a->size() < b->size();
  Extents out = swapped ? *b : *a;
  const Extents& other = swapped ? *a : *b;
  const size_t missing = out.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& extent = out[missing + i];
    if (extent == 1 || (extent < 0 && other[i] > 1)) extent = other[i];
  }
  return out;
}

/// Keeps batch and channels, opens the rest.
/// Returns the size behind windows of `kernel` elements; -1 where the node leaves it to rounding or automatic padding.
int64_t windows_over(int64_t size, int64_t kernel, const Node& node, size_t axis, size_t axes) {
  if (size < 0 || node.string_or("auto_pad", "NOTSET") != "NOTSET" || node.int_or("ceil_mode", 0) != 0) return -1;
  const Extents strides = node.ints_or("strides", Extents(axes, 1)), pads = node.ints_or("pads", Extents(2 * axes, 0)),
                dilations = node.ints_or("dilations", Extents(axes, 1));
  if (strides.size() != axes || pads.size() != 2 * axes || dilations.size() != axes || strides[axis] < 1) return -1;
  const int64_t window = (kernel - 1) * dilations[axis] + 1, around = pads[axis] + pads[axis + axes];
  if (node.op_type != "ConvTranspose") {
    const int64_t room = size + around - window;
    return room < 0 ? -1 : room / strides[axis] + 1;
  }
  const Extents more = node.ints_or("output_padding", Extents(axes, 0));
  if (node.has("output_shape") || more.size() != axes) return -1;
  return (size - 1) * strides[axis] + window - around + more[axis];
}

/// Returns the shape behind windows over the axes from 2 on.
Known windowed(Known in, const Node& node, const CertainShapes::Extents& kernel) {
  if (!in || in->size() <= 2) return in;
  const size_t axes = in->size() - 2;
  for (size_t i = 0; i < axes; ++i)
    (*in)[i + 2] = kernel.size() == axes ? windows_over((*in)[i + 2], kernel[i], node, i, axes) : -1;
  return in;
}

Known pooled(Known in) {
  if (in && in->size() > 2) std::fill(in->begin() + 2, in->end(), 1);
  return in;
}

Known with_ones(Extents in, const Extents& axes) {
  for (const int64_t axis : axes) {
    const auto place = static_cast<size_t>(axis < 0 ? axis + std::ssize(in) : axis);
    if (place >= in.size()) return std::nullopt;
    in[place] = 1;
  }
  return in;
}

/// Opens these axes; all axes if none are given.
Known opened(Known in, const Extents& axes) {
  if (!in) return in;
  for (const int64_t axis : axes) {
    const auto place = static_cast<size_t>(axis < 0 ? axis + std::ssize(*in) : axis);
    if (place >= in->size()) return std::nullopt;
    (*in)[place] = -1;
  }
  if (axes.empty()) std::fill(in->begin(), in->end(), -1);
  return in;
}

Known without(const Extents& in, const Extents& axes) {
  if (std::ranges::find(axes, CertainShapes::kOpen) != axes.end()) return std::nullopt;
  Extents out;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto front = static_cast<int64_t>(i), back = front - std::ssize(in);
    if (std::ranges::find(axes, front) == axes.end() && std::ranges::find(axes, back) == axes.end())
      out.push_back(in[i]);
  }
  return out;
}

int64_t product(const Extents& extents) {
  int64_t total = 1;
  for (const int64_t extent : extents) {
    if (extent < 0 || __builtin_mul_overflow(total, extent, &total)) return -1;
  }
  return total;
}

Known flattened(const Node& node, const Known& in) {
  const int64_t axis = node.int_or("axis", 1);
  if (!in || axis < 0 || axis > static_cast<int64_t>(in->size())) return Extents{-1, -1};
  return Extents{product(Extents(in->begin(), in->begin() + axis)), product(Extents(in->begin() + axis, in->end()))};
}

Known unsqueezed(const Extents& in, const Extents& axes) {
  Extents out(in.size() + axes.size(), 0);
  const Known marked = with_ones(out, axes);
  if (!marked) return std::nullopt;
  auto next = in.begin();
  out = *marked;
  for (int64_t& extent : out)
    if (extent == 0 && next != in.end()) extent = *next++;
  return out;
}

/// Multiplies extents by repeats, where both are known.
Known tiled(Known in, const Known& repeats) {
  if (!in || !repeats || repeats->size() != in->size()) return opened(std::move(in), {});
  for (size_t i = 0; i < in->size(); ++i) {
    int64_t& extent = (*in)[i];
    const int64_t times = (*repeats)[i];
    if (extent < 0 || times < 0 || __builtin_mul_overflow(extent, times, &extent)) extent = -1;
  }
  return in;
}

/// Returns the extent behind a Resize; -1 where that is not known.
int64_t scaled(int64_t extent, float scale) {
  constexpr float kMostTimes = 1024;
  if (extent < 0 || !(scale > 0 && scale <= kMostTimes) || extent > (int64_t{1} << 31)) return -1;
  return static_cast<int64_t>(std::floor(static_cast<float>(extent) * scale));
}

Known as_wanted(const Node& node, Extents wanted, const Known& in) {
  const auto open = std::ranges::find(wanted, -1) - wanted.begin();
  Extents rest;  // of the value, without open extents that are copied
  if (in) rest = *in;
  std::vector<size_t> copied;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && node.int_or("allowzero", 0) == 0) {
      wanted[i] = in && i < in->size() ? (*in)[i] : -1;
      if (i < rest.size() && rest[i] < 0) copied.push_back(i), rest[i] = 1;
    }
    wanted[i] = std::max<int64_t>(wanted[i], -1);
  }
  const int64_t total = in ? product(rest) : -1;
  if (open == std::ssize(wanted) || total < 0) return wanted;
  Extents others = wanted;
  for (const size_t axis : copied) others[axis] = 1;
  others[static_cast<size_t>(open)] = 1;
  if (const int64_t divisor = product(others); divisor > 0) wanted[static_cast<size_t>(open)] = total / divisor;
  return wanted;
}

}  // namespace

CertainShapes::Known CertainShapes::of(MaybeValue value) {
  if (!value || depth_ > kDeepest) return std::nullopt;
  if (const auto found = known_.find(*value); found != known_.end()) return found->second;
  ++depth_;
  Known shape = find(*value);
  --depth_;
  return known_[*value] = std::move(shape);
}

CertainShapes::Known CertainShapes::find(ValueId value) {
  if (const Tensor* constant = facts_.graph().constant(value))
    return Extents(constant->shape().dims().begin(), constant->shape().dims().end());
  const auto& declared = facts_.value(value).declared_shape;
  const bool open = !declared || std::ranges::any_of(*declared, [](int64_t extent) { return extent < 0; });
  const Node* node = facts_.producer(value);
  const bool first = node && (node->output(0) == value || facts_.kind(node->id) == OpKind::Split);
  if (!open || !first) return declared;
  const Known computed = behind(*node);
  if (!declared) return computed;
  if (!computed || computed->size() != declared->size()) return declared;
  Extents both = *declared;
  for (size_t i = 0; i < both.size(); ++i) both[i] = std::max(both[i], (*computed)[i]);
  return both;
}

CertainShapes::Known CertainShapes::behind(const Node& node) {
  const OpKind kind = facts_.kind(node.id);
  if (is_activation(kind)) return of(node.input(0));
  switch (kind) {
    case OpKind::PRelu:
    case OpKind::Gelu:
    case OpKind::Softmax:
    case OpKind::LogSoftmax:
    case OpKind::BatchNorm:
    case OpKind::LayerNorm:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm:
    case OpKind::Sqrt:
    case OpKind::Abs:
    case OpKind::Log:
    case OpKind::Cast: return of(node.input(0));
    case OpKind::OtherElementwise: return node.inputs.size() == 1 ? of(node.input(0)) : std::nullopt;
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Pow: return broadcast(of(node.input(0)), of(node.input(1)));
    case OpKind::Conv:
    case OpKind::ConvTranspose: return behind_conv(node);
    case OpKind::MaxPool:
    case OpKind::AveragePool: return windowed(of(node.input(0)), node, node.ints_or("kernel_shape", {}));
    case OpKind::GlobalAveragePool: return pooled(of(node.input(0)));
    case OpKind::Gemm: return behind_gemm(node);
    case OpKind::MatMul: return behind_product(node);
    case OpKind::Concat: return joined(node);
    case OpKind::Pad: return padded(node);
    case OpKind::Split: return opened(of(node.input(0)), {node.int_or("axis", 0)});
    case OpKind::Slice: return sliced(node);
    case OpKind::ReduceSum:
    case OpKind::ReduceMean: return reduced(node);
    case OpKind::Reshape: return reshaped(node);
    case OpKind::Resize: return resized(node);
    case OpKind::Transpose: return transposed(node);
    case OpKind::Gather:
      if (node.op_type == "GatherElements") return of(node.input(1));
      return node.op_type == "Gather" ? gathered(node) : std::nullopt;
    case OpKind::Expand: return expanded(node);
    case OpKind::Tile: return tiled(of(node.input(0)), numbers(node.input(1)));
    default: return std::nullopt;
  }
}

CertainShapes::Known CertainShapes::behind_conv(const Node& node) {
  if (!facts_.is_weighted(node.id)) return windowed(of(node.input(0)), node, node.ints_or("kernel_shape", {}));
  const Shape& weight = facts_.weight(node.id).shape();
  if (weight.rank() < 2) return std::nullopt;
  Known out = windowed(of(node.input(0)), node, Extents(weight.begin() + 2, weight.end()));
  if (!out || out->size() <= 2) return out;
  const bool transposed = facts_.kind(node.id) == OpKind::ConvTranspose;
  (*out)[1] = transposed ? weight[1] * node.int_or("group", 1) : weight[0];
  return out;
}

CertainShapes::Known CertainShapes::behind_gemm(const Node& node) {
  const Known a = of(node.input(0)), b = of(node.input(1));
  Extents out{-1, -1};
  if (a && a->size() == 2) out[0] = (*a)[node.int_or("transA", 0) != 0 ? 1 : 0];
  if (b && b->size() == 2) out[1] = (*b)[node.int_or("transB", 0) != 0 ? 0 : 1];
  return out;
}

CertainShapes::Known CertainShapes::behind_product(const Node& node) {
  const Known a = of(node.input(0)), b = of(node.input(1));
  if (!a || !b || a->empty() || b->size() < 2) return std::nullopt;
  if (a->size() == 1) {  // a vector has no rows
    Extents result(b->begin(), b->end() - 2);
    result.push_back(b->back());
    return result;
  }
  Known out = broadcast(Extents(a->begin(), a->end() - 2), Extents(b->begin(), b->end() - 2));
  out->push_back((*a)[a->size() - 2]);
  out->push_back(b->back());
  return out;
}

CertainShapes::Known CertainShapes::reduced(const Node& node) {
  Known in = of(node.input(0));
  Known axes = numbers(node, "axes", 1);
  if (!in || !axes) return std::nullopt;
  return node.int_or("keepdims", 1) != 0 ? with_ones(*in, *axes) : without(*in, *axes);
}

CertainShapes::Known CertainShapes::reshaped(const Node& node) {
  const Known in = of(node.input(0));
  if (node.op_type == "Flatten") return flattened(node, in);
  if (node.op_type == "Squeeze" || node.op_type == "Unsqueeze") {
    const Known axes = numbers(node, "axes", 1);
    if (!in || !axes) return std::nullopt;
    return node.op_type == "Squeeze" ? without(*in, *axes) : unsqueezed(*in, *axes);
  }
  if (node.op_type != "Reshape") return in;  // Identity, Dropout
  const Known wanted = numbers(node, "shape", 1);
  if (!in && wanted == Extents{-1})  // a list of sizes
    if (const Known list = numbers(node.input(0))) return Extents{std::ssize(*list)};
  return wanted ? as_wanted(node, *wanted, in) : std::nullopt;
}

CertainShapes::Known CertainShapes::expanded(const Node& node) {
  Known to = numbers(node.input(1));
  if (!to) return std::nullopt;
  for (int64_t& extent : *to) extent = std::max<int64_t>(extent, -1);
  return broadcast(of(node.input(0)), to);
}

CertainShapes::Known CertainShapes::joined(const Node& node) {
  Known all = opened(of(node.input(0)), {node.int_or("axis", 0)});
  if (!all) return all;
  const int64_t written = node.int_or("axis", 0);
  const auto axis = static_cast<size_t>(written < 0 ? written + std::ssize(*all) : written);
  int64_t extent = 0;
  for (const MaybeValue input : node.inputs) {
    const Known part = of(input);
    if (!part || part->size() != all->size() || (*part)[axis] < 0 ||
        __builtin_add_overflow(extent, (*part)[axis], &extent))
      return all;
  }
  (*all)[axis] = extent;
  return all;
}

CertainShapes::Known CertainShapes::padded(const Node& node) {
  Known out = of(node.input(0));
  if (!out) return out;
  const Known pads = numbers(node, "pads", 1);
  if (node.input(3) || !pads || pads->size() != 2 * out->size()) return opened(std::move(out), {});
  for (size_t i = 0; i < out->size(); ++i) {
    const int64_t front = (*pads)[i], back = (*pads)[i + out->size()];
    int64_t& extent = (*out)[i];
    if (front == kOpen || back == kOpen || extent < 0 || __builtin_add_overflow(extent, front, &extent) ||
        __builtin_add_overflow(extent, back, &extent) || extent < 0)
      extent = -1;
  }
  return out;
}

CertainShapes::Known CertainShapes::sliced(const Node& node) {
  const Known in = of(node.input(0)), axes = numbers(node, "axes", 3);
  if (!in || !axes) return opened(in, {});
  Known out = opened(in, *axes);
  const Known starts = numbers(node, "starts", 1), ends = numbers(node, "ends", 2);
  const Known steps = node.input(4) ? numbers(node.input(4)) : Known(Extents(axes->size(), 1));
  if (!out || !starts || !ends || !steps) return out;
  for (size_t i = 0; i < axes->size() && i < starts->size() && i < ends->size() && i < steps->size(); ++i) {
    const auto axis = static_cast<size_t>((*axes)[i] < 0 ? (*axes)[i] + std::ssize(*in) : (*axes)[i]);
    const int64_t extent = (*in)[axis];
    if (extent < 0 || (*starts)[i] == kOpen || (*ends)[i] == kOpen || (*steps)[i] < 1) continue;
    const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + extent : at, 0, extent); };
    const int64_t taken = std::max<int64_t>(0, place((*ends)[i]) - place((*starts)[i]));
    (*out)[axis] = taken / (*steps)[i] + (taken % (*steps)[i] != 0 ? 1 : 0);
  }
  return out;
}

CertainShapes::Known CertainShapes::resized(const Node& node) {
  Known out = of(node.input(0));
  if (!out) return out;
  if (node.has("axes") || node.string_or("coordinate_transformation_mode", "") == "tf_crop_and_resize" ||
      node.string_or("keep_aspect_ratio_policy", "stretch") != "stretch")
    return opened(std::move(out), {});
  if (const Known sizes = numbers(node.input(3)); sizes && sizes->size() == out->size()) {
    for (size_t i = 0; i < out->size(); ++i) (*out)[i] = std::max<int64_t>((*sizes)[i], -1);
    return out;
  }
  const Tensor* scales = facts_.graph().constant(node.input(node.inputs.size() == 2 ? 1 : 2));
  if (!scales || scales->type() != DataType::Float32 || scales->element_count() != std::ssize(*out))
    return opened(std::move(out), {});
  for (size_t i = 0; i < out->size(); ++i) (*out)[i] = scaled((*out)[i], scales->data<float>()[i]);
  return out;
}

CertainShapes::Known CertainShapes::transposed(const Node& node) {
  const Known in = of(node.input(0));
  const Extents order = node.ints_or("perm", {});
  if (!in || order.size() != in->size()) return std::nullopt;
  Extents out;
  for (const int64_t axis : order) {
    const auto place = static_cast<size_t>(axis < 0 ? axis + std::ssize(*in) : axis);
    if (place >= in->size()) return std::nullopt;
    out.push_back((*in)[place]);
  }
  return out;
}

CertainShapes::Known CertainShapes::gathered(const Node& node) {
  const Known in = of(node.input(0)), indices = of(node.input(1));
  if (!in || !indices) return std::nullopt;
  const int64_t written = node.int_or("axis", 0), axis = written < 0 ? written + std::ssize(*in) : written;
  if (axis < 0 || axis >= std::ssize(*in)) return std::nullopt;
  Extents out(in->begin(), in->begin() + axis);
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), in->begin() + axis + 1, in->end());
  return out;
}

}  // namespace detent
