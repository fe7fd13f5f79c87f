#include "evaluate/class_output.h"

#include "core/float_type.h"

namespace detent {

namespace {

bool is_integer(DataType type) {
  switch (type) {
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::UInt32:
    case DataType::Bool: return true;
    default: return false;
  }
}

}  // namespace

ClassOutput::ClassOutput(const Tensor& output, int64_t channels, int64_t height, int64_t width)
    : holds_classes_(!is_floating_point(output.type())),
      values_(cast(output, holds_classes_ ? DataType::Int64 : DataType::Float32)), channels_(channels), height_(height),
      width_(width) {
  if (holds_classes_)
    given_ = values_.data<int64_t>().data();
  else
    scores_ = values_.data<float>().data();
}

std::optional<ClassOutput> ClassOutput::of_samples(const Tensor& output, int64_t samples) {
  const Shape& shape = output.shape();
  if (is_integer(output.type()))
    return shape.rank() >= 1 && shape.element_count() == samples ? std::optional(ClassOutput(output, 1, 1, 1))
                                                                 : std::nullopt;
  if (!is_floating_point(output.type()) || shape.rank() < 1 || shape.element_count() == 0) return std::nullopt;
  if (shape.rank() == 1 && samples == 1) return ClassOutput(output, shape[0], 1, 1);
  if (shape[0] != samples) return std::nullopt;
  const int64_t channels = shape.rank() >= 2 ? shape[1] : 1;
  if (shape.element_count() != samples * channels) return std::nullopt;
  return ClassOutput(output, channels, 1, 1);
}

std::optional<ClassOutput> ClassOutput::of_pixels(const Tensor& output, int64_t samples) {
  const Shape& shape = output.shape();
  const size_t rank = shape.rank();
  if (rank < 3 || shape[0] != samples || shape.element_count() == 0) return std::nullopt;
  const int64_t height = shape[rank - 2];
  const int64_t width = shape[rank - 1];
  if (is_integer(output.type()))
    return shape.element_count() == samples * height * width ? std::optional(ClassOutput(output, 1, height, width))
                                                             : std::nullopt;
  if (!is_floating_point(output.type()) || rank != 4) return std::nullopt;
  return ClassOutput(output, shape[1], height, width);
}

int64_t ClassOutput::class_at(int64_t sample, int64_t position) const {
  if (holds_classes_) return given_[sample * height_ * width_ + position];
  const int64_t plane = height_ * width_;
  return argmax(scores_ + sample * channels_ * plane + position, channels_, plane);
}

int64_t ClassOutput::rank_of(int64_t label, int64_t sample) const {
  if (holds_classes_ || channels_ == 1) return class_at(sample, 0) == label ? 0 : 1;
  const float own = score(sample, label, 0);
  int64_t rank = 0;
  for (int64_t c = 0; c < channels_; ++c) {
    const float other = score(sample, c, 0);
    rank += scores_above(other, own) || (c < label && !scores_above(own, other));
  }
  return rank;
}

}  // namespace detent
