#include "ops/row_program.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/index.h"
#include "core/wrong_element_type.h"
#include "ops/find_operator.h"
#include "ops/memory/memory_order.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/simd/reduce.h"

namespace detent {

namespace {

struct RowOperator {
  std::string_view op_type;
  std::optional<BinaryFunction> binary;
  UnaryFunction unary{};
};

constexpr RowOperator kRowOperators[] = {
    {"Add", BinaryFunction::Add},
    {"Sub", BinaryFunction::Sub},
    {"Mul", BinaryFunction::Mul},
    {"Div", BinaryFunction::Div},
    {"Sqrt", std::nullopt, UnaryFunction::Sqrt},
    {"Reciprocal", std::nullopt, UnaryFunction::Reciprocal},
    {"Neg", std::nullopt, UnaryFunction::Neg},
    {"Erf", std::nullopt, UnaryFunction::Erf},
    {"Tanh", std::nullopt, UnaryFunction::Tanh},
    {"Sigmoid", std::nullopt, UnaryFunction::Sigmoid},
};

/// The computation of a node on rows.
struct RowAction {
  enum class Kind : uint8_t { Binary, Unary, Mean } kind = Kind::Unary;
  BinaryFunction binary{};
  UnaryFunction unary{};
  bool square = false;  // Binary of the first input and itself
  int64_t axis = -1;    // Mean
};

/// Returns the only axis of a ReduceMean that keeps it; nullopt for others.
std::optional<int64_t> mean_axis(const KernelContext& context) {
  const Node& node = context.node;
  if (node.int_or("keepdims", 1) == 0) return std::nullopt;
  std::vector<int64_t> axes = node.ints_or("axes", {});
  if (context.opset >= 18) {
    const Tensor* given = context.constant(1);
    if (!given) return std::nullopt;
    axes = integers_of(*given);
  }
  return axes.size() == 1 ? std::optional(axes.front()) : std::nullopt;
}

/// Returns the action of x^2 and sqrt(x), as Pow computes them.
std::optional<RowAction> power_action(const KernelContext& context) {
  const Tensor* exponent = context.constant(1);
  if (!exponent || exponent->type() != DataType::Float32 || exponent->element_count() != 1 ||
      exponent->shape().rank() > 1)
    return std::nullopt;
  const float power = exponent->data<float>()[0];
  if (power == 2.0F) return RowAction{.kind = RowAction::Kind::Binary, .binary = BinaryFunction::Mul, .square = true};
  if (power == 0.5F) return RowAction{.kind = RowAction::Kind::Unary, .unary = UnaryFunction::Sqrt};
  return std::nullopt;
}

std::optional<RowAction> action_of(const KernelContext& context) {
  const Node& node = context.node;
  if (!node.domain.empty() || node.outputs.size() != 1) return std::nullopt;
  if (node.op_type == "ReduceMean") {
    const auto axis = mean_axis(context);
    return axis ? std::optional(RowAction{.kind = RowAction::Kind::Mean, .axis = *axis}) : std::nullopt;
  }
  if (node.op_type == "Pow") return power_action(context);
  const auto* found = std::ranges::find(kRowOperators, std::string_view(node.op_type), &RowOperator::op_type);
  if (found == std::end(kRowOperators) || node.inputs.size() != (found->binary ? 2U : 1U)) return std::nullopt;
  if (!std::ranges::all_of(node.inputs, [](MaybeValue value) { return bool(value); })) return std::nullopt;
  if (found->binary) return RowAction{.kind = RowAction::Kind::Binary, .binary = *found->binary};
  return RowAction{.kind = RowAction::Kind::Unary, .unary = found->unary};
}

/// How an operand lies beside the rows of the output.
enum class Form : uint8_t {
  One,     // one number
  Column,  // a number for each place in a row
  Row,     // a number for each row
  Full,
};

Form joined_form(Form a, Form b) {
  if (a == Form::One || a == b) return b;
  return b == Form::One ? a : Form::Full;
}

/// Operands are numbered: inputs, then the results of the actions.
struct RowInstruction {
  RowAction action;
  size_t a = 0, b = 0;
  size_t buffer = 0;          // of the result
  std::vector<size_t> slots;  // the node's inputs, for its own kernel
  std::vector<size_t> dead;   // operands that no later one reads
  std::unique_ptr<Kernel> kernel;
  std::string name;  // empty in front, where the executor adds it
};

/// The rows of one execution.
struct RowPlan {
  const Tensor* shape_of = nullptr;
  int64_t rows = 1, length = 1;
  bool flat = false;  // no operand knows rows: any pieces will do
  std::vector<Form> forms;
};

class RowProgramKernel final : public Kernel {
 public:
  RowProgramKernel(std::span<const KernelContext> nodes, std::span<const ValueId> inputs) : inputs_(inputs.size()) {
    std::vector<ValueId> operands(inputs.begin(), inputs.end());
    for (const KernelContext& context : nodes) {
      RowInstruction next;
      next.action = *action_of(context);
      for (const MaybeValue value : context.node.inputs)
        next.slots.push_back(as_index(std::ranges::find(operands, *value) - operands.begin()));
      next.a = next.slots.front();
      next.b = next.action.kind == RowAction::Kind::Binary && !next.action.square ? next.slots[1] : next.a;
      next.kernel = find_operator(context.node.domain, context.node.op_type, context.opset)->make(context);
      if (!instructions_.empty()) next.name = "node '" + context.node.name + "' (" + context.node.op_type + ")";
      instructions_.push_back(std::move(next));
      operands.push_back(*context.node.output(0));
    }
    find_last_reads(operands.size());
    choose_buffers();
  }

