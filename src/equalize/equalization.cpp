#include "equalize/equalization.h"

namespace detent {

std::string_view name_of(EqualizeFamily family) {
  switch (family) {
    case EqualizeFamily::Gate: return "gate";
    case EqualizeFamily::Relu: return "relu";
    case EqualizeFamily::Linear: return "linear";
    case EqualizeFamily::Norm: return "norm";
    case EqualizeFamily::Act: return "act";
  }
  return "";
}

}  // namespace detent
