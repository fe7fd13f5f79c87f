// Quantizes two trained detectors in many ways and compares what Detent says without labels (agreement, verdict) with
// the mAP that the labels give. Prints a table, the rank correlation and how often a verdict is wrong by a grade, and
// draws agreement against mAP.
//
//   node bench/detector_verdicts.mjs DETENT SHARED [PLOT.svg]
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {grading, reportOf, wrongVerdicts} from './verdicts.mjs';

const [detent, shared, plot] = process.argv.slice(2);
if (!shared || !existsSync(join(shared, 'models/bccd_dfl'))) {
  console.error('usage: node bench/detector_verdicts.mjs DETENT SHARED [PLOT.svg]');
  process.exit(2);
}

const MODELS = ['bccd_dfl', 'bccd_nmsfree'];
const TARGETS = ['tensorrt', 'onnxruntime'];
const CALIBRATORS = ['max', 'mse', 'entropy', 'percentile:99.99', 'percentile:99.9', 'percentile:99', 'percentile:98',
  'percentile:97', 'percentile:95', 'samplemax:90', 'samplemax:50'];
const VARIANTS = [...CALIBRATORS.map(one => ['--calibrator', one]), ['--accuracy', 'fast'], [], ['--accuracy', 'best'],
  ['--format', 'per-tensor=on'], ['--format', 'weight-bits=7'], ['--format', 'per-tensor=on', '--calibrator', 'percentile:99.9']];
// Grades of the true loss: a quarter to a third of what the agreement lacks (src/evaluate/judge.h).
const grade = grading(0.0125, 0.055);
const images = join(shared, 'images/bccd');

/** Returns what the report of one variant says; undefined where it cannot be made. */
function measure(model, target, options) {
  const report = reportOf(detent, [join(shared, 'models', model, 'model_opset17.onnx'), '--data', join(images, 'calib'),
    '--eval', join(images, 'eval'), '--labels', join(images, 'eval_coco.json'), '--max-drop', '1', '--preprocess',
    'unit', '--target', target, ...options]);
  if (!report) return undefined;
  const {agreement, standard_error} = report.error.detections;
  const loss = report.bound.fp32 - report.bound.reached;
  return {model, target, options: options.join(' ') || '(defaults)', map: report.bound.reached, loss, agreement,
    error: standard_error, verdict: report.verdict, truths: [grade(loss)]};
}

function ranks(numbers) {
  return numbers.map(x => numbers.filter(y => y < x).length + (numbers.filter(y => y === x).length - 1) / 2);
}

function correlation(a, b) {
  const mean = x => x.reduce((sum, y) => sum + y, 0) / x.length;
  const [ma, mb] = [mean(a), mean(b)];
  const sum = f => a.reduce((all, _, i) => all + f(a[i] - ma, b[i] - mb), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum(x => x * x) * sum((_, y) => y * y));
}

function draw(rows) {
  const x = d => 60 + 500 * Math.min(1, d), y = loss => 360 - 500 * Math.max(0, loss);
  const colour = {good: '#2a9d5c', doubtful: '#d98e04', broken: '#c8352e'};
  const dots = rows.map(row => `<circle cx="${x(1 - row.agreement).toFixed(1)}" cy="${y(row.loss).toFixed(1)}" r="4" ` +
    `fill="${colour[row.verdict]}"><title>${row.model} ${row.target} ${row.options}</title></circle>`);
  const label = (at, text) => `<text x="${at[0]}" y="${at[1]}" font-size="12" font-family="sans-serif">${text}</text>`;
  const ticks = [0, 0.2, 0.4, 0.6].map(v => label([28, y(v) + 4], v.toFixed(1)))
    .concat([0, 0.25, 0.5, 0.75, 1].map(v => label([x(v) - 8, 380], v)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 410" width="600">
<rect width="600" height="410" fill="white"/><path d="M60 20V360H570" stroke="black" fill="none"/>
${[0.04, 0.18].map(v => `<path d="M${x(v)} 20V360" stroke="#999" stroke-dasharray="4"/>`).join('')}
${ticks.join('')}${label([230, 400], '1 - agreement (no labels)')}${label([64, 30], 'loss of mAP (labels)')}
${dots.join('\n')}\n</svg>\n`;
}

const rows = [];
console.log('| model | target | options | mAP | loss | agreement | verdict | by its loss |\n' +
  '| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const model of MODELS)
  for (const target of TARGETS)
    for (const options of VARIANTS) {
      const row = measure(model, target, options);
      if (!row) continue;
      rows.push(row);
      console.log(`| ${model} | ${target} | ${row.options} | ${row.map.toFixed(3)} | ${row.loss.toFixed(3)} | ` +
        `${row.agreement.toFixed(3)} ± ${row.error.toFixed(3)} | ${row.verdict} | ${row.truths[0]} |`);
    }
console.log(`\n${wrongVerdicts(rows)}; Spearman of agreement and mAP within a model: ` + MODELS.map(model => {
  const own = rows.filter(row => row.model === model);
  return `${model} ${correlation(ranks(own.map(row => row.agreement)), ranks(own.map(row => row.map))).toFixed(2)}`;
}).join(', '));
if (plot) writeFileSync(plot, draw(rows));
