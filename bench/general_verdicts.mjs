// Quantizes seven networks that are no detectors in many ways and lays the verdict, which needs no labels, beside the
// true loss of the score. Prints a table, and how often a verdict is wrong on the networks that the limits were fitted
// to and on the others.
//
//   node bench/general_verdicts.mjs DETENT SHARED [NETWORK...]
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {everyNth, readNpy, writeNpy} from '../tests/onnxruntime/npy.mjs';
import {grading, reportOf, wrongVerdicts} from './verdicts.mjs';

const [detent, shared, ...only] = process.argv.slice(2);
if (!shared || !existsSync(join(shared, 'models/cifar10_resnet18'))) {
  console.error('usage: node bench/general_verdicts.mjs DETENT SHARED [NETWORK...]');
  process.exit(2);
}

const CIFAR = 'div=255,mean=.4914/.4822/.4465,std=.2470/.2435/.2616';
const model = (name, file) => join(shared, 'models', name, file);

const folder = mkdtempSync(join(tmpdir(), 'verdicts-'));

/** Writes every fourth sample of a stack and returns the file. */
function quarter(file) {
  const part = join(folder, basename(file));
  writeNpy(part, everyNth(readNpy(file), 4));
  return part;
}

/** Options of a classifier of images. */
const classifier = (name, opset, images, preprocess, calibrated, judged) => [model(name, `model_opset${opset}.onnx`),
  '--data', join(shared, 'images', images, 'calib'), '--limit', calibrated,
  '--eval', join(shared, 'images', images, 'eval'), '--eval-limit', judged,
  '--labels', join(shared, 'images', images, 'eval.csv'), '--preprocess', preprocess];

// `fitted`: the limits were fitted to it. `judged`: classified samples, for the noise of labels.
const iou = fileURLToPath(new URL('../tests/onnxruntime/occupancy_iou.mjs', import.meta.url));
const NETWORKS = {
  cifar10_efficientnet_b0: {fitted: true, judged: 500,
    options: classifier('cifar10_efficientnet_b0', 17, 'cifar10', `resize=64x64,${CIFAR}`, '64', '500')},
  imagenet_mobilenetv2: {fitted: true, judged: 200,
    options: classifier('imagenet_mobilenetv2', 12, 'imagenet', 'imagenet', '32', '200')},
  occupancy3d: {fitted: true, options: [model('occupancy3d', 'model_opset13.onnx'), '--data',
    model('occupancy3d', 'calib'), '--limit', '16', '--eval', quarter(model('occupancy3d', 'eval/latents.npy')),
    '--metric-command', `node '${iou}' '${quarter(model('occupancy3d', 'eval/occupancy_bits.npy'))}'`]},
  cifar10_resnet18: {judged: 500,
    options: classifier('cifar10_resnet18', 17, 'cifar10', `resize=32x32,${CIFAR}`, '64', '500')},
  'imagenet_squeezenet1.1': {judged: 200,
    options: classifier('imagenet_squeezenet1.1', 12, 'imagenet', 'imagenet', '32', '200')},
  shapes_unet: {options: [model('shapes_unet', 'model_opset13.onnx'), '--data', model('shapes_unet', 'calib'),
    '--limit', '32', '--eval', model('shapes_unet', 'eval/images'), '--eval-limit', '48', '--masks',
    model('shapes_unet', 'eval/masks'), '--preprocess',
    'resize=128x128,div=255,mean=.485/.456/.406,std=.229/.224/.225']},
  chars_gpt: {options: [model('chars_gpt', 'model_opset17.onnx'), '--data', model('chars_gpt', 'calib_ids.npy'),
    '--limit', '32', '--eval', model('chars_gpt', 'eval_ids.npy'), '--eval-limit', '16', '--next-token']},
};
const RANGES = ['max', 'percentile:99.9', 'percentile:99', 'percentile:97', 'entropy', 'mse'];
const VARIANTS = ['tensorrt', 'onnxruntime'].flatMap(target => [
  ...RANGES.map(one => ['--calibrator', one]), ['--calibrator', 'max', '--per-tensor'],
  ['--accuracy', 'fast', '--weight-bits', '7']].map(options => ['--target', target, ...options]))
  .concat([['--calibrator', 'percentile:95'], [], ['--weight-only', 'int4'],
    ['--weight-only', 'int4', '--block', 'channel']]);

// Shares of the score, as for detectors: .0125 and .055 of a mAP of .63.
const grade = grading(0.02, 0.09);

/** Returns what the report of one variant says; undefined where it cannot be made, or nothing is quantized. */
function measure(name, variant) {
  const {options, judged, fitted = false} = NETWORKS[name];
  const report = reportOf(detent, [...options, '--max-drop', '100', ...variant]);
  if (!report?.verdict) return undefined;
  const {fp32, reached, metric} = report.bound;
  const loss = metric === 'nats' ? reached - fp32 : fp32 - reached;
  // A label can change its verdict only where the class changes: the standard error is at most that of these.
  const error = judged ? Math.sqrt((1 - report.error.argmax_agreement) / judged) : 0;
  const truths = [...new Set([-1, 0, 1].map(side => grade((loss + side * error) / fp32)))];
  return {name, fitted, variant: variant.join(' ') || '(defaults)', loss, error, verdict: report.verdict, truths,
    reason: report.verdict_reasons[0]};
}

const rows = [];
console.log('| network | options | loss | verdict | by its loss | because |\n| --- | --- | --- | --- | --- | --- |');
for (const name of Object.keys(NETWORKS).filter(one => only.length === 0 || only.includes(one)))
  for (const variant of VARIANTS) {
    const row = measure(name, variant);
    if (!row) continue;
    rows.push(row);
    console.log(`| ${name} | ${row.variant} | ${row.loss.toFixed(4)} ± ${row.error.toFixed(4)} | ${row.verdict} | ` +
      `${row.truths.join(' or ')} | ${row.reason} |`);
  }
rmSync(folder, {recursive: true});
for (const fitted of [true, false])
  console.log(`\n${fitted ? 'Fitted to' : 'Others'}: ${wrongVerdicts(rows.filter(row => row.fitted === fitted))}`);
