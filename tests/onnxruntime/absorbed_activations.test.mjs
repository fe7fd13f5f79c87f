// A Relu or Clip between an operator and the pair behind it. ONNX Runtime compares its bounds with the pair twice: in
// codes to choose the integer kernel, and in real numbers to remove the activation. If the two disagree it calls the
// model invalid. `quantize` writes no such file; `lint` names it in files of others.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { openSession } from './engine.mjs';
import { graphOf, initializer, modelOf, node } from './graph_parts.mjs';
import { integerLayers } from './integer_nodes.mjs';
import { writeNpy } from './npy.mjs';
import { random } from './random_inputs.mjs';

const floats = (name, dims, ...values) => initializer(name, { type: 'float32', dims, data: Float32Array.from(values) });
const bytes = (name, type, dims, ...values) => initializer(name, { type, dims,
  data: type === 'int8' ? Int8Array.from(values) : Uint8Array.from(values) });
const repeated = (count, value) => Array.from({ length: count }, () => value);
const image = { name: 'x', type: 'float32', dims: [1, 16, 4, 4] };

async function isRefused(file) {
  try {
    await (await openSession(file, 'all')).release();
    return false;
  } catch (error) {
    assert.match(error.message, /two nodes with same node name/);
    return true;
  }
}

const kinds = { uint8: { lowest: 0, middle: 128 }, int8: { lowest: -128, middle: 0 } };

// x --> pair --> operator --> activation --> pair --> Tanh. grid: {type, scale, zero (none: left out)}; bounds of the
// Clip.
function foreign({ operator, activation, bounds = [], grid, readers = 1 }) {
  const pair = (input, output, suffix, zero = true) => [
    node('QuantizeLinear', [input, `s${suffix}`, ...(zero ? [`z${suffix}`] : [])], [`${output}_q`]),
    node('DequantizeLinear', [`${output}_q`, `s${suffix}`, ...(zero ? [`z${suffix}`] : [])], [output])];
  const weighted = [node('DequantizeLinear', ['wq', 'ws', 'wz'], ['w'], { axis: operator === 'MatMul' ? 1 : 0 })];
  const weight = operator === 'MatMul' ? [4, 4] : [16, 16, 1, 1];
  const limits = bounds.map((bound, index) => (bound === undefined ? '' : `bound${index}`));
  const { middle } = kinds[grid.type];
  const bodies = {
    Conv: [...weighted, node('Conv', ['xd', 'w'], ['a'])],
    MatMul: [...weighted, node('MatMul', ['xd', 'w'], ['a'])],
    Add: [...pair('x', 'xe', '2'), node('Add', ['xd', 'xe'], ['a'])],
    Concat: [...pair('x', 'xe', '2'), node('Concat', ['xd', 'xe'], ['a'], { axis: 2 })],
    LeakyRelu: [node('LeakyRelu', ['xd'], ['a'])],
    MaxPool: [node('MaxPool', ['xd'], ['a'], { kernel_shape: [1, 1] })],
    Transpose: [node('Transpose', ['xd'], ['a'], { perm: [0, 1, 3, 2] })],
  };
  return modelOf({ opset: 17, graph: graphOf({
    nodes: [...pair('x', 'xd', '0'), ...bodies[operator], node(activation, ['a', ...limits], ['b']),
      ...pair('b', 'bd', '1', grid.zero !== undefined),
      ...Array.from({ length: readers }, (_, index) => node('Tanh', ['bd'], [`y${index}`]))],
    initializers: [floats('s0', [], 0.05), bytes('z0', grid.type, [], middle), floats('s2', [], 0.06), bytes('z2', grid.type, [], middle), floats('s1', [], grid.scale),
      ...(grid.zero === undefined ? [] : [bytes('z1', grid.type, [], grid.zero)]),
      ...bounds.flatMap((bound, index) => (bound === undefined ? [] : [floats(`bound${index}`, [], bound)])),
      bytes('wq', 'int8', weight, ...repeated(weight.reduce((a, b) => a * b), 5)), floats('ws', [weight[operator === 'MatMul' ? 1 : 0]],
        ...repeated(weight[operator === 'MatMul' ? 1 : 0], 0.02)),
      bytes('wz', 'int8', [weight[operator === 'MatMul' ? 1 : 0]], ...repeated(weight[operator === 'MatMul' ? 1 : 0], 0))],
    inputs: [image],
    outputs: Array.from({ length: readers }, (_, index) => ({ name: `y${index}`, type: 'float32',
      dims: operator === 'Concat' ? [1, 16, 8, 4] : [1, 16, 4, 4] })),
  }) });
}

