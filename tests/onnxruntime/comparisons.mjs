// npm run comparisons [-- MODEL ...] [--check]: one `detent compare` for each model and target on the whole
// evaluation set, as Markdown, the best in bold, beside the best of onnxruntime.quantization. --check exits 1 if our
// best has a lower SQNR than theirs, or a score more than 0.3 point below FP32 (EfficientNet-B0: not above 76 %).
import { parseArgs } from 'node:util';
import { compared } from './detent.mjs';
import { cell, printHeader, printRow } from './measured.mjs';
import { candidates, missing, modelNamed } from './models.mjs';
import { grids, theirs } from './peer_numbers.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const names = positionals.length > 0 ? positionals
  : ['shapes_unet', 'occupancy3d', 'cifar10_resnet18', 'cifar10_efficientnet_b0', 'imagenet_mobilenetv2'];
const columns = [...candidates, 'auto'];
const mayLose = 0.003;
const lowest = { cifar10_efficientnet_b0: 0.76 };
const misses = [];

const best = (list, key) => list.reduce((most, entry) => (entry[key] > most[key] ? entry : most));

function check(name, grid, report, variants, peers) {
  const fp32 = report.fp32[report.criterion];
  const winner = best(variants, 'score');
  const bound = lowest[name] ?? fp32 - mayLose;
  if (!(winner.score >= bound)) misses.push(`${name} ${grid}: ${winner.calibrator} ${winner.score}, at least ${bound}`);
  if (peers.length === 0) return;
  const [ours, their] = [best(variants, 'sqnr').sqnr, best(peers, 'sqnr').sqnr];
  if (!(ours > their)) misses.push(`${name} ${grid}: SQNR ${ours} dB, theirs ${their} dB`);
}

async function compareModel(name) {
  const model = modelNamed(name);
  for (const [grid, target] of Object.entries(grids)) {
    const report = await compared(model, model.evaluation(1), target, columns);
    const variants = report.variants.map(({ calibrator, takes, metrics }) =>
      ({ calibrator, takes, score: metrics[report.criterion], sqnr: metrics.sqnr_db }));
    const peers = theirs(name, grid);
    const cells = variants.map((variant) => {
      const text = `${cell(variant)}${variant.takes ? ` ${variant.takes}` : ''}`;
      return variant.calibrator === report.winner ? `**${text}**` : text;
    });
    const peer = peers.length > 0 ? best(peers, 'score') : undefined;
    printRow([name, model.metric, (100 * report.fp32[report.criterion]).toFixed(2), target, ...cells,
      peer ? `${cell(peer)} ${peer.method}` : '-']);
    if (values.check) check(name, grid, report, variants, peers);
  }
}

printHeader(['model', 'metric', 'FP32', 'target', ...columns, 'onnxruntime.quantization']);
for (const name of names) {
  const reason = missing(modelNamed(name));
  if (reason) console.error(`skipped ${name}: ${reason}`);
  else await compareModel(name);
}
for (const miss of misses) console.error(`MISSED ${miss}`);
process.exitCode = misses.length > 0 ? 1 : 0;
