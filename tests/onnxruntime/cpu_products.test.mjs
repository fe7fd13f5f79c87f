// `--emulate avx2` computes every integer layer as ONNX Runtime does on x86 CPUs without VNNI, code for code, from the
// codes that the engine had there. A file of `--cpu any` computes the same on both kinds of CPU.
import assert from 'node:assert/strict';
import test from 'node:test';
import { codedLayers, layersAlone } from './coded_layers.mjs';
import { hasVnni, runOn, withoutVnni } from './cpus.mjs';
import { freshFolder, quantized, runWith, writeSamples } from './detent.mjs';
import { readNpy, sampleOf, stack, writeNpy } from './npy.mjs';
import { readModel, withAllOutputs } from './onnx_file.mjs';
import { selected } from './selection.mjs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = (name) => name.replace(/[^A-Za-z0-9_.-]/g, '_');

// Returns {from: stack, expected: [stack]}: the codes in front of and behind each layer, of one sample, on a kind of
// CPU.
async function codesOf(command, file, model, found) {
  const folder = freshFolder();
  const read = readModel(file);
  const wanted = new Set(found.flatMap(({ from, quantize }) => [from, quantize.outputs[0]]));
  const traced = join(folder, 'traced.onnx');
  writeFileSync(traced, withAllOutputs(read, (name) => wanted.has(name)));
  const sample = join(folder, 'sample.npy');
  const all = readNpy(await writeSamples(model, model.evaluation(model.name === 'sample' ? 12 : 1000)));
  writeNpy(sample, stack([sampleOf(all, 0)]));
  const outputs = await runOn(command, traced, { [read.inputs[0].name]: sample });
  return (name) => outputs[fileName(name)];
}

function compare(expected, ours) {
  let [differ, worst] = [0, 0];
  for (let i = 0; i < expected.data.length; ++i) {
    const distance = Math.abs(expected.data[i] - ours.data[i]);
    differ += distance > 0;
    worst = Math.max(worst, distance);
  }
  return { differ, worst, count: expected.data.length };
}

async function agreement(command, file, model, products) {
  const read = readModel(file);
  const found = codedLayers(read);
  const codes = await codesOf(command, file, model, found);
  const alone = layersAlone(read, found, Object.fromEntries(found.map(({ from }) => [from, codes(from).dims])));
  const folder = freshFolder();
  const stacks = Object.fromEntries(alone.inputs.map((name, index) => {
    const path = join(folder, `${index}.npy`);
    writeNpy(path, codes(name));
    return [name, path];
  }));
  const ours = await runWith(alone.file, stacks, '--emulate', products);
  const sum = { layers: found.length, differ: 0, worst: 0, count: 0 };
  found.forEach(({ quantize }, index) => {
    const one = compare(codes(quantize.outputs[0]), ours[alone.resultOf(index)]);
    sum.differ += one.differ;
    sum.count += one.count;
    sum.worst = Math.max(sum.worst, one.worst);
  });
  return sum;
}

const noCpu = withoutVnni ? false : 'this CPU has VNNI, and there is no qemu-x86_64 (7.2 or newer) to run without it';

for (const { model, options } of selected()) {
  test(`${model.name}: without VNNI every code of every integer layer is ONNX Runtime's`,
    { ...options, skip: options.skip || noCpu }, async (t) => {
      const file = await quantized(model, 'onnxruntime', 'max', '--cpu', 'vnni');
      const found = await agreement(withoutVnni, file, model, 'avx2');
      t.diagnostic(`${found.layers} layers, ${found.count} codes, ${found.differ} differ`);
      assert.ok(found.layers > 0);
      assert.equal(found.differ, 0);
    });

  test(`${model.name}: with VNNI exact products give ONNX Runtime's codes`,
    { ...options, skip: options.skip || (hasVnni ? false : 'this CPU has no VNNI') }, async (t) => {
      const file = await quantized(model, 'onnxruntime', 'max', '--cpu', 'vnni');
      const found = await agreement([], file, model, 'exact');
      t.diagnostic(`${found.layers} layers, ${found.count} codes, ${found.differ} differ, by ${found.worst}`);
      // Sums are equal; two float factors for one round some ties to the other side.
      assert.ok(found.worst <= 1);
      assert.ok(found.differ <= 1e-3 * found.count);
    });

  test(`${model.name}: a file for any CPU has the same codes with VNNI and without`,
    { ...options, skip: options.skip || noCpu || (hasVnni ? false : 'this CPU has no VNNI') }, async (t) => {
      const file = await quantized(model, 'onnxruntime', 'max');
      const found = codedLayers(readModel(file));
      const [without, native] = [await codesOf(withoutVnni, file, model, found), await codesOf([], file, model, found)];
      const differ = found.filter(({ quantize: { outputs: [name] } }) => compare(native(name), without(name)).differ > 0);
      t.diagnostic(`${found.length} layers, ${differ.length} differ`);
      assert.deepEqual(differ.map(({ layer }) => layer.name), []);
    });
}