// Grids around Clip(0, 6) and others; `refused` of an operator that becomes an integer kernel.
const grids = {
  'Relu, lowest code 0': { activation: 'Relu', grid: { scale: 0.02, zero: 'lowest' }, refused: false },
  'Relu, zero point in the middle': { activation: 'Relu', grid: { scale: 0.05, zero: 'middle' }, refused: false },
  'Relu, no zero point': { activation: 'Relu', grid: { type: 'uint8', scale: 0.02 }, refused: true },
  'Clip, the range inside': { activation: 'Clip', bounds: [0, 6], grid: { scale: 5.99 / 255, zero: 'lowest' }, refused: false },
  'Clip, no zero point': { activation: 'Clip', bounds: [0, 6], grid: { type: 'uint8', scale: 5.99 / 255 }, refused: true },
  'Clip, 0.2 steps beyond': { activation: 'Clip', bounds: [0, 6], grid: { scale: 6 / 254.8, zero: 'lowest' }, refused: true },
  'Clip, 0.55 steps beyond': { activation: 'Clip', bounds: [0, 6], grid: { scale: 6 / 254.45, zero: 'lowest' }, refused: false },
  'Clip, 0.3 steps below': { activation: 'Clip', bounds: [-127.7 * 0.05, 7], grid: { scale: 0.05, zero: 'middle' }, refused: true },
  'Clip without a lower bound': { activation: 'Clip', bounds: [undefined, 6], grid: { scale: 6 / 254.8, zero: 'lowest' }, refused: true },
  'Clip without an upper bound': { activation: 'Clip', bounds: [0], grid: { scale: 6 / 254.8, zero: 'lowest' }, refused: false },
  'Clip, half a step beyond, to the even code': { activation: 'Clip', bounds: [0, 254.5 / 32], grid: { scale: 1 / 32, zero: 'lowest' }, refused: false },
  'Clip, 2^-23 below': { activation: 'Clip', bounds: [2 ** -23, 100], grid: { scale: 1 / 255, zero: 'lowest' }, refused: false },
  'Clip, 5/4 of 2^-23 below': { activation: 'Clip', bounds: [1.25 * 2 ** -23, 100], grid: { scale: 1 / 255, zero: 'lowest' }, refused: true },
  'Clip, the next float beyond 31.98': { activation: 'Clip', bounds: [0, 31.98],
    grid: { scale: Math.fround(Math.fround(31.98) / 255) * (1 + 2 ** -23), zero: 'lowest' }, refused: true },
  'Clip, symmetric codes': { activation: 'Clip', bounds: [0, 6], grid: { scale: 6 / 127, zero: 'middle' }, refused: false },
};
const integer = { Conv: true, MatMul: true, Add: true, Concat: true, LeakyRelu: true, MaxPool: false, Transpose: false };

for (const [name, { refused, grid, ...parts }] of Object.entries(grids)) {
  for (const type of grid.type ? [grid.type] : ['uint8', 'int8']) {
    for (const [operator, becomes] of Object.entries(integer)) {
      for (const readers of [1, 2]) {
        test(`${operator}, ${name}, ${type}, ${readers} readers`, async () => {
          const file = join(freshFolder(), 'model.onnx');
          writeFileSync(file, foreign({ operator, readers, ...parts, grid: { ...grid, type, zero: kinds[type][grid.zero] } }));
          const { findings } = JSON.parse((await detent('lint', file, '--target', 'onnxruntime', '--json')).stdout);
          const named = findings.some(({ id, level }) => id === 'refused-activation' && level === 'error');
          // The input's pair becomes UINT8; an INT8 pair of two readers does not.
          const expected = refused && becomes && (type === 'uint8' || readers === 1);
          assert.equal(await isRefused(file), expected, 'the engine');
          assert.equal(named, expected, 'lint');
        });
      }
    }
  }
}

