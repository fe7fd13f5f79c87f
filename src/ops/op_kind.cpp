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

}  // namespace detent
