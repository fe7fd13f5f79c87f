// node cast_alone.mjs [MODEL...]: prints the SQNR of the worst float output of `detent cast` to FP16 against FP32, in
// ONNX Runtime and in Detent, on the samples of float_models.mjs.
import { castTo, runWith, writeInputs } from './detent.mjs';
import { runModel } from './engine.mjs';
import { exportedModels, floatModels } from './float_models.mjs';
import { readNpy, widened } from './npy.mjs';
import { sqnr } from './score.mjs';

const fileName = (output) => output.replace(/[^A-Za-z0-9_.-]/g, '_');
const wanted = process.argv.slice(2);
const models = [...floatModels.filter(({ name }) => !name.includes('/')), ...exportedModels()]
  .filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));

console.log('| model | ONNX Runtime | Detent |\n| --- | --- | --- |');
for (const model of models) {
  const paths = await writeInputs(model, model.samples());
  const inputs = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, readNpy(path)]));
  const half = await castTo(model, 'fp16');
  const float = await runModel(model.file, inputs, 'disabled');
  const [theirs, ours] = [await runModel(half, inputs, 'disabled'), await runWith(half, paths)];
  const names = Object.keys(float).filter((name) => float[name].type === 'float32');
  const worst = (of) => Math.min(...names.map((name) => sqnr(float[name], widened(of(name))))).toFixed(1);
  console.log(`| ${model.name} | ${worst((name) => theirs[name])} dB | ${worst((name) => ours[fileName(name)])} dB |`);
}
