// What the plan calls INT8 for the onnxruntime target, ONNX Runtime really runs as an integer convolution.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { freshFolder, plan, quantized } from './detent.mjs';
import { openSession } from './engine.mjs';
import { readModel } from './onnx_file.mjs';
import { selected } from './selection.mjs';

// Level "extended" converts and keeps the standard operators; "all" would go on to rename them for the CPU's layout.
async function optimizedModel(file) {
  const optimized = join(freshFolder(), 'optimized.onnx');
  const session = await openSession(file, 'extended', { optimizedModelFilePath: optimized });
  await session.release();
  return readModel(optimized);
}

// {convolution's name: name of its integer weight} where the weight is an initializer behind a DequantizeLinear.
function integerWeights(model) {
  const producer = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node])));
  const found = new Map();
  for (const node of model.nodes.filter((n) => n.op === 'Conv')) {
    const source = producer.get(node.inputs[1]);
    if (source?.op === 'DequantizeLinear' && model.initializers.has(source.inputs[0])) {
      found.set(node.name, source.inputs[0]);
    }
  }
  return found;
}

for (const { model, options } of selected) {
  test(`${model.name}: planned INT8 convolutions become QLinearConv`, options, async (t) => {
    const file = await quantized(model, 'onnxruntime');
    const { layers } = await plan(model, 'onnxruntime');
    const planned = layers.filter((layer) => layer.op === 'Conv' && layer.int8).map((layer) => layer.name);
    const weights = integerWeights(readModel(file));
    const optimized = await optimizedModel(file);
    const integer = new Set(optimized.nodes.filter((n) => n.op === 'QLinearConv').map((n) => n.inputs[3]));
    const notFound = planned.filter((name) => !weights.has(name));
    assert.deepEqual(notFound, [], 'planned INT8, but no INT8 weight in the written file');
    assert.deepEqual(planned.filter((name) => !integer.has(weights.get(name))), [], 'planned INT8, but not QLinearConv');
    const convolutions = layers.filter((layer) => layer.op === 'Conv').length;
    t.diagnostic(`${planned.length} of ${convolutions} convolutions planned INT8, ${integer.size} QLinearConv`);
    assert.ok(planned.length > 0, 'the plan calls no convolution INT8');
  });
}
