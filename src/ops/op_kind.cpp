#include "ops/op_kind.h"

namespace detent {

bool is_activation(OpKind kind) {
  switch (kind) {
    case OpKind::Relu:
    case OpKind::LeakyRelu:
    case OpKind::Clip:
    case OpKind::Sigmoid:
    case OpKind::HardSigmoid:
    case OpKind::HardSwish:
    case OpKind::Silu:
    case OpKind::Tanh:
    case OpKind::OtherActivation: return true;
    default: return false;
  }
}

bool is_exponential(OpKind kind) { return kind == OpKind::Sigmoid || kind == OpKind::Tanh || kind == OpKind::Silu; }

bool is_arithmetic(OpKind kind) {
  switch (kind) {
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Pow:
    case OpKind::Sqrt:
    case OpKind::Log:
    case OpKind::Abs:
    case OpKind::Min:
    case OpKind::Max:
    case OpKind::Where:
    case OpKind::OtherElementwise: return true;
    default: return false;
  }
}

}  // namespace detent