// Networks with a Clip whose bounds times 255 steps round up or whose lower bound is not 0, quantized with numbers
// that reach both bounds.
const bounds = [[0, 31.98], [0, 6], [0, 1 / 3], [0, 1e-3], [-1, 3], [-1, 1], [-31.98, 31.98], [-0.1, 31.98]];
const bodies = {
  Conv: [node('Conv', ['x', 'w'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']), node('Conv', ['b', 'w'], ['c'])],
  'Conv read twice': [node('Conv', ['x', 'w'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']), node('Conv', ['b', 'w'], ['d']),
    node('Add', ['b', 'd'], ['c'])],
  MatMul: [node('MatMul', ['x', 'm'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']), node('MatMul', ['b', 'm'], ['c'])],
  'MatMul read twice': [node('MatMul', ['x', 'm'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']), node('MatMul', ['b', 'm'], ['d']),
    node('MatMul', ['b', 'n'], ['e']), node('Add', ['d', 'e'], ['c'])],
  'MatMul of two activations': [node('Conv', ['x', 'w'], ['d']), node('MatMul', ['d', 'x'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']),
    node('Conv', ['b', 'w'], ['c'])],
  Add: [node('Conv', ['x', 'w'], ['d']), node('Add', ['d', 'x'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']), node('Conv', ['b', 'w'], ['c'])],
  LeakyRelu: [node('Conv', ['x', 'w'], ['d']), node('LeakyRelu', ['d'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']),
    node('Conv', ['b', 'w'], ['c'])],
};
for (const [name, nodes] of Object.entries(bodies)) {
  for (const [low, high] of bounds) {
    test(`${name}, Clip(${low}, ${high}): the written file loads`, async () => {
      const folder = freshFolder();
      const [model, file, data] = ['model.onnx', 'model.int8.onnx', 'x.npy'].map((each) => join(folder, each));
      const weights = (dims, seed) => random(dims, 1, seed).data.map((x) => x * Math.max(high, -low));
      writeFileSync(model, modelOf({ opset: 17, graph: graphOf({ nodes: [...nodes, node('Tanh', ['c'], ['y'])],
        initializers: [floats('w', [16, 16, 1, 1], ...weights([256], 3)), floats('m', [4, 4], ...weights([16], 4)),
          floats('n', [4, 4], ...weights([16], 5)), floats('lo', [], low), floats('hi', [], high)],
        inputs: [image], outputs: [{ name: 'y', type: 'float32', dims: [1, 16, 4, 4] }] }) }));
      writeNpy(data, random([4, 16, 4, 4], 2, 9));
      for (const options of [['--calibrator', 'max'], ['--calibrator', 'max', '--policy', 'attention=int8'], ['--calibrator', 'max', '--activation', 'int8'],
        ['--calibrator', 'percentile:99.9']]) {
        await detent('quantize', model, '-o', file, '--overwrite', '--data', data, '--target', 'onnxruntime', '--accuracy', 'fast',
          '--quiet', '--accept-broken', ...options);
        assert.equal(await isRefused(file), false, options.join(' '));
        const lint = JSON.parse((await detent('lint', file, '--target', 'onnxruntime', '--json')).stdout);
        assert.deepEqual(lint.findings.filter(({ level }) => level === 'error').map(({ id }) => id), [], options.join(' '));
      }
    });
  }
}

test('Conv, Clip(0, 31.98): the Clip is absorbed', async () => {
  const folder = freshFolder();
  const [model, file, data] = ['model.onnx', 'model.int8.onnx', 'x.npy'].map((each) => join(folder, each));
  writeFileSync(model, modelOf({ opset: 17, graph: graphOf({
    nodes: [node('Conv', ['x', 'w'], ['a']), node('Clip', ['a', 'lo', 'hi'], ['b']), node('Tanh', ['b'], ['y'])],
    initializers: [floats('w', [16, 16, 1, 1], ...random([256], 40).data), floats('lo', [], 0), floats('hi', [], 31.98)],
    inputs: [image], outputs: [{ name: 'y', type: 'float32', dims: [1, 16, 4, 4] }] }) }));
  writeNpy(data, random([4, 16, 4, 4], 2, 9));
  await detent('quantize', model, '-o', file, '--data', data, '--target', 'onnxruntime', '--calibrator', 'max', '--accuracy', 'fast',
    '--quiet', '--accept-broken');
  assert.deepEqual([...await integerLayers(file)], ['Conv_a']);
});
