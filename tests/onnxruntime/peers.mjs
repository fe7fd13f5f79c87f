// npm run peers [-- MODEL ...]: our calibrators beside those of onnxruntime.quantization on the same models and images, as
// Markdown. Theirs are read from the shared folder (reference/peers); ours are measured here: ONNX Runtime runs the float
// model and the files that we write. Exit 1 where our entropy does the same as our max, as theirs does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cell, chosenByAuto, measure, openEvaluation, printHeader, printRow } from './measured.mjs';
import { missing, modelNamed, shared } from './models.mjs';

// Where their numbers lie, and what they call the model.
const peers = {
  shapes_unet: ['shapes_unet_occupancy3d.json', 'unet'],
  occupancy3d: ['shapes_unet_occupancy3d.json', 'occ'],
  cifar10_resnet18: ['cifar10_resnet18.json', 'resnet18'],
  cifar10_efficientnet_b0: ['cifar10_efficientnet_b0.json', 'efficientnet_b0'],
};
const theirMethods = ['MinMax', 'Entropy', 'Percentile'];
const ours = ['max', 'entropy', 'mse', 'percentile:99.99', 'percentile:99.999'];
// Their grid of activations and the target of ours that has the same.
const grids = { s8: 'tensorrt', u8: 'onnxruntime' };

function theirs(name, grid) {
  const [file, model] = peers[name];
  const rows = JSON.parse(readFileSync(join(shared, 'reference/peers', file), 'utf8'));
  return theirMethods.map((method) => {
    const row = rows.find((entry) => entry.model === model && entry.method === method && entry.act === grid);
    return { score: row.score ?? row.top1, sqnr: row.sqnr_db };
  });
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(peers);
printHeader(['model', 'activations', 'FP32', ...theirMethods.map((method) => `their ${method}`), ...ours, 'auto takes']);
for (const name of names) {
  const model = modelNamed(name);
  const reason = missing(model);
  if (reason) {
    console.error(`skipped ${name}: ${reason}`);
    continue;
  }
  const evaluation = await openEvaluation(model, 'onnxruntime');
  for (const [grid, target] of Object.entries(grids)) {
    const measured = new Map();
    for (const calibrator of ours) measured.set(calibrator, await measure(evaluation, target, calibrator));
    const auto = await chosenByAuto(model, target);
    if (!measured.has(auto)) measured.set(auto, await measure(evaluation, target, auto));
    printRow([name, grid, (100 * evaluation.fp32).toFixed(2), ...theirs(name, grid).map(cell),
      ...ours.map((calibrator) => cell(measured.get(calibrator))), `${auto} ${cell(measured.get(auto))}`]);
    if (Math.abs(measured.get('entropy').sqnr - measured.get('max').sqnr) < 0.01) {
      console.error(`${name} ${target}: entropy does the same as max`);
      process.exitCode = 1;
    }
  }
}
