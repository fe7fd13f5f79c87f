// Weights alone as integers in blocks: ONNX Runtime makes one MatMulNBits of every product that Detent quantized,
// gathers codes of embeddings, computes what Detent computes, and a GPT keeps its cross entropy.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder, runWith } from './detent.mjs';
import { openSession, runModel, runStack } from './engine.mjs';
import { charsGpt, knownNats, readSequences } from './language_models.mjs';
import { shared } from './models.mjs';
import { writeNpy } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { nextTokens, sqnr } from './score.mjs';

const has = { skip: !existsSync(charsGpt.file) && `${charsGpt.file} is not there` };
const exactProducts = { extra: { session: { qdq_matmulnbits_accuracy_level: '0' } } };

async function quantized(model, ...args) {
  const file = join(freshFolder(), 'weights.onnx');
  const { stdout } = await detent('quantize-weights', model, '-o', file, '--quiet', '--accept-broken', '--target', 'onnxruntime',
    '--type', ...args);
  return {
    file, layers: Number(/weights of (\d+) of/.exec(stdout)[1]),
    tables: Number(/masks: (\d+) of/.exec(stdout)?.[1] ?? 0),
  };
}

// {operator: count} of the graph as the engine runs it.
async function operators(file, level = 'all') {
  const counts = {};
  for (const { op } of (await optimized(file, level)).nodes) counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}

async function optimized(file, level = 'all') {
  const path = join(freshFolder(), 'optimized.onnx');
  await (await openSession(file, level, { optimizedModelFilePath: path })).release();
  return readModel(path);
}

// tables: embeddings, positions and masks; readers: their readers. The engine gives every reader a separate
// DequantizeLinear.
const models = [
  { name: 'chars_gpt', file: charsGpt.file, layers: 25, tables: 3, readers: 8 },
  { name: 'vit_mini', file: join(shared, 'exports/vit_mini/legacy_opset14.onnx'), layers: 9, tables: 1, readers: 1 },
  { name: 'bert_mini', file: join(shared, 'exports/bert_mini/legacy_opset14.onnx'), layers: 14, tables: 2, readers: 2 },
];

function firstIds(count) {
  const { ids } = readSequences(charsGpt.evaluation);
  return { type: ids.type, dims: [count, ids.dims[1]], data: ids.data.slice(0, count * ids.dims[1]) };
}

for (const { name, file: model, layers, tables, readers } of models) {
  for (const [codes, block] of [['int4', '32'], ['int4', '128'], ['int4', 'channel'], ['int8', '32'], ['int8', 'channel']]) {
    test(`${name}: every product of ${codes}, block ${block}, becomes one MatMulNBits`, has, async () => {
      const made = await quantized(model, codes, '--block', block);
      assert.equal(made.layers, layers);
      assert.equal(made.tables, tables);
      const counts = await operators(made.file);
      assert.equal(counts.MatMulNBits, layers);
      assert.equal(counts.DequantizeLinear, readers);
    });
  }
  test(`${name}: the float model has none, and without fusions there is none`, has, async () => {
    assert.equal((await operators(model)).MatMulNBits, undefined);
    assert.equal((await operators((await quantized(model, 'int4')).file, 'basic')).DequantizeLinear, layers + readers);
  });
}

test('the engine gathers codes of an embedding, and makes floats of the rows that it took', has, async () => {
  const { nodes } = await optimized((await quantized(charsGpt.file, 'int4')).file);
  const gather = nodes.find(({ op, inputs }) => op === 'Gather' && inputs[0] === 'e.weight_quantized');
  assert.ok(gather, 'no Gather reads the codes');
  const [reader, ...others] = nodes.filter(({ inputs }) => inputs.includes(gather.outputs[0]));
  assert.equal(reader.op, 'DequantizeLinear');
  assert.equal(others.length, 0);
});

test('the table of an excluded Gather stays float', has, async () => {
  const { file, tables } = await quantized(charsGpt.file, 'int4', '--policy', 'exclude-op=Gather');
  assert.equal(tables, 2, 'positions and the mask');
  assert.equal((await operators(file)).DequantizeLinear, 7, 'one for the positions, six layers read the mask');
});

test('chars_gpt in INT4 takes at most 0.17 of FP32', has, async (t) => {
  const share = statSync((await quantized(charsGpt.file, 'int4')).file).size / statSync(charsGpt.file).size;
  t.diagnostic(`${share.toFixed(4)} of the float file`);
  assert.ok(share <= 0.17, `${share}`);
});

test('Detent and the engine compute the same', has, async (t) => {
  const path = join(freshFolder(), 'ids.npy');
  writeNpy(path, firstIds(4));
  const { file } = await quantized(charsGpt.file, 'int4');
  const ours = Object.values(await runWith(file, { ids: path }))[0];
  const [plain] = Object.values(await runModel(file, { ids: firstIds(4) }, 'disabled'));
  const session = await openSession(file, 'all', exactProducts);
  const [fused] = Object.values(await runStack(session, { ids: firstIds(4) }));
  await session.release();
  const [apart, fusedApart] = [sqnr(plain, ours), sqnr(plain, fused)];
  t.diagnostic(`apart: ${apart.toFixed(1)} dB from DequantizeLinear and MatMul, those ${fusedApart.toFixed(1)} dB from MatMulNBits`);
  // Sums in another order: the float model alone differs by 110 dB and more between the two programs.
  assert.ok(apart > 100, `${apart} dB apart`);
  assert.ok(fusedApart > 100, `${fusedApart} dB apart`);
});

test('chars_gpt in INT4 keeps its cross entropy within 0.01 nats if inputs choose the codes', has, async (t) => {
  const { ids, next } = readSequences(charsGpt.evaluation);
  const nats = async (file) => nextTokens(Object.values(await runModel(file, { ids }, 'disabled'))[0], next).nats;
  const rounded = await nats((await quantized(charsGpt.file, 'int4', '--data', charsGpt.calibration)).file);
  const nearest = await nats((await quantized(charsGpt.file, 'int4')).file);
  t.diagnostic(`FP32 ${knownNats}, nearest codes ${nearest.toFixed(4)}, codes by inputs ${rounded.toFixed(4)} nats`);
  assert.ok(rounded - knownNats < 0.01, `${rounded} nats`);
  assert.ok(nearest > rounded, 'rounding by inputs gains nothing');
});
