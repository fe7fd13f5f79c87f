#pragma once

#include <string>
#include <vector>

#include "detent/explain.h"
#include "explain/cause.h"

namespace detent {

/// Returns why an engine is slow and what to do, the dearest reason first: layers whose causes are of one kind, with
/// one command for all of them. Causes that cost nothing are left out. `causes` has an entry for each row, which holds
/// the text of its cure.
[[nodiscard]] std::vector<ExplainReport::Advice> advise(const std::vector<ExplainReport::Layer>& rows,
                                                        const std::vector<Cause>& causes);

/// Returns a regular expression that finds the nodes and none of `others`: numbers that differ become "[0-9]+" where
/// that is so, else the names stand beside one another.
[[nodiscard]] std::string pattern_of(const std::vector<std::string>& nodes, const std::vector<std::string>& others);

}  // namespace detent
