#include "pipeline/parts/rewritten_model.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "half/narrow_io.h"
#include "pipeline/parts/provenance.h"
#include "rewrite/dynamic_product.h"
#include "rewrite/gathered_codes.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/tied_codes.h"

namespace detent {

namespace {

/// Removes Casts whose output only their pair reads, which then reads their input, and nodes that others stand for.
void take_unread_out(RewrittenModel& written, const std::vector<std::string>& replaced) {
  GraphPatch unread = take_unread_casts(written.model.graph());
  const std::set<std::string> casts(unread.remove_nodes.begin(), unread.remove_nodes.end());
  std::ranges::copy(replaced, std::back_inserter(unread.remove_nodes));
  if (unread.empty()) return;
  apply_patch(written.model, unread);
  written.promised.rename({}, casts);
}

}  // namespace

void RewrittenModel::check(const Model& file, const std::filesystem::path& output) const {
  check_qdq_file(file.graph(), output, promised, options);
}

void RewrittenModel::narrow_inputs_and_outputs(DataType type) {
  const NarrowedIo narrowed = narrow_io(model.graph(), type);
  apply_patch(model, narrowed.patch);
  promised.rename(narrowed.renamed, narrowed.casts);
}

RewrittenModel rewritten(Model model, const RewriteRequest& request, const Provenance& provenance,
                         const std::function<void(const Graph&, const Rewrite&)>& before) {
  RewrittenModel written{.model = std::move(model)};
  written.options = {request.quantize_outputs, request.format.per_tensor_weights};
  if (!request.constants.empty()) apply_patch(written.model, request.constants);
  const Graph& graph = written.model.graph();
  written.rewrite = make_qdq_patch(graph, request.plan, request.ranges, request.format);
  written.promised = promise_of(graph, request.plan);
  const std::vector<std::string> replaced = replaced_products(graph, request.plan);
  const std::vector<TiedTable> tied = find_tied_tables(graph, request.plan);
  if (before) before(graph, written.rewrite);
  apply_patch(written.model, written.rewrite.patch);
  take_unread_out(written, replaced);
  if (const GraphPatch shared = share_tied_codes(written.model.graph(), tied); !shared.empty()) {
    apply_patch(written.model, shared);
    promise_tied_codes(written.promised, shared);
  }
  if (const GraphPatch gathered = gather_codes(written.model.graph(), *request.plan.target); !gathered.empty()) {
    apply_patch(written.model, gathered);
    promise_gathered_codes(written.promised, gathered);
  }
  write_provenance(written.model, provenance);
  return written;
}

}  // namespace detent
