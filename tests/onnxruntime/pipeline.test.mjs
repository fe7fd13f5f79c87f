// Two files that were quantized as one model, in the engine: an encoder, and a decoder with a cache that writes its own
// text. The error that detent measures at the last step is that of the two files in the engine, one after the other.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { openSession, runOnce } from './engine.mjs';
import { graphOf, initializer, modelOf, node } from './graph_parts.mjs';
import { levelOf } from './models.mjs';
import { writeNpy } from './npy.mjs';
import { random } from './random_inputs.mjs';
import { sqnr } from './score.mjs';

const [samples, frames, width, words, steps, first] = [12, 6, 32, 24, 7, 1];
const float = (name, dims) => ({ name, type: 'float32', dims });
const weights = (all) => Object.entries(all).map(([name, dims], i) => initializer(name, random(dims, name === 'table' ? 2 : 0.6, i + 3)));

const encoder = modelOf({ opset: 17, graph: graphOf({
  nodes: [node('MatMul', ['audio', 'w1'], ['h']), node('Relu', ['h'], ['r']), node('MatMul', ['r', 'w2'], ['memory'])],
  initializers: weights({ w1: [16, width], w2: [width, width] }),
  inputs: [float('audio', [1, frames, 16])], outputs: [float('memory', [1, frames, width])],
}) });
const attention = (query, keys, values, out) => [
  node('Transpose', [keys], [`${out}_t`], { perm: [0, 2, 1] }), node('MatMul', [query, `${out}_t`], [`${out}_s`]),
  node('Softmax', [`${out}_s`], [`${out}_p`], { axis: -1 }), node('MatMul', [`${out}_p`, values], [out])];
const decoder = modelOf({ opset: 13, graph: graphOf({
  nodes: [node('Gather', ['table', 'ids'], ['x']), node('MatMul', ['x', 'wk'], ['k']), node('MatMul', ['x', 'wq'], ['q']),
    node('Concat', ['past', 'k'], ['keys'], { axis: 1 }), ...attention('q', 'keys', 'keys', 'own'),
    node('MatMul', ['memory', 'wc'], ['c']), ...attention('q', 'c', 'memory', 'heard'),
    node('Add', ['own', 'heard'], ['both']), node('Add', ['x', 'both'], ['sum']), node('MatMul', ['sum', 'head'], ['logits'])],
  initializers: weights({ table: [words, width], wk: [width, width], wq: [width, width], wc: [width, width], head: [width, words] }),
  inputs: [{ name: 'ids', type: 'int64', dims: [1, 1] }, float('memory', [1, frames, width]), float('past', [1, 'before', width])],
  outputs: [float('logits', [1, 1, words]), float('keys', [1, 'all', width])],
}) });

const folder = freshFolder();
writeFileSync(join(folder, 'encoder.onnx'), encoder);
writeFileSync(join(folder, 'decoder.onnx'), decoder);
const audio = random([samples, frames, 16], 1, 2);
writeNpy(join(folder, 'audio.npy'), audio);
const pair = join(folder, 'pair.json');
writeFileSync(pair, JSON.stringify({
  models: { enc: 'encoder.onnx', dec: 'decoder.onnx' }, feeds: { 'enc:memory': 'dec:memory' }, data: { 'enc:audio': 'audio.npy' },
  loop: { model: 'dec', steps, state: { feeds: { keys: 'past', 'argmax(logits)': 'ids' }, start: { ids: first } } },
}));

// The logits of all samples at the last step, and the tokens; `told` are tokens to take instead of the own ones.
async function write(files, level, told) {
  const [enc, dec] = await Promise.all(['encoder.onnx', 'decoder.onnx'].map((file) => openSession(join(files, file), level)));
  const last = [], tokens = [];
  for (let n = 0; n < samples; ++n) {
    const size = frames * 16;
    const { memory } = await runOnce(enc, { audio: { type: 'float32', dims: [1, frames, 16], data: audio.data.slice(n * size, (n + 1) * size) } });
    let past = { type: 'float32', dims: [1, 0, width], data: new Float32Array(0) };
    let token = first;
    tokens.push([]);
    for (let step = 0; step < steps; ++step) {
      const ids = { type: 'int64', dims: [1, 1], data: BigInt64Array.of(BigInt(token)) };
      const { logits, keys } = await runOnce(dec, { ids, memory, past });
      past = keys;
      token = told ? told[n][step] : logits.data.indexOf(Math.max(...logits.data));
      tokens[n].push(token);
      if (step === steps - 1) last.push(...logits.data);
    }
  }
  return { tokens, last: { type: 'float32', dims: [samples, 1, words], data: Float32Array.from(last) } };
}

for (const target of Object.keys(levelOf)) {
  test(`an encoder and a decoder, ${target}`, async (t) => {
    const output = join(freshFolder(), 'quantized');
    await detent('quantize', join(folder, 'encoder.onnx'), join(folder, 'decoder.onnx'), '--pipeline', pair, '-o', output,
      '--quiet', '--target', target, '--policy', 'small-layers=quantize', '--accept-broken');
    const { coverage, error, files } = JSON.parse(readFileSync(join(output, 'report.json'), 'utf8'));
    assert.deepEqual(files.map(({ name }) => name), ['enc', 'dec'], 'in running order');
    assert.ok(files.every(({ int8_layers: layers }) => layers > 0) && coverage.int8_layers > 2);
    const expected = await write(folder, 'disabled');
    const told = await write(output, levelOf[target], expected.tokens);
    const ours = error.outputs.find(({ name }) => name === 'dec:logits').sqnr_db;
    const db = sqnr(expected.last, told.last);
    const own = await write(output, levelOf[target]);
    const same = own.tokens.flat().filter((token, i) => token === expected.tokens.flat()[i]).length / (samples * steps);
    t.diagnostic(`${target}: ${db.toFixed(1)} dB in the engine, ${ours.toFixed(1)} dB by detent; ${(100 * same).toFixed(1)} % of the own tokens are the float pair's`);
    // Both programs measure the same error, except for codes on the edge.
    assert.ok(Math.abs(db - ours) < 1, `${db} dB in the engine, ${ours} dB by detent`);
  });
}
