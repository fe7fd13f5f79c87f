// ONNX Runtime runs exactly the layers with an integer kernel that the plan for onnxruntime calls INT8: every
// weighted layer of every model, judged by the graph that the engine writes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { plan, quantized } from './detent.mjs';
import { optimizedModel } from './integer_nodes.mjs';
import { readModel } from './onnx_file.mjs';
import { selectedOfAll } from './selection.mjs';

// The input of an integer kernel that holds its weight.
const weightSlots = { QLinearConv: 3, QLinearMatMul: 3, QGemm: 3, MatMulIntegerToFloat: 1, DynamicQuantizeMatMul: 1 };

// Returns {layer's name: name of the constant that holds its INT8 weight in the written file}, without layers of
// float weights.
function integerWeights(model) {
  const producer = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node])));
  const found = new Map();
  for (const node of model.nodes) {
    // A scale at run time: the node is named after the layer.
    if (node.op === 'MatMulInteger') found.set(node.name.replace(/_MatMulInteger$/, ''), node.inputs[1]);
    for (const input of node.inputs.slice(0, 2)) {
      const source = producer.get(input);
      if (source?.op === 'DequantizeLinear' && model.initializers.has(source.inputs[0])) {
        found.set(node.name, source.inputs[0]);
      }
    }
  }
  return found;
}

const times = (list) => list.reduce((counts, item) => counts.set(item, (counts.get(item) ?? 0) + 1), new Map());

const variants = selectedOfAll().flatMap((selected) => [[], ['--activation', 'int8'], ['--activation', 'dynamic']].map((more) => ({ ...selected, more })));

for (const { model, options, more } of variants) {
  const title = [model.name, ...more].join(' ');
  test(`${title}: the layers planned INT8 are those that ONNX Runtime runs with integers`, options, async (t) => {
    const file = await quantized(model, 'onnxruntime', 'max', ...more);
    const { layers } = await plan(model, 'onnxruntime', ...more);
    const weights = integerWeights(readModel(file));
    const optimized = await optimizedModel(file);
    const real = times(optimized.nodes.filter((n) => n.op in weightSlots).map((n) => n.inputs[weightSlots[n.op]]));
    const planned = times(layers.filter((layer) => layer.int8).map((layer) => weights.get(layer.name) ?? layer.name));
    const tell = (layer) => `${layer.op} ${layer.name}: ${layer.rule}, ${layer.reason}`;
    const differs = (layer) => {
      const weight = weights.get(layer.name) ?? layer.name;
      return (planned.get(weight) ?? 0) !== (real.get(weight) ?? 0);
    };
    assert.deepEqual(layers.filter((layer) => layer.int8 && differs(layer)).map(tell), [], 'planned INT8, but float');
    assert.deepEqual(layers.filter((layer) => !layer.int8 && differs(layer)).map(tell), [], 'planned float, but integer');
    const sum = (counts) => [...counts.values()].reduce((a, b) => a + b, 0);
    t.diagnostic(`${sum(planned)} of ${layers.length} layers planned INT8, ${sum(real)} integer kernels with weights`);
  });
}
