#include "exec/find_shapes.h"

#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"

namespace detent {

ValueShapes find_shapes(const Graph& graph, std::span<const Tensor> inputs) {
  struct ShapeObserver : Observer {
    ValueShapes shapes;
    void observe(ValueId value, const Tensor& tensor) override {
      if (!tensor.is_sequence()) shapes[value] = tensor.shape();
    }
  } observer;
  const RunnablePart runnable(graph);
  std::vector<ValueId> wanted;
  for (const Value& value : graph.values())
    if ((value.producer || value.is_input) && runnable.can_run(value.id)) wanted.push_back(value.id);
  const Schedule schedule(graph, wanted, {.fuse = false, .shapes_only = true});
  Executor(schedule).run(inputs, observer);
  for (const Value& value : graph.values())
    if (const Tensor* constant = graph.constant(value.id)) observer.shapes[value.id] = constant->shape();
  return observer.shapes;
}

}  // namespace detent
