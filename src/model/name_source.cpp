#include "model/name_source.h"

namespace detent {

std::string NameSource::fresh(const std::string& wish) {
  std::string name = wish;
  for (int suffix = 1;
       graph_.find_value(name) || graph_.find_node(name) || graph_.defines_inside(name) || !given_.insert(name).second;
       ++suffix)
    name = wish + "_" + std::to_string(suffix);
  return name;
}

}  // namespace detent
