// `plan`, `quantize` and `lint` for onnxruntime against the engine, on random networks: the optimized graph of ONNX
// Runtime runs the layers in integers that they call INT8. DETENT_GRAPHS=FIRST-LAST chooses the seeds.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { detent, freshFolder } from './detent.mjs';
import { integerLayers } from './integer_nodes.mjs';
import { writeNpy } from './npy.mjs';
import { randomGraph } from './random_graphs.mjs';
import { random } from './random_inputs.mjs';

const [first, last] = (process.env.DETENT_GRAPHS ?? '0-299').split('-').map(Number);

// The options of a seed, so that every policy meets every kind of network.
const policies = (seed) => [...(seed % 5 === 0 ? ['--policy', 'quantize-outputs=on'] : []), ...(seed % 3 === 0 ? ['--policy', 'attention=int8'] : []),
  ...(seed % 4 === 1 ? ['--activation', 'int8'] : [])];

const names = (layers, holds) => layers.filter(holds).map(({ name }) => name).sort();

for (let seed = first; seed <= last; ++seed) {
  test(`random network ${seed}: plan, quantize and lint name the layers that the engine runs in integers`, async (t) => {
    const folder = freshFolder();
    const [model, file, report] = ['model.onnx', 'model.int8.onnx', 'report.json'].map((name) => join(folder, name));
    const { bytes, dims } = randomGraph(seed);
    writeFileSync(model, bytes);
    writeNpy(join(folder, 'x.npy'), random([4, ...dims.slice(1)], 2, seed + 1));
    const options = ['--target', 'onnxruntime', ...policies(seed)];
    await detent('quantize', model, '-o', file, '--data', join(folder, 'x.npy'), '--calibrator', 'max', '--accuracy', 'fast',
      '--quiet', '--accept-broken', `--json=${report}`, ...options);
    const planned = JSON.parse((await detent('plan', model, '--json', ...options)).stdout).layers;
    const linted = JSON.parse((await detent('lint', file, '--target', 'onnxruntime', '--json')).stdout);
    const engine = await integerLayers(file);
    const integer = (layer) => engine.has(layer.name);
    t.diagnostic(`${planned.filter(integer).length} of ${planned.length} layers run in integers`);
    assert.deepEqual(names(planned, (layer) => layer.int8), names(planned, integer), 'plan');
    assert.deepEqual(names(linted.layers, (layer) => layer.int8), names(linted.layers, integer), 'lint');
    const left = JSON.parse(readFileSync(report, 'utf8')).float_layers;
    assert.deepEqual(left.map((layer) => layer.name ?? layer).sort(), names(planned, (layer) => !integer(layer)), 'quantize');
    // With INT8 activations shared pairs and activations that are not absorbed cost layers.
    const faults = options.includes('--activation') ? ['error'] : ['error', 'warning'];
    assert.deepEqual(linted.findings.filter(({ level }) => faults.includes(level)).map(({ id, node, message }) => `${id} ${node}: ${message}`),
      [], 'lint finds fault with it');
  });
}
