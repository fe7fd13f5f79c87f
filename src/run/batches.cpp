#include "run/batches.h"

namespace detent {

StreamOptions batch_stream_options(const Graph& graph, const RunSettings& settings, bool fill_last) {
  StreamOptions options;
  options.threads = worker_count(settings);
  options.group_size = static_cast<size_t>(fixed_batch(graph));
  options.fill_last_group = fill_last;
  options.skip_bad_data = settings.skip_bad_data;
  options.cancel = &interrupted();
  options.reporter = settings.reporter;
  return options;
}

}  // namespace detent