  void run(KernelCall& call) const override {
    RowPlan plan;
    if (make_plan(call, plan))
      run_rows(call, plan);
    else
      run_nodes(call);
  }

 private:
  static constexpr int64_t kPiece = 2048;  // elements of an operand: 8 KiB, so that a few of them stay in L1

  void find_last_reads(size_t operands) {
    std::vector<bool> read_later(operands, false);
    for (size_t i = instructions_.size(); i-- > 0;)
      for (const size_t slot : instructions_[i].slots) {
        if (!read_later[slot]) instructions_[i].dead.push_back(slot);
        read_later[slot] = true;
      }
  }

  /// Gives results that live at the same time different buffers.
  void choose_buffers() {
    std::vector<size_t> unused;
    for (RowInstruction& instruction : instructions_) {
      if (unused.empty()) unused.push_back(buffers_++);
      instruction.buffer = unused.back();
      unused.pop_back();
      for (const size_t operand : instruction.dead)
        if (operand >= inputs_) unused.push_back(instructions_[operand - inputs_].buffer);
    }
  }

  template <class Visit>
  void for_each_operand(Visit&& visit) const {
    for (const RowInstruction& instruction : instructions_)
      for (const size_t operand : {instruction.a, instruction.b})
        if (operand < inputs_) visit(operand);
  }

  /// Returns false where the nodes have to run one by one.
  bool make_plan(const KernelCall& call, RowPlan& plan) const {
    bool floats = true;
    for_each_operand([&](size_t i) {
      const Tensor& input = call.input(i);
      floats = floats && input.type() == DataType::Float32 && input.element_count() > 0;
      const auto size = [](const Tensor& tensor) { return std::pair(tensor.element_count(), tensor.shape().rank()); };
      if (!plan.shape_of || size(input) > size(*plan.shape_of)) plan.shape_of = &input;
    });
    if (!floats || plan.shape_of->shape().rank() == 0) return false;
    const Shape& shape = plan.shape_of->shape();
    plan.length = shape[shape.rank() - 1];
    plan.rows = shape.element_count() / plan.length;
    plan.forms.assign(inputs_ + instructions_.size(), Form::One);
    bool known = true;
    for_each_operand([&](size_t i) {
      const auto form = form_of(call.input(i), *plan.shape_of);
      known = known && form;
      if (form) plan.forms[i] = *form;
    });
    return known && find_forms_of_results(plan);
  }

