#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/simd/register_finish.h"

namespace detent {

/// Products of rows of floats with a matrix, compiled once per instruction set. An element is one chain of
/// multiply-adds over the depth, so its bits depend neither on the other rows nor on the other columns.

/// Returns the number of floats of a packed matrix of depth x columns.
[[nodiscard]] size_t packed_floats(size_t depth, size_t columns);

/// Packs a matrix whose element (k, c) is matrix[k * row_step + c * column_step], multiplied by `factor`, in panels of
/// columns as this machine's instruction set reads them.
void pack_panels(const float* matrix, size_t row_step, size_t column_step, size_t depth, size_t columns, float factor,
                 float* packed);

/// Rows of the left side, in parts: row r is the parts rows[t * row_step + r], t < parts, each of `inner` floats;
/// nullptr stands for zeros. The right side has parts * inner rows.
struct RowParts {
  const float* const* rows = nullptr;
  size_t count = 0, row_step = 0, parts = 1, inner = 0;
};

/// The destination: element (r, c) goes to output[places[r] + c]. A residual lies in memory like the output; the bias
/// has one number a column.
struct RowDestination {
  float* output = nullptr;
  const size_t* places = nullptr;
  RegisterFinish finish;
};

/// Computes rows x packed.
void multiply_panels(const RowParts& rows, const float* packed, size_t columns, const RowDestination& to);

/// Computes the same for a matrix per part that is diagonal: element (r, c) = sum over t of row part t of r at c times
/// weights[t * inner + c].
void multiply_diagonals(const RowParts& rows, const float* weights, const RowDestination& to);

/// The operands of c[m x n] = a[m x k] * b[n x k]^T; rows lie `a_row`, `b_row` and `c_row` apart.
struct DotProducts {
  const float* a = nullptr;
  size_t a_row = 0;
  const float* b = nullptr;
  size_t b_row = 0;
  float* c = nullptr;
  size_t c_row = 0;
  size_t m = 0, n = 0, k = 0;
  bool adds = false;  ///< to what c holds
};
void multiply_dots(const DotProducts& product);

}  // namespace detent
