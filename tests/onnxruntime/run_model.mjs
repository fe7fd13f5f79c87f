// node run_model.mjs MODEL.onnx OUT_DIR [--level disabled|basic|extended|all] INPUT=STACK.npy ...
// Runs a model in ONNX Runtime over stacks of samples and writes each output as OUT_DIR/NAME.npy.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runModel } from './engine.mjs';
import { readNpy, writeNpy } from './npy.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true, options: { level: { type: 'string', default: 'disabled' } },
});
const [model, folder, ...pairs] = positionals;
if (pairs.length === 0) {
  console.error('usage: node run_model.mjs MODEL.onnx OUT_DIR [--level disabled|all] INPUT=STACK.npy ...');
  process.exit(2);
}
const inputs = Object.fromEntries(pairs.map((pair) => {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), readNpy(pair.slice(at + 1))];
}));
mkdirSync(folder, { recursive: true });
for (const [name, value] of Object.entries(await runModel(model, inputs, values.level))) {
  writeNpy(join(folder, `${name.replace(/[^A-Za-z0-9_.-]/g, '_')}.npy`), value);
}
