#include "place/engines/engine_list.h"

namespace detent {

const PerEngine<const EngineDef*>& engine_list() {
#define DETENT_DEFINITION(id, home) &home::definition(),
  static const PerEngine<const EngineDef*> list{DETENT_ENGINES(DETENT_DEFINITION)};
#undef DETENT_DEFINITION
  return list;
}

}  // namespace detent
