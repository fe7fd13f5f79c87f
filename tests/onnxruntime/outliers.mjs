// npm run outliers [-- MODEL...] [--factor 20] [--at 5] [--target tensorrt]: prints the effect of one bad sample on
// each calibrator. Sample --at of the calibration data is multiplied by --factor behind the preprocessing; `detent
// compare` judges each calibrator on the whole evaluation set without that sample, and with it under each policy of
// --policy outliers. Default: the bundled sample.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compared, freshFolder, writeSamples } from './detent.mjs';
import { printHeader, printRow } from './measured.mjs';
import { candidates, missing, modelNamed } from './models.mjs';
import { readNpy, sampleOf, stack, writeNpy } from './npy.mjs';

const { values: { factor, at, target }, positionals } = parseArgs({ allowPositionals: true, options: {
  factor: { type: 'string', default: '20' }, at: { type: 'string', default: '5' }, target: { type: 'string', default: 'tensorrt' } } });
const policies = ['keep', 'clip', 'drop'];

// Stacks of the calibration data: {without, with}.
async function planted(model) {
  const all = readNpy(await writeSamples(model, { source: model.calibration }));
  const samples = Array.from({ length: all.dims[0] }, (_, index) => sampleOf(all, index));
  const bad = samples[Number(at)];
  const folder = freshFolder();
  const paths = { without: join(folder, 'without.npy'), with: join(folder, 'with.npy') };
  writeNpy(paths.without, stack(samples.filter((sample) => sample !== bad)));
  writeNpy(paths.with, stack(samples.map((sample) => (sample === bad ? { ...bad, data: bad.data.map((x) => factor * x) } : sample))));
  return paths;
}

async function judge(model, calibration, policy) {
  const report = await compared({ ...model, calibration }, model.evaluation(1), target, candidates, '--policy', `outliers=${policy}`);
  return { ...report, cells: report.variants.map(({ metrics }) =>
    `${(100 * metrics[report.criterion]).toFixed(2)}, ${metrics.sqnr_db.toFixed(1)} dB`) };
}

for (const name of positionals.length > 0 ? positionals : ['sample']) {
  const model = modelNamed(name);
  const reason = missing(model);
  if (reason) {
    console.error(`skipped ${name}: ${reason}`);
    continue;
  }
  const paths = await planted(model);
  // Kept, so that no other sample is clipped.
  const columns = [await judge(model, paths.without, 'keep')];
  for (const policy of policies) columns.push(await judge(model, paths.with, policy));
  const [{ fp32, criterion }, { outlier_samples: found }] = columns;
  console.log(`${name}, ${criterion} ${(100 * fp32[criterion]).toFixed(2)}; named: ${found.map(({ sample }) => sample).join(', ') || 'none'}\n`);
  printHeader(['calibrator', 'without it', ...policies.map((policy) => `with it, ${policy}`)]);
  candidates.forEach((calibrator, row) => printRow([calibrator, ...columns.map(({ cells }) => cells[row])]));
  console.log('');
}
