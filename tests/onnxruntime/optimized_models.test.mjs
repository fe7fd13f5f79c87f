// Graphs that ONNX Runtime's optimizer wrote (SessionOptions: optimizedModelFilePath) of every model: Detent runs them
// as it runs the original, and quantizes them as well.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder, reportOf } from './detent.mjs';
import { openSession } from './engine.mjs';
import { levelOf } from './models.mjs';
import { readNpy, widened } from './npy.mjs';
import { sqnr } from './score.mjs';
import { selectedToWrite } from './written_models.mjs';

// Level "extended": level "all" also renames convolutions to a blocked layout of one CPU.
async function optimized(file, level = 'extended') {
  const folder = freshFolder();
  const written = join(folder, 'optimized.onnx');
  // The engine keeps the names of external files.
  for (const name of readdirSync(dirname(file)).filter((one) => one.endsWith('.data')))
    copyFileSync(join(dirname(file), name), join(folder, name));
  const session = await openSession(file, level, { optimizedModelFilePath: written });
  await session.release();
  return written;
}

async function run(file, data) {
  const out = join(freshFolder(), 'out');
  const { stdout } = await detent('run', file, '-o', out, '--json', ...data);
  return { expanded: JSON.parse(stdout).expanded,
    outputs: Object.fromEntries(readdirSync(out).map((entry) => [entry, join(out, entry)])) };
}

// Returns the share of INT8 and the SQNR of a quantized model.
async function quantized(file, target, data) {
  const output = join(freshFolder(), 'model.int8.onnx');
  await detent('quantize', file, '-o', output, '--quiet', '--accept-broken', '--target', target, `--json=${reportOf(output)}`,
    ...data);
  const { coverage, error } = JSON.parse(readFileSync(reportOf(output), 'utf8'));
  return { layers: coverage.int8_layers, macs: coverage.int8_macs, db: error.sqnr_db };
}

for (const { model, options } of selectedToWrite()) {
  test(`${model.name}: the optimized graph has the outputs of the original`, options, async (t) => {
    const file = await optimized(model.file);
    const [before, after] = [await run(model.file, model.data), await run(file, model.data)];
    t.diagnostic(`${model.name}: expanded ${JSON.stringify(after.expanded)}`);
    for (const [name, path] of Object.entries(before.outputs)) {
      const [a, b] = [widened(readNpy(path)), widened(readNpy(after.outputs[name]))];
      assert.deepEqual(b.dims, a.dims);
      const db = sqnr(a, b);
      t.diagnostic(`${model.name}: ${name} ${db} dB`);
      // Rounding in another order: about 24 bits of noise less the depth of the network. Halves have 11 bits.
      assert.ok(db >= (model.name.includes('fp16') ? 40 : 90), `${name}: ${db} dB`);
    }
  });
}

const alsoQuantized = /^(sample|chars_gpt|cifar10_resnet18|exports\/(vit|bert)_mini\/.*)$/;
for (const { model, options } of selectedToWrite().filter((one) => alsoQuantized.test(one.model.name))) {
  for (const target of Object.keys(levelOf)) {
    test(`${model.name}, ${target}: the optimized graph is quantized as the original`, options, async (t) => {
      const before = await quantized(model.file, target, model.data);
      const after = await quantized(await optimized(model.file), target, model.data);
      t.diagnostic(`${model.name}, ${target}: ${before.db} and ${after.db} dB, ${after.layers} layers`);
      assert.deepEqual([after.layers, after.macs], [before.layers, before.macs]);
      // Codes on the edge fall to either side where floats are rounded in another order.
      assert.ok(Math.abs(after.db - before.db) < 0.1, `${before.db} and ${after.db} dB`);
    });
  }
}
