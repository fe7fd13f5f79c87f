// A decoder step of com.microsoft operators (norm with skip, grouped queries with rotary positions and a cache, gate):
// the file quantized from its expansion, in the engine, against the engine's own kernels on the original.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder, reportOf } from './detent.mjs';
import { openSession, runStack } from './engine.mjs';
import { graphOf, initializer, modelOf, node } from './graph_parts.mjs';
import { levelOf } from './models.mjs';
import { writeNpy } from './npy.mjs';
import { random } from './random_inputs.mjs';
import { sqnr } from './score.mjs';

// 4 heads in 2 groups, 16 elements each; 3 new tokens behind 6 old ones.
const ms = 'com.microsoft';
const float = (name, dims) => ({ name, type: 'float32', dims });
const weights = { scale: random([64], 1, 2), qkv_w: random([64, 128], 0.2, 3), o_w: random([64, 64], 0.2, 4),
  down_w: random([64, 64], 0.2, 5), cos: random([32, 8], 1, 6), sin: random([32, 8], 1, 7),
  total: { type: 'int32', dims: [], data: Int32Array.of(9) } };
const model = modelOf({ opset: 17, domains: [ms], graph: graphOf({
  nodes: [
    node('SkipSimplifiedLayerNormalization', ['x', 'x', 'scale'], ['normal'], {}, ms),
    node('MatMul', ['normal', 'qkv_w'], ['qkv']),
    node('GroupQueryAttention', ['qkv', '', '', 'past_key', 'past_value', 'lengths', 'total', 'cos', 'sin'],
      ['heads', 'present_key', 'present_value'], { num_heads: 4, kv_num_heads: 2, do_rotary: 1 }, ms),
    node('MatMul', ['heads', 'o_w'], ['o']),
    node('QuickGelu', ['o'], ['gate'], { alpha: { float: 1 } }, ms),
    node('MatMul', ['gate', 'down_w'], ['y']),
  ],
  initializers: Object.entries(weights).map(([name, tensor]) => initializer(name, tensor)),
  inputs: [float('x', [1, 3, 64]), float('past_key', [1, 2, 6, 16]), float('past_value', [1, 2, 6, 16]),
    { name: 'lengths', type: 'int32', dims: [1] }],
  outputs: [float('y', [1, 3, 64]), float('present_key', [1, 2, 9, 16]), float('present_value', [1, 2, 9, 16])],
}) });
const samples = 32;
const inputs = { x: random([samples, 3, 64], 1, 8), past_key: random([samples, 2, 6, 16], 1, 9),
  past_value: random([samples, 2, 6, 16], 1, 10), lengths: { type: 'int32', dims: [samples], data: new Int32Array(samples).fill(8) } };

const folder = freshFolder();
const file = join(folder, 'decoder.onnx');
writeFileSync(file, model);
const data = Object.entries(inputs).flatMap(([name, stack]) => {
  const path = join(folder, `${name}.npy`);
  writeNpy(path, stack.dims.length === 1 ? { ...stack, dims: [samples, 1] } : stack);
  return ['--data', `${name}=${path}`];
});

for (const target of Object.keys(levelOf)) {
  test(`a decoder of com.microsoft operators, ${target}`, async (t) => {
    const output = join(freshFolder(), 'decoder.int8.onnx');
    await detent('quantize', file, '-o', output, '--quiet', '--target', target, `--json=${reportOf(output)}`, ...data);
    const { coverage, error } = JSON.parse(readFileSync(reportOf(output), 'utf8'));
    assert.equal(coverage.int8_layers, 3);
    const expected = await runStack(await openSession(file, 'disabled'), inputs);
    const engine = await runStack(await openSession(output, levelOf[target]), inputs);
    for (const { name, sqnr_db: ours } of error.outputs) {
      const db = sqnr(expected[name], engine[name]);
      t.diagnostic(`${target}, ${name}: ${db.toFixed(1)} dB in the engine, ${ours.toFixed(1)} dB by detent`);
      // Two roundings to 8 bits cost about 37 dB; both programs measure the same error, except for codes on the edge.
      assert.ok(db > 30 && Math.abs(db - ours) < 1, `${name}: ${db} dB in the engine, ${ours} dB by detent`);
    }
  });
}
