// A decoder with a cache of keys and values in quantize, run and ONNX Runtime, for both targets: past values come in
// and all values go out in float, and the quantized step continues a cache as the float step does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { past, step, writeCacheModel, writeCacheSamples } from './cache_model.mjs';
import { detent, freshFolder, reportOf, runWith } from './detent.mjs';
import { openSession, runOnce, runStack } from './engine.mjs';
import { levelOf } from './models.mjs';
import { readNpy, sampleOf } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { sqnr } from './score.mjs';

const folder = freshFolder();
const model = writeCacheModel(folder);
const [calibration, evaluation] = [writeCacheSamples(folder, 32, 1), writeCacheSamples(folder, 16, 2)];
const sources = (option, stacks) => Object.entries(stacks).flatMap(([input, path]) => [option, `${input}=${path}`]);
const read = (stacks) => Object.fromEntries(Object.entries(stacks).map(([name, path]) => [name, readNpy(path)]));

async function quantized(target, ...more) {
  const file = join(freshFolder(), 'decoder.int8.onnx');
  await detent('quantize', model, '-o', file, '--quiet', '--target', target, `--json=${reportOf(file)}`,
    ...sources('--data', calibration), ...sources('--eval', evaluation), ...more);
  return file;
}

// Positions of keys [1, heads, from..to) of [1, heads, length, width].
const positions = ({ dims: [, heads, length, width], data }, from, to) =>
  Array.from({ length: heads }, (_, h) => [...data.subarray((h * length + from) * width, (h * length + to) * width)]).flat();

for (const target of Object.keys(levelOf)) {
  test(`a decoder with a cache, ${target}`, async (t) => {
    const file = await quantized(target);
    const [float, int8] = [await openSession(model, 'disabled'), await openSession(file, levelOf[target])];
    const expected = await runStack(float, read(evaluation));
    const engine = await runStack(int8, read(evaluation));
    const ours = await runWith(file, evaluation);
    for (const name of ['logits', 'present_key', 'present_value']) {
      const [db, apart] = [sqnr(expected[name], engine[name]), sqnr(engine[name], ours[name])];
      t.diagnostic(`${name}: ${db.toFixed(1)} dB against FP32; Detent and the engine ${apart.toFixed(1)} dB apart`);
      // Two roundings to 8 bits of values within 4 standard deviations cost about 37 dB; a wrong axis or scale leaves
      // under 10.
      assert.ok(db > 25, `${name} has ${db} dB`);
      // A code on the edge falls to either side in two programs that sum in other orders: rarer than one in 100
      // codes.
      assert.ok(apart > db + 3, `${name}: engines are ${apart} dB apart, FP32 ${db}`);
    }

    // The cache comes back unchanged: no pair stands on it.
    const first = Object.fromEntries(Object.entries(read(evaluation)).map(([name, stack]) => [name, sampleOf(stack, 0)]));
    const out = await runOnce(int8, first);
    assert.deepEqual(positions(out.present_key, 0, past), positions(first.past_key, 0, past));
    assert.deepEqual(positions(out.present_value, 0, past), positions(first.past_value, 0, past));
    assert.equal(out.present_key.dims[2], past + step);
    const { float_layers: left } = JSON.parse(readFileSync(reportOf(file), 'utf8'));
    assert.deepEqual(left, [], 'layers stay float');
    const readers = readModel(file).nodes.filter((node) => node.op === 'QuantizeLinear').map((node) => node.inputs[0]);
    for (const cached of ['past_key', 'past_value', 'present_key', 'present_value']) assert.ok(!readers.includes(cached), cached);
  });
}

test('quantized products of attention read the cache through pairs where that is asked for', async () => {
  const readers = readModel(await quantized('tensorrt', '--policy', 'attention=int8')).nodes
    .filter((node) => node.op === 'QuantizeLinear').map((node) => node.inputs[0]);
  assert.ok(readers.includes('q') || readers.includes('kt'), `pairs on ${readers}`);
});
