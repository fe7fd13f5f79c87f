// Einsum: operands are joined two by two, each pair as a batched matrix product.

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/tensor.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/product/row_product.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// An axis by its letter; the axes behind an ellipsis count from kEllipsis, the last of them first.
using Label = int;
constexpr Label kEllipsis = 256;

/// An Einsum equation, "ij,jk->ik": letters a-z and A-Z, ellipses, blanks anywhere, the result may be left out.
class EinsumEquation {
 public:
  /// Errors  InvalidModel saying what is wrong with the text.
  explicit EinsumEquation(std::string_view text);

  [[nodiscard]] size_t operand_count() const { return operands_.size(); }
  /// Returns one label per axis of operand i, whose rank is `rank`. Errors  InvalidData when the rank does not fit.
  [[nodiscard]] std::vector<Label> labels(size_t i, size_t rank) const;
  /// Returns the labels of the result when ellipses stand for `ellipsis_axes` axes at most. Without a written result:
  /// the ellipsis, and the letters that occur once, in the order of the alphabet (capitals first).
  [[nodiscard]] std::vector<Label> result(size_t ellipsis_axes) const;
  /// Returns the number of axes that the ellipsis of operand i stands for; 0 when it has none.
  [[nodiscard]] size_t ellipsis_axes(size_t i, size_t rank) const;

 private:
  /// Labels; kEllipsis stands for the whole ellipsis.
  using Term = std::vector<Label>;
  static Term parse_term(std::string_view text);
  static std::vector<Label> expand(const Term& term, size_t ellipsis_axes);

  std::vector<Term> operands_;
  Term result_;
};

Error malformed(const std::string& why) { return {ErrorCode::InvalidModel, "attribute equation: " + why}; }

std::string without_blanks(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](unsigned char c) { return !std::isspace(c); });
  return kept;
}

bool has_ellipsis(const std::vector<Label>& term) { return std::ranges::find(term, kEllipsis) != term.end(); }

EinsumEquation::EinsumEquation(std::string_view given) {
  const std::string text = without_blanks(given);
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  for (size_t begin = 0;;) {
    const size_t comma = left.find(',', begin);
    operands_.push_back(parse_term(std::string_view(left).substr(begin, comma - begin)));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  std::map<Label, int> occurrences;
  for (const Term& term : operands_)
    for (const Label label : term) ++occurrences[label];
  if (arrow != std::string::npos) {
    result_ = parse_term(std::string_view(text).substr(arrow + 2));
    for (const Label label : result_)
      if (std::ranges::count(result_, label) > 1 || (label != kEllipsis && !occurrences.contains(label)))
        throw malformed("the result of '" + text + "' repeats a letter or has one that no operand has");
    return;
  }
  if (occurrences.contains(kEllipsis)) result_.push_back(kEllipsis);
  for (const auto& [label, count] : occurrences)
    if (label != kEllipsis && count == 1) result_.push_back(label);
}

EinsumEquation::Term EinsumEquation::parse_term(std::string_view text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      term.push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && !has_ellipsis(term)) {
      term.push_back(kEllipsis);
      i += 2;
    } else {
      throw malformed("'" + std::string(text) + "' is not a list of letters with at most one ellipsis");
    }
  }
  return term;
}

std::vector<Label> EinsumEquation::expand(const Term& term, size_t ellipsis_axes) {
  std::vector<Label> labels;
  for (const Label label : term) {
    if (label != kEllipsis)
      labels.push_back(label);
    else
      for (size_t i = ellipsis_axes; i-- > 0;) labels.push_back(kEllipsis + static_cast<Label>(i));
  }
  return labels;
}

size_t EinsumEquation::ellipsis_axes(size_t i, size_t rank) const {
  const Term& term = operands_[i];
  const size_t letters = term.size() - (has_ellipsis(term) ? 1 : 0);
  if (has_ellipsis(term) ? rank < letters : rank != letters)
    throw Error(ErrorCode::InvalidData, "operand " + std::to_string(i) + " has rank " + std::to_string(rank) +
                                            ", but the equation gives it " + std::to_string(letters) + " letters");
  return rank - letters;
}

