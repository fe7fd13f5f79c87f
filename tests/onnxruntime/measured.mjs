// A model's evaluation set, the float model's outputs on it, and the scores of quantized models in ONNX Runtime.
import { readFileSync } from 'node:fs';
import { only, quantized, quantizedFromData, reportOf, runOver, writeSamples } from './detent.mjs';
import { runModel } from './engine.mjs';
import { levelOf } from './models.mjs';
import { readNpy } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { sqnr } from './score.mjs';

// engine: the program that runs the float model, 'detent' or 'onnxruntime'.
export async function openEvaluation(model, engine) {
  const set = model.evaluation(1);
  const samples = await writeSamples(model, set);
  const inputs = { [readModel(model.file).inputs[0].name]: readNpy(samples) };
  const outputs = engine === 'detent' ? await runOver(model.file, samples)
    : await runModel(model.file, inputs, 'disabled');
  const reference = only(outputs);
  return { model, set, inputs, reference, fp32: set.score(reference) };
}

// {score, sqnr, output} of the model quantized with one calibrator, on the whole set.
export async function measure({ model, set, inputs, reference }, target, calibrator) {
  const output = only(await runModel(await quantized(model, target, calibrator), inputs, levelOf[target]));
  return { score: set.score(output), sqnr: sqnr(reference, output), output };
}

// The calibrator that `--calibrator auto` takes.
export async function chosenByAuto(model, target) {
  const { calibrator } = JSON.parse(readFileSync(reportOf(await quantizedFromData(model, target, 'auto')), 'utf8'));
  return calibrator;
}

export const cell = ({ score, sqnr: db }) => `${(100 * score).toFixed(2)} (${db.toFixed(1)} dB)`;

export function printHeader(columns) {
  console.log(`| ${columns.join(' | ')} |`);
  console.log(`|${' --- |'.repeat(columns.length)}`);
}

export const printRow = (cells) => console.log(`| ${cells.join(' | ')} |`);
