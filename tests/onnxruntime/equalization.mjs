// npm run equalization [-- MODEL ...] [--check]: prints the SQNR in dB of every shared model with `--equalize off`
// and `auto`, by `detent compare` on samples that were not calibrated with, as Markdown; a cell is before -> after.
// --check exits 1 if auto loses more than 0.2 dB.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { detent, freshFolder } from './detent.mjs';
import { printHeader, printRow } from './measured.mjs';
import { models, shared } from './models.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const calibrators = ['max', 'entropy', 'mse', 'percentile:99.9', 'percentile:99.99'];
const mayLose = 0.2;
const inShared = (path) => join(shared, path);

// Models without labels, which models.mjs does not name: every second image calibrates, the others judge.
const halves = (name, file, images, preprocess, limit) => ({
  name, file: inShared(`models/${name}/${file}`), preprocess, limit, calibration: inShared(images), halves: true,
});
const unlabelled = [
  halves('coco_yolox_nano', 'model_opset11.onnx', 'images/coco', 'yolox'),
  halves('face_rfb320', 'model_opset9.onnx', 'images/faces', 'unit,resize=240x320,div=128,mean=.9921875/.9921875/.9921875'),
  halves('text_ppocrv3_det', 'model_opset14.onnx', 'images/ocr', 'imagenet,resize=320x320,crop=320x320'),
  halves('style_starry_night', 'model_opset12.onnx', 'images/coco', 'raw,resize=540x540', 4),
];

// About a hundred samples spread over the evaluation set, because its lists are sorted by class.
function evaluationOf(model) {
  const count = model.evaluation(1).files?.length ?? 0;
  const set = model.evaluation(Math.max(1, Math.floor(count / 100)));
  if (set.stack) return set.stack;
  const list = join(freshFolder(), 'files.txt');
  writeFileSync(list, `${set.files.join('\n')}\n`);
  return list;
}

function dataOf(model) {
  const limit = ['--limit', String(model.limit ?? 100)];
  const preprocess = model.preprocess ? ['--preprocess', model.preprocess] : [];
  if (model.halves) return ['--data', model.calibration, '--shard', '1/2', ...limit, ...preprocess, '--eval', othersOf(model)];
  return ['--data', model.calibration, ...limit, ...preprocess, '--eval', evaluationOf(model)];
}

// The images that --shard 1/2 leaves out: every second one, in natural order, as many as calibrate.
function othersOf(model) {
  const order = new Intl.Collator('en', { numeric: true }).compare;
  const images = readdirSync(model.calibration).sort(order).filter((_, index) => index % 2 === 1);
  const list = join(freshFolder(), 'others.txt');
  writeFileSync(list, `${images.slice(0, model.limit).map((name) => join(model.calibration, name)).join('\n')}\n`);
  return list;
}

async function compared(model, equalize) {
  const report = join(freshFolder(), 'report.json');
  await detent('compare', model.file, ...dataOf(model), '--eval-limit', String(model.limit ?? 200), '--calibrators',
    calibrators.join(','), '--equalize', equalize, '--json', report, '--quiet');
  return JSON.parse(readFileSync(report, 'utf8'));
}

const kept = ({ families }) => families.filter((family) => family.kept && family.values > 0)
  .map(({ name, alpha }) => `${name} ${alpha}`).join(', ') || 'none';

printHeader(['model', 'kept', ...calibrators]);
for (const model of [...models.filter(({ name }) => name !== 'sample'), ...unlabelled]) {
  if (positionals.length > 0 && !positionals.includes(model.name)) continue;
  if (!existsSync(model.file)) {
    console.error(`skipped ${model.name}: ${model.file} is not there`);
    continue;
  }
  const [before, after] = [await compared(model, 'off'), await compared(model, 'auto')];
  const cells = before.variants.map(({ metrics }, i) => [metrics.sqnr_db, after.variants[i].metrics.sqnr_db]);
  printRow([model.name, kept(after.equalize), ...cells.map(([a, b]) => `${a.toFixed(1)} -> ${b.toFixed(1)}`)]);
  cells.forEach(([a, b], i) => {
    if (b >= a - mayLose) return;
    console.error(`missed: ${model.name} ${calibrators[i]} ${a} -> ${b}`);
    if (values.check) process.exitCode = 1;
  });
}