std::vector<Label> EinsumEquation::labels(size_t i, size_t rank) const {
  return expand(operands_[i], ellipsis_axes(i, rank));
}

std::vector<Label> EinsumEquation::result(size_t ellipsis_axes) const { return expand(result_, ellipsis_axes); }

using Labels = std::vector<Label>;

bool contains(const Labels& labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }

/// A tensor with one label per axis; a label may come twice (a diagonal).
struct EinsumOperand {
  Tensor tensor;
  Labels labels;
};

class Contraction {
 public:
  Contraction(std::vector<EinsumOperand> operands, Labels result, Allocator& allocator)
      : operands_(std::move(operands)), result_(std::move(result)), allocator_(allocator) {
    find_extents();
  }

  Tensor run() {
    EinsumOperand joined = std::move(operands_.front());
    for (size_t i = 1; i < operands_.size(); ++i) {
      std::set<Label> later(result_.begin(), result_.end());
      for (size_t k = i + 1; k < operands_.size(); ++k)
        later.insert(operands_[k].labels.begin(), operands_[k].labels.end());
      joined = join(joined, operands_[i], later);
    }
    const Labels all = unique(joined.labels);
    Labels order = result_, summed;
    std::ranges::copy_if(all, std::back_inserter(summed), [&](Label label) { return !contains(result_, label); });
    return sum_behind(joined, order, summed).tensor;
  }

 private:
  static Labels unique(const Labels& labels) {
    Labels once;
    for (const Label label : labels)
      if (!contains(once, label)) once.push_back(label);
    return once;
  }

  /// Finds extents by label. An axis of 1 under a label of more stands for every index: that operand loses the label.
  void find_extents() {
    for (const EinsumOperand& operand : operands_)
      for (size_t i = 0; i < operand.labels.size(); ++i) {
        int64_t& extent = extents_.try_emplace(operand.labels[i], 1).first->second;
        const int64_t own = operand.tensor.shape()[i];
        if (own != 1 && extent != 1 && own != extent)
          throw Error(ErrorCode::InvalidData, "operands disagree about an axis: " + std::to_string(extent) + " and " +
                                                  std::to_string(own) + " elements");
        if (own != 1) extent = own;
      }
    for (EinsumOperand& operand : operands_) {
      Shape shape;
      Labels labels;
      for (size_t i = 0; i < operand.labels.size(); ++i) {
        if (operand.tensor.shape()[i] == 1 && extents_[operand.labels[i]] != 1) continue;
        shape.push_back(operand.tensor.shape()[i]);
        labels.push_back(operand.labels[i]);
      }
      operand = {operand.tensor.reshaped(shape), std::move(labels)};
    }
    for (const Label label : result_) extents_.try_emplace(label, 1);
  }

  [[nodiscard]] int64_t count(const Labels& labels) const {
    int64_t product = 1;
    for (const Label label : labels) product *= extents_.at(label);
    return product;
  }

  /// Returns a copy with the axes in the order of `labels`; labels that the operand does not have are repeated.
  [[nodiscard]] Tensor arranged(const EinsumOperand& operand, const Labels& labels) const {
    std::map<Label, int64_t> strides;
    int64_t stride = 1;
    for (size_t i = operand.labels.size(); i-- > 0;) {
      strides[operand.labels[i]] += stride;  // a diagonal walks along all of its axes
      stride *= operand.tensor.shape()[i];
    }
    Shape shape;
    std::vector<CopyLoop> loops(labels.size());
    int64_t out_stride = 1;
    for (size_t i = labels.size(); i-- > 0;) {
      const auto own = strides.find(labels[i]);
      loops[i] = {extents_.at(labels[i]), own == strides.end() ? 0 : own->second, out_stride};
      out_stride *= loops[i].extent;
    }
    for (const CopyLoop& loop : loops) shape.push_back(loop.extent);
    if (operand.labels == labels) return operand.tensor;
    Tensor copy(operand.tensor.type(), shape, allocator_);
    if (copy.element_count() == 0) return copy;
    copy_strided(operand.tensor.raw(), copy.mutable_raw(), byte_size(copy.type()), loops);
    return copy;
  }

