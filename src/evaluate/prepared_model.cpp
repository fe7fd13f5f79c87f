#include "evaluate/prepared_model.h"

#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "run/workers.h"

namespace detent {

PreparedModel::PreparedModel(const Model& model, const std::vector<std::string>& names, int team, CpuProducts products)
    : wanted_(values_named(model.graph(), names)),
      schedule_(model.graph(), wanted_, {.team = team, .products = products}) {}

std::vector<Tensor> PreparedModel::run(std::span<const Tensor> inputs, BufferPool& pool) const {
  OutputKeeper keeper(schedule_.graph(), wanted_);
  Executor(schedule_, pool).run(inputs, keeper);
  return keeper.take();
}

}  // namespace detent
