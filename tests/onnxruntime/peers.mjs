// npm run peers [-- MODEL ...]: prints our calibrators beside those of onnxruntime.quantization on the same models
// and images, as Markdown. Theirs are read from the shared folder (reference/peers); ours are measured here: ONNX
// Runtime runs the float model and our files. Exits 1 if our entropy equals our max, as theirs does.
import { cell, chosenByAuto, measure, openEvaluation, printHeader, printRow } from './measured.mjs';
import { missing, modelNamed } from './models.mjs';
import { grids, namesOfPeers, theirMethods, theirs } from './peer_numbers.mjs';

const ours = ['max', 'entropy', 'mse', 'percentile:99.99', 'percentile:99.999'];
const names = process.argv.length > 2 ? process.argv.slice(2) : namesOfPeers;
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