  /// Returns the operand with the axes `kept` in that order; `summed` are summed away.
  [[nodiscard]] EinsumOperand sum_behind(const EinsumOperand& operand, const Labels& kept, const Labels& summed) const {
    Labels order = kept;
    order.insert(order.end(), summed.begin(), summed.end());
    const Tensor in = arranged(operand, order);
    if (summed.empty()) return {in, kept};
    Shape shape;
    for (const Label label : kept) shape.push_back(extents_.at(label));
    Tensor out(in.type(), shape, allocator_);
    const int64_t length = count(summed);
    visit_number(in.type(), [&]<class T>(T) {
      using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // integers wrap around
      const T* from = in.data<T>().data();
      for (T& sum : out.mutable_data<T>()) {
        Wide total{};
        for (int64_t i = 0; i < length; ++i) total += static_cast<Wide>(*from++);
        sum = static_cast<T>(total);
      }
    });
    return {out, kept};
  }

  /// Sums a * b over the labels that are not in `later`. Labels of one operand alone are summed first.
  [[nodiscard]] EinsumOperand join(const EinsumOperand& a, const EinsumOperand& b, const std::set<Label>& later) const {
    Labels batch, a_free, b_free, shared, a_summed, b_summed;
    for (const Label label : unique(a.labels)) {
      if (contains(b.labels, label))
        (later.contains(label) ? batch : shared).push_back(label);
      else
        (later.contains(label) ? a_free : a_summed).push_back(label);
    }
    for (const Label label : unique(b.labels))
      if (!contains(a.labels, label)) (later.contains(label) ? b_free : b_summed).push_back(label);
    const Tensor left = sum_behind(a, chained({batch, a_free, shared}), a_summed).tensor;
    const Tensor right = sum_behind(b, chained({batch, b_free, shared}), b_summed).tensor;
    const Labels labels = chained({batch, a_free, b_free});
    Shape shape;
    for (const Label label : labels) shape.push_back(extents_.at(label));
    Tensor product(left.type(), shape, allocator_);
    visit_number(left.type(), [&]<class T>(T) {
      const int64_t m = count(a_free), n = count(b_free), k = count(shared);
      const T *x = left.data<T>().data(), *y = right.data<T>().data();
      T* out = product.mutable_data<T>().data();
      for (int64_t i = 0; i < count(batch); ++i) multiply_rows(x + i * m * k, y + i * n * k, out + i * m * n, m, n, k);
    });
    return {product, labels};
  }

  static Labels chained(std::initializer_list<Labels> parts) {
    Labels all;
    for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  std::vector<EinsumOperand> operands_;
  Labels result_;
  Allocator& allocator_;
  std::map<Label, int64_t> extents_;
};

void run_einsum(KernelCall& call, const EinsumEquation& equation) {
  if (call.input_count() != equation.operand_count())
    throw Error(ErrorCode::InvalidModel, "the equation has " + std::to_string(equation.operand_count()) +
                                             " operands, the node " + std::to_string(call.input_count()));
  std::vector<EinsumOperand> operands;
  size_t ellipsis_axes = 0;
  for (size_t i = 0; i < call.input_count(); ++i) {
    const Tensor& input = call.input(i);
    if (input.type() != call.input(0).type()) throw unsupported_type(input.type());
    operands.push_back({input, equation.labels(i, input.shape().rank())});
    ellipsis_axes = std::max(ellipsis_axes, equation.ellipsis_axes(i, input.shape().rank()));
  }
  call.set_output(0, Contraction(std::move(operands), equation.result(ellipsis_axes), call.allocator()).run());
}

EinsumEquation equation_of(const Node& node) { return EinsumEquation(node.string_or("equation", "")); }

}  // namespace

std::vector<OperatorDef> einsum_operators() {
  return {
      {"Einsum", {}, with_half<make_with<equation_of, run_einsum>>, 12},
  };
}

}  // namespace detent
