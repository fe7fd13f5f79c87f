// Random graphs: ONNX Runtime loads every file that Detent writes from them, for every target and type of floats and
// codes.
//   DETENT_GRAPHS=FROM-TO node random_types.test.mjs     graphs FROM to TO (default 0-39)
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { openSession } from './engine.mjs';
import { writeNpy } from './npy.mjs';
import { randomGraph } from './random_types.mjs';

const [from, to] = (process.env.DETENT_GRAPHS ?? '0-39').split('-').map(Number);

// ONNX Runtime has checked every type of the graph before it looks for kernels, and its CPU has none for some types.
const noKernel = /Could not find an implementation for/;
// For CPUs without VNNI it rewrites INT8 activations to UINT8 and forgets the output_dtype of a pair that it has
// moved itself.
const ownRewriting = /output_dtype INT8 does not match y_zero_point type UINT8/;
// Issue 22269: its rules for pairs do not know FP8.
const noQdqRules = { extra: { session: { disable_quant_qdq: '1' } } };

const quantize = (...options) => ({ command: 'quantize', options: ['--accept-broken', '--accuracy', 'fast', '--calibrator', 'max',
  ...options] });
const cast = (type) => ({ command: 'cast', options: ['--float-type', type] });
const every = (seed, divisor, ...options) => (seed % divisor === 0 ? options : []);

// The files of a graph; the seed turns on options that reach further into it.
const writings = (seed) => {
  const wider = [...every(seed, 3, '--policy', 'attention=int8'), ...every(seed, 5, '--policy', 'quantize-outputs=on'),
    ...every(seed, 4, '--format', 'scales=fp32')];
  return {
    tensorrt: quantize('--target', 'tensorrt', ...wider, ...every(seed, 2, '--policy', 'small-layers=quantize')),
    'tensorrt:11': quantize('--target', 'tensorrt:11', ...wider, ...every(seed, 2, '--format', 'io-type=same')),
    onnxruntime: quantize('--target', 'onnxruntime', ...wider),
    'fp8 for tensorrt': quantize('--target', 'tensorrt', '--type', 'fp8', ...every(seed, 2, '--float-type', 'fp16')),
    'bf16 around int8': quantize('--target', 'tensorrt', '--float-type', 'bf16', ...wider),
    fp16: cast('fp16'),
    bf16: cast('bf16'),
  };
};

// Returns the reason why a session cannot be made; undefined if it can, if only a kernel is missing, or if the file
// is not the cause.
async function refusal(file, level, extra) {
  try {
    const session = await openSession(file, level, { intraOpNumThreads: 1, logSeverityLevel: 4, ...extra });
    await session.release();
    return '';
  } catch (error) {
    const excused = noKernel.test(error.message) || (level === 'all' && ownRewriting.test(error.message));
    return excused ? '' : error.message;
  }
}

const faults = [];
const counts = { graphs: 0, unusable: 0, files: 0 };

async function writeAll(seed) {
  const graph = randomGraph(seed);
  if (!graph) return;
  ++counts.graphs;
  const folder = freshFolder();
  const model = join(folder, 'model.onnx'), data = join(folder, 'samples.npy');
  writeFileSync(model, graph.model);
  writeNpy(data, graph.samples(4));
  const own = await refusal(model, 'disabled');
  if (own) {
    ++counts.unusable;
    faults.push(`graph ${seed}, the generator: ${own}`);
    return;
  }
  for (const [name, { command, options }] of Object.entries(writings(seed))) {
    const file = join(folder, `${name.replace(/\W/g, '_')}.onnx`);
    try {
      await detent(command, model, '--data', data, '-o', file, '--quiet', '--threads', '1', ...options);
    } catch (error) {
      faults.push(`graph ${seed}, ${name}: ${error.message.split('\n').slice(0, 3).join(' ').slice(-400)}`);
      continue;
    }
    ++counts.files;
    for (const level of ['disabled', 'all']) {
      const why = await refusal(file, level, name.startsWith('fp8') ? noQdqRules : {});
      if (why) faults.push(`graph ${seed}, ${name}, ${level}: ${why.slice(0, 400)}`);
    }
  }
}

test(`files written from random graphs ${from} to ${to} load`, async (t) => {
  for (let seed = from; seed <= to; ++seed) await writeAll(seed);
  t.diagnostic(`${counts.graphs} graphs, ${counts.files} files`);
  assert.deepEqual(faults, []);
  assert.ok(counts.graphs > 0.9 * (to - from + 1));
});
