#include "ops/memory/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "core/index.h"
#include "core/memory_limit.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Drops loops of one turn and joins neighbours that walk on where the inner one ends. Returns false when there is
/// nothing to copy.
bool simplify(std::vector<CopyLoop>& loops) {
  size_t count = 0;
  for (const CopyLoop loop : loops) {
    if (loop.extent == 0) return false;
    if (loop.extent == 1) continue;
    CopyLoop* const last = count > 0 ? &loops[count - 1] : nullptr;
    if (last && last->in_stride == loop.in_stride * loop.extent && last->out_stride == loop.out_stride * loop.extent)
      *last = {last->extent * loop.extent, loop.in_stride, loop.out_stride};
    else
      loops[count++] = loop;
  }
  loops.resize(count);
  return true;
}

/// Makes a loop without jumps in the input the second-innermost where the innermost one jumps, so that both can be
/// walked in tiles.
void bring_unit_stride_inwards(std::vector<CopyLoop>& loops) {
  if (loops.size() < 2 || loops.back().in_stride == 1) return;
  const auto last = loops.end() - 1;
  const auto unit = std::find_if(loops.begin(), last, [](const CopyLoop& loop) { return loop.in_stride == 1; });
  if (unit != last) std::rotate(unit, unit + 1, last);
}

template <class T>
void copy_row(const T* in, T* out, const CopyLoop& loop) {
  if (loop.in_stride == 1 && loop.out_stride == 1) {
    std::memcpy(out, in, as_index(loop.extent) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < loop.extent; ++i) out[i * loop.out_stride] = in[i * loop.in_stride];
}

template <class T>
void copy_tiles(const T* in, T* out, const CopyLoop& rows, const CopyLoop& columns) {
  constexpr int64_t kTile = 16;  // 16 x 16 elements of either side fit in L1
  for (int64_t r0 = 0; r0 < rows.extent; r0 += kTile) {
    const int64_t r1 = std::min(rows.extent, r0 + kTile);
    for (int64_t c0 = 0; c0 < columns.extent; c0 += kTile) {
      const int64_t c1 = std::min(columns.extent, c0 + kTile);
      for (int64_t r = r0; r < r1; ++r)
        for (int64_t c = c0; c < c1; ++c)
          out[r * rows.out_stride + c * columns.out_stride] = in[r * rows.in_stride + c * columns.in_stride];
    }
  }
}

template <class T>
void copy_nest(const T* in, T* out, std::span<const CopyLoop> loops) {
  if (loops.empty()) {
    *out = *in;
  } else if (loops.size() == 1) {
    copy_row(in, out, loops[0]);
  } else if (loops.size() == 2 && loops[1].in_stride != 1) {
    copy_tiles(in, out, loops[0], loops[1]);
  } else {
    const CopyLoop& loop = loops[0];
    for (int64_t i = 0; i < loop.extent; ++i)
      copy_nest(in + i * loop.in_stride, out + i * loop.out_stride, loops.subspan(1));
  }
}

}  // namespace

void copy_strided(const void* in, void* out, size_t bytes, std::vector<CopyLoop> loops) {
  if (!simplify(loops)) return;
  bring_unit_stride_inwards(loops);
  visit_size(bytes, [&]<class T>(T) {
    copy_nest(static_cast<const T*>(in), static_cast<T*>(out), std::span<const CopyLoop>(loops));
  });
}

namespace {

/// A run of neighbouring inputs that stay neighbours, or of fill (first < 0).
struct Run {
  int64_t first, count;
};

std::vector<Run> runs_of(const std::vector<int64_t>& table) {
  std::vector<Run> runs;
  for (const int64_t index : table) {
    const bool continues =
        !runs.empty() &&
        (index < 0 ? runs.back().first < 0 : runs.back().first >= 0 && index == runs.back().first + runs.back().count);
    if (continues)
      ++runs.back().count;
    else
      runs.push_back({index, 1});
  }
  return runs;
}

}  // namespace

std::vector<int64_t> axis_table(int64_t extent) {
  constexpr uint64_t kEntry = sizeof(int64_t) + sizeof(Run);
  const auto count = static_cast<uint64_t>(std::max<int64_t>(extent, 0));
  check_memory(count > UINT64_MAX / kEntry ? UINT64_MAX : count * kEntry,
               [&] { return "the index of an axis of " + std::to_string(count); });
  return std::vector<int64_t>(count);
}

void gather_axis(const void* in, void* out, size_t bytes, const AxisView& view, const std::vector<int64_t>& table,
                 const void* fill) {
  const auto& [outer, extent, inner] = view;
  const std::vector<Run> runs = runs_of(table);
  const bool scattered =
      inner == 1 && runs.size() * 4 > table.size() && std::ranges::all_of(table, [](int64_t i) { return i >= 0; });
  visit_size(bytes, [&]<class T>(T) {
    const T* source = static_cast<const T*>(in);
    T* target = static_cast<T*>(out);
    for (int64_t o = 0; o < outer; ++o, source += extent * inner) {
      if (scattered) {
        for (size_t i = 0; i < table.size(); ++i) target[i] = source[table[i]];
        target += table.size();
        continue;
      }
      for (const Run& run : runs) {
        const int64_t count = run.count * inner;
        if (run.first < 0)
          std::fill_n(target, count, *static_cast<const T*>(fill));
        else if (count > 0)
          std::memcpy(target, source + run.first * inner, as_index(count) * sizeof(T));
        target += count;
      }
    }
  });
}

Tensor gathered(const Tensor& tensor, size_t axis, const std::vector<int64_t>& table, const void* fill,
                Allocator& allocator) {
  Shape shape = tensor.shape();
  shape[axis] = std::ssize(table);
  Tensor result(tensor.type(), shape, allocator, tensor.layout());
  if (result.element_count() > 0)
    gather_axis(tensor.raw(), result.mutable_raw(), byte_size(tensor.type()),
                view_around(tensor.shape(), tensor.layout(), axis), table, fill);
  return result;
}

}  // namespace detent