  static std::optional<Form> form_of(const Tensor& tensor, const Tensor& whole) {
    const Shape &shape = tensor.shape(), &all = whole.shape();
    if (tensor.element_count() == 1 && shape.rank() <= all.rank()) return Form::One;
    const bool moot = layout_is_moot(all);
    if (shape == all && (moot || tensor.layout() == whole.layout())) return Form::Full;
    const bool plain =
        (moot || whole.layout() == Layout::Plain) && (tensor.layout() == Layout::Plain || layout_is_moot(shape));
    if (!plain || shape.rank() == 0 || shape.rank() > all.rank()) return std::nullopt;
    const size_t last = shape.rank() - 1;
    if (shape[last] == all[all.rank() - 1] && shape.element_count(0, last) == 1) return Form::Column;
    const bool row =
        shape.rank() == all.rank() && shape[last] == 1 && std::equal(shape.begin(), shape.end() - 1, all.begin());
    return row ? std::optional(Form::Row) : std::nullopt;
  }

  bool find_forms_of_results(RowPlan& plan) const {
    const Tensor& whole = *plan.shape_of;
    const auto rank = as_extent(whole.shape().rank());
    plan.flat = std::ranges::none_of(plan.forms, [](Form form) { return form == Form::Column || form == Form::Row; });
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const RowInstruction& instruction = instructions_[i];
      Form& form = plan.forms[inputs_ + i];
      if (instruction.action.kind == RowAction::Kind::Mean) {
        const int64_t axis = instruction.action.axis;
        const bool last = axis == -1 || axis == rank - 1;
        const bool plain = whole.layout() == Layout::Plain || layout_is_moot(whole.shape());
        if (!last || !plain || plan.forms[instruction.a] != Form::Full) return false;
        form = Form::Row;
        plan.flat = false;
      } else {
        form = joined_form(plan.forms[instruction.a], plan.forms[instruction.b]);
      }
    }
    return plan.forms.back() == Form::Full;
  }

  void run_rows(KernelCall& call, const RowPlan& plan) const {
    const int64_t count = plan.rows * plan.length;
    const int64_t at_once = plan.flat ? std::min(count, kPiece) : std::max<int64_t>(1, kPiece / plan.length);
    const int64_t piece = plan.flat ? at_once : std::min(at_once, plan.rows) * plan.length;
    Tensor scratch(DataType::Float32, Shape{as_extent(buffers_), piece}, call.allocator());
    Tensor& output = make_output(call, plan);
    std::vector<const float*> places(plan.forms.size());
    float* const out = output.mutable_data<float>().data();
    for (size_t i = 0; i < instructions_.size(); ++i)
      places[inputs_ + i] = scratch.data<float>().data() + as_extent(instructions_[i].buffer) * piece;
    float* const buffers = scratch.mutable_data<float>().data();
    const int64_t steps = plan.flat ? count : plan.rows;
    for (int64_t begin = 0; begin < steps; begin += at_once) {
      const int64_t now = std::min(at_once, steps - begin);
      const int64_t rows = plan.flat ? 1 : now, length = plan.flat ? now : plan.length;
      const int64_t first = plan.flat ? begin : begin * plan.length;
      for_each_operand([&](size_t i) {
        const float* const data = call.input(i).data<float>().data();
        places[i] = data + (plan.forms[i] == Form::Full ? first : plan.forms[i] == Form::Row ? begin : 0);
      });
      for (size_t i = 0; i < instructions_.size(); ++i) {
        const bool ends = i + 1 == instructions_.size();
        float* const result = ends ? out + first : buffers + as_extent(instructions_[i].buffer) * piece;
        execute(instructions_[i], plan.forms, places, result, plan.forms[inputs_ + i], rows, length);
      }
    }
  }

