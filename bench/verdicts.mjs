// Parts that the benches of verdicts share: the report of one way to quantize, and how far a verdict is from the grade
// of the true loss.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const GRADES = ['good', 'doubtful', 'broken'];

/** Returns the report of a command that quantizes, with these options; undefined, with a line on stderr, where it fails. */
export function reportOf(detent, options, command = 'quantize') {
  const folder = mkdtempSync(join(tmpdir(), 'verdicts-'));
  const file = join(folder, 'report.json');
  try {
    execFileSync(detent, [command, ...options, '--accept-broken', '--quiet', '-o', join(folder, 'x.onnx'),
      `--json=${file}`], {stdio: ['ignore', 'ignore', 'pipe']});
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`${options.join(' ')}: ${error.stderr ?? error}`);
    return undefined;
  } finally {
    rmSync(folder, {recursive: true});
  }
}

/** Returns a function that grades a loss: good up to the first limit, broken above the second. */
export const grading = (good, broken) => loss => loss <= good ? 'good' : loss <= broken ? 'doubtful' : 'broken';

/** Returns by how many grades a verdict misses the nearest of the true ones. */
export const missed = (verdict, truths) =>
  Math.min(...truths.map(truth => Math.abs(GRADES.indexOf(verdict) - GRADES.indexOf(truth))));

/** Returns in words how many verdicts are wrong. rows: {verdict, truths}. */
export function wrongVerdicts(rows) {
  const count = grades => rows.filter(row => missed(row.verdict, row.truths) === grades).length;
  return `${rows.length} variants, verdicts wrong by one grade: ${count(1)}, by two: ${count(2)}`;
}
