// Scales and zero points of shape [1], which PyTorch's FX exports have. ONNX Runtime makes an integer kernel of the
// operator between the pairs, and three kernels take scalars only: the engine then calls the model invalid. `lint`
// names exactly the files that the engine refuses.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { openSession } from './engine.mjs';
import { graphOf, initializer, modelOf, node } from './graph_parts.mjs';

const floats = (name, dims, ...values) => initializer(name, { type: 'float32', dims, data: Float32Array.from(values) });
const bytes = (name, dims, ...values) => initializer(name, { type: 'uint8', dims, data: Uint8Array.from(values) });

async function isRefused(file) {
  try {
    await (await openSession(file, 'all')).release();
    return false;
  } catch (error) {
    assert.match(error.message, /Scale and Zero-point must be a scalar/);
    return true;
  }
}

// From the dequantized inputs 'a' and 'b' to 'r'. taken: the kernel takes the shape [1], or there is none.
const two = (op, attributes) => [node(op, ['a', 'b'], ['r'], attributes)];
const one = (op, attributes) => [node(op, ['a'], ['r'], attributes)];
const window = { kernel_shape: [1, 1] };
const operators = {
  Add: { nodes: two('Add') },
  Mul: { nodes: two('Mul') },
  AveragePool: { nodes: one('AveragePool', window) },
  'Add behind a Transpose': { nodes: [node('Transpose', ['a'], ['t'], { perm: [0, 1, 3, 2] }), node('Add', ['t', 'b'], ['r'])] },
  'Add behind a MaxPool': { nodes: [node('MaxPool', ['a'], ['t'], window), node('Add', ['t', 'b'], ['r'])] },
  'Add before a Transpose': { nodes: [node('Add', ['a', 'b'], ['t']), node('Transpose', ['t'], ['r'], { perm: [0, 1, 3, 2] })] },
  'Add before an absorbed Relu': { nodes: [node('Add', ['a', 'b'], ['t']), node('Relu', ['t'], ['r'])], point: 0 },
  'Add before a Relu that stays': { nodes: [node('Add', ['a', 'b'], ['t']), node('Relu', ['t'], ['r'])], taken: true },
  'Add behind a Relu': { nodes: [node('Relu', ['a'], ['t']), node('Add', ['t', 'b'], ['r'])], taken: true },
  'Add with a float reader': { nodes: [...two('Add'), node('Tanh', ['r'], ['u'])], more: ['u'], taken: true },
  Sub: { nodes: two('Sub'), taken: true },
  Concat: { nodes: two('Concat', { axis: 0 }), taken: true },
  LeakyRelu: { nodes: one('LeakyRelu'), taken: true },
  Sigmoid: { nodes: one('Sigmoid'), taken: true },
  Softmax: { nodes: one('Softmax'), taken: true },
  MaxPool: { nodes: one('MaxPool', window), taken: true },
  GlobalAveragePool: { nodes: one('GlobalAveragePool'), taken: true },
};
const shapes = { scalars: [[], []], 'scale [1]': [[1], []], 'zero point [1]': [[], [1]] };

for (const [name, { nodes, point = 128, more = [], taken = false }] of Object.entries(operators)) {
  for (const [shape, [scale, zero]] of Object.entries(shapes)) {
    for (const place of ['x', 'r']) {
      test(`${name}, ${shape} at ${place}`, async () => {
        const pair = (input, output) => [node('QuantizeLinear', [input, `s${input}`, `z${input}`], [`${output}_q`]),
          node('DequantizeLinear', [`${output}_q`, `s${input}`, `z${input}`], [output])];
        const grid = (value, at) => [floats(`s${value}`, value === place ? scale : [], 0.05),
          bytes(`z${value}`, value === place ? zero : [], at)];
        const file = join(freshFolder(), 'model.onnx');
        const value = (each) => ({ name: each, type: 'float32', dims: [1, 4, 4, 4] });
        writeFileSync(file, modelOf({ opset: 17, graph: graphOf({
          nodes: [...pair('x', 'a'), ...pair('v', 'b'), ...nodes, ...pair('r', 'd'), node('Tanh', ['d'], ['y'])],
          initializers: [...grid('x', 128), ...grid('v', 128), ...grid('r', point)],
          inputs: [value('x'), value('v')],
          outputs: ['y', ...more].map((each) => ({ name: each, type: 'float32' })),
        }) }));
        const { findings } = JSON.parse((await detent('lint', file, '--target', 'onnxruntime', '--json')).stdout);
        const named = findings.some(({ id, level }) => id === 'scale-not-scalar' && level === 'error');
        const expected = !taken && shape !== 'scalars';
        assert.equal(await isRefused(file), expected, 'the engine');
        assert.equal(named, expected, 'lint');
      });
    }
  }
}