  /// Makes the output in the memory of a whole input that is read for the last time: the last action writes elements
  /// whose places all actions have read.
  Tensor& make_output(KernelCall& call, const RowPlan& plan) const {
    const Tensor& whole = *plan.shape_of;
    for (size_t i = 0; i < inputs_; ++i) {
      const Tensor& input = call.input(i);
      if (plan.forms[i] == Form::Full && input.layout() == whole.layout() && input.owns_memory_alone())
        return call.make_output_like(0, i);
    }
    return call.make_output(0, DataType::Float32, whole.shape(), whole.layout());
  }

  static void execute(const RowInstruction& instruction, std::span<const Form> forms,
                      std::span<const float* const> places, float* result, Form form, int64_t rows, int64_t length) {
    const float *const a = places[instruction.a], *const b = places[instruction.b];
    const int64_t count = form == Form::Full     ? rows * length
                          : form == Form::Row    ? rows
                          : form == Form::Column ? length
                                                 : 1;
    switch (instruction.action.kind) {
      case RowAction::Kind::Mean: {
        reduce_run(ReduceFunction::Sum, a, result, rows, length, 1);
        const auto divisor = static_cast<float>(length);
        return apply_binary(BinaryFunction::Div, result, &divisor, result, {.length = rows, .b_step = 0});
      }
      case RowAction::Kind::Unary: return apply_unary({instruction.action.unary}, a, result, as_index(count));
      case RowAction::Kind::Binary: break;
    }
    const Form form_a = forms[instruction.a], form_b = forms[instruction.b];
    BinaryRows loops{.rows = 1, .length = count};
    if (form != Form::Full || (form_a == Form::Full && form_b == Form::Full)) {
      loops.a_step = form_a == Form::One ? 0 : 1;
      loops.b_step = form_b == Form::One ? 0 : 1;
    } else {
      const auto row_stride = [&](Form of) { return of == Form::Full ? length : of == Form::Row ? int64_t{1} : 0; };
      const auto steps = [](Form of) { return of == Form::Full || of == Form::Column ? 1 : 0; };
      loops = {.rows = rows,
               .length = length,
               .a_row = row_stride(form_a),
               .a_step = steps(form_a),
               .b_row = row_stride(form_b),
               .b_step = steps(form_b)};
    }
    apply_binary(instruction.action.binary, a, b, result, loops);
  }

  /// Runs the kernel of each node.
  void run_nodes(KernelCall& call) const {
    std::vector<Tensor> values(inputs_ + instructions_.size());
    for (size_t i = 0; i < inputs_; ++i) values[i] = call.input(i);
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const RowInstruction& instruction = instructions_[i];
      std::vector<Tensor> inputs;
      for (const size_t slot : instruction.slots) inputs.push_back(values[slot]);
      for (const size_t dead : instruction.dead) values[dead] = Tensor();
      KernelCall one(inputs, std::span(&values[inputs_ + i], 1), {}, call.allocator(), call.workspace());
      try {
        instruction.kernel->run(one);
      } catch (const WrongElementType&) {
        throw;
      } catch (const Error& error) {
        if (instruction.name.empty()) throw;
        throw error.in(instruction.name);
      }
    }
    call.set_output(0, std::move(values.back()));
  }

  size_t inputs_;
  size_t buffers_ = 0;
  std::vector<RowInstruction> instructions_;
};

}  // namespace

bool runs_by_rows(const KernelContext& context) { return action_of(context).has_value(); }

std::unique_ptr<Kernel> make_row_program(std::span<const KernelContext> nodes, std::span<const ValueId> inputs) {
  return std::make_unique<RowProgramKernel>(nodes, inputs);
}

}  // namespace detent
