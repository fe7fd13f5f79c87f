#include "evaluate/block_errors.h"

#include <fmt/core.h>

#include <cmath>

#include "core/float_type.h"
#include "core/index.h"
#include "evaluate/error_sums.h"

namespace detent {

void BlockErrors::add(const std::string& output, const Tensor& expected, const Tensor& found) {
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const auto& [name, axis, first, count] = blocks_[b];
    if (name != output || !is_floating_point(expected.type()) || expected.shape() != found.shape()) continue;
    const Shape& shape = expected.shape();
    if (axis >= std::ssize(shape.dims()) || first + count > shape[as_index(axis)]) continue;
    const Tensor x = cast(expected, DataType::Float32), y = cast(found, DataType::Float32);
    const int64_t outer = shape.element_count(0, as_index(axis)), extent = shape[as_index(axis)];
    const int64_t inner = shape.element_count(as_index(axis) + 1, shape.rank());
    Sums& sums = sums_[b];
    sums.channels.resize(as_index(count));
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t c = 0; c < count; ++c) {
        const auto at = as_index((o * extent + first + c) * inner);
        Channel& channel = sums.channels[as_index(c)];
        for (size_t i = at; i < at + as_index(inner); ++i) {
          const double u = x.data<float>()[i], v = y.data<float>()[i];
          channel.sum += u;
          channel.squares += u * u;
          ++channel.count;
          sums.noise += (u - v) * (u - v);
        }
      }
  }
}

std::optional<BlockErrors::Worst> BlockErrors::worst() const {
  std::optional<Worst> worst;
  for (size_t b = 0; b < blocks_.size(); ++b) {
    double signal = 0;
    for (const Channel& one : sums_[b].channels)
      if (one.count > 0) signal += one.squares - one.sum * one.sum / one.count;
    if (!(signal > 0)) continue;
    const double db = sqnr_db(signal, sums_[b].noise);
    const auto& [output, axis, first, count] = blocks_[b];
    if (!worst || std::isnan(db) || db < worst->sqnr_db)
      worst = {fmt::format("'{}', {} to {} of axis {}", output, first, first + count - 1, axis), db};
  }
  return worst;
}

}  // namespace detent
