// Einsum against a loop over every index of every letter.
#include <map>
#include <numeric>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

/// Small whole numbers: every sum is exact in float.
Tensor numbered_operand(const Shape& shape, int start = 0) {
  Tensor tensor(DataType::Float32, shape);
  int next = start;
  for (float& x : tensor.mutable_data<float>()) x = static_cast<float>(next++ % 7 - 3);
  return tensor;
}

/// Letters only, a written result, no broadcasting.
std::vector<float> naive_einsum(const std::vector<std::string>& terms, const std::string& result,
                                const std::vector<Tensor>& tensors) {
  std::map<char, int64_t> extent, index;
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t axis = 0; axis < terms[i].size(); ++axis) extent[terms[i][axis]] = tensors[i].shape()[axis];
  const auto offset = [&](const std::string& term) {
    int64_t at = 0;
    for (const char letter : term) at = at * extent[letter] + index[letter];
    return static_cast<size_t>(at);
  };
  int64_t count = 1, all = 1;
  for (const char letter : result) count *= extent[letter];
  for (const auto& [letter, length] : extent) all *= length;
  std::vector<float> sums(static_cast<size_t>(count));
  for (int64_t i = 0; i < all; ++i) {
    int64_t rest = i;
    for (const auto& [letter, length] : extent) {
      index[letter] = rest % length;
      rest /= length;
    }
    float product = 1;
    for (size_t t = 0; t < terms.size(); ++t) product *= tensors[t].data<float>()[offset(terms[t])];
    sums[offset(result)] += product;
  }
  return sums;
}

void check_einsum(const std::vector<std::string>& terms, const std::string& result, const std::vector<Shape>& shapes) {
  std::string equation, names;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < terms.size(); ++i) {
    equation += (i ? ", " : "") + terms[i];
    names += std::string(i ? ", " : "") + static_cast<char>('a' + i);
    tensors.push_back(numbered_operand(shapes[i], static_cast<int>(i)));
  }
  const Tensor got = run_one("y = Einsum<equation = \"" + equation + " -> " + result + "\">(" + names + ")", tensors);
  EXPECT_EQ(test::values(got), naive_einsum(terms, result, tensors)) << equation << "->" << result;
}

TEST(Einsum, MultipliesSumsAndTransposes) {
  check_einsum({"ij", "jk"}, "ik", {{2, 3}, {3, 4}});
  check_einsum({"bij", "bjk"}, "bki", {{2, 3, 4}, {2, 4, 5}});
  check_einsum({"bhqd", "bhkd"}, "bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}});
  check_einsum({"ij"}, "ji", {{2, 3}});
  check_einsum({"ijk"}, "j", {{2, 3, 4}});
  check_einsum({"i", "j"}, "ij", {{2}, {3}});
  check_einsum({"ij", "ij"}, "", {{2, 3}, {2, 3}});
  check_einsum({"ija", "jb"}, "i", {{2, 3, 4}, {3, 5}});  // a and b are summed before the product
}

TEST(Einsum, TakesDiagonals) {
  check_einsum({"ii"}, "i", {{3, 3}});
  check_einsum({"bii"}, "b", {{2, 3, 3}});
  check_einsum({"ii", "i"}, "", {{3, 3}, {3}});
}

TEST(Einsum, JoinsThreeOperands) { check_einsum({"ab", "bc", "cd"}, "ad", {{2, 3}, {3, 4}, {4, 2}}); }

TEST(Einsum, BroadcastsItsEllipsis) {
  const Tensor a = numbered_operand({2, 1, 3, 4}), b = numbered_operand({5, 4, 3});
  const Tensor got = run_one("y = Einsum<equation = \"...ij, ...jk -> ...ik\">(a, b)", {a, b});
  ASSERT_EQ(got.shape(), (Shape{2, 5, 3, 3}));
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t m = 0; m < 5; ++m) {
      const Tensor left = a.slice0(n, n + 1).clone().reshaped({3, 4}),
                   right = b.slice0(m, m + 1).clone().reshaped({4, 3});
      const std::vector<float> expected = naive_einsum({"ij", "jk"}, "ik", {left, right});
      for (size_t i = 0; i < 9; ++i) EXPECT_EQ(got.data<float>()[static_cast<size_t>(n * 5 + m) * 9 + i], expected[i]);
    }
}

TEST(Einsum, FindsTheResultByItself) {
  const Tensor a = numbered_operand({2, 3}), b = numbered_operand({3, 4});
  EXPECT_EQ(run_one("y = Einsum<equation = \"zj, jA\">(a, b)", {a, b}).shape(), (Shape{4, 2}));  // A before z
  EXPECT_EQ(run_one("y = Einsum<equation = \"ii\">(a)", {numbered_operand({3, 3})}).shape(), Shape{});
}

TEST(Einsum, SumsNothingToZero) {
  const Tensor a(DataType::Float32, {2, 0}), b(DataType::Float32, {0, 3});
  EXPECT_EQ(test::values(run_one("y = Einsum<equation = \"ij, jk -> ik\">(a, b)", {a, b})), std::vector<float>(6));
}

TEST(Einsum, RefusesEquationsThatDoNotFit) {
  const Tensor a = numbered_operand({2, 3});
  EXPECT_THROW(run_one("y = Einsum<equation = \"ijk -> i\">(a)", {a}), Error);
  EXPECT_THROW(run_one("y = Einsum<equation = \"i1 -> i\">(a)", {a}), Error);
  EXPECT_THROW(run_one("y = Einsum<equation = \"ij -> ik\">(a)", {a}), Error);
  EXPECT_THROW(run_one("y = Einsum<equation = \"ij, ij -> ij\">(a, b)", {a, numbered_operand({3, 3})}), Error);
}

}  // namespace
}  // namespace detent
