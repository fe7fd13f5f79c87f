// CPUs with and without VNNI, whose integer kernels in ONNX Runtime differ: natively, or in qemu if this CPU is of
// the other kind.
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshFolder } from './detent.mjs';
import { readNpy } from './npy.mjs';

const runModel = fileURLToPath(new URL('run_model.mjs', import.meta.url));
const execute = promisify(execFile);
const flags = new Set(/^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1].split(' ') ?? []);

export const hasVnni = flags.has('avx512_vnni') || flags.has('avx_vnni');

// Haswell has AVX2 and no VNNI. qemu knows AVX2 from 7.2 on.
const emulator = ['qemu-x86_64', '-cpu', 'Haswell-noTSX'];

function emulates() {
  try {
    return /version (?:7\.[2-9]|[89]\.|[1-9]\d)/.test(execFileSync(emulator[0], ['--version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
}

// The command in front of node with which ONNX Runtime has no VNNI; null if there is no such CPU here.
export const withoutVnni = hasVnni ? (emulates() ? emulator : null) : [];

// Runs a model over stacks ({input: path}) with all optimizations; returns {output: stack}. command  in front of node.
export async function runOn(command, model, stacks) {
  const out = join(freshFolder(), 'out');
  const line = [...command, process.execPath, runModel, model, out, '--level', 'all',
    ...Object.entries(stacks).map(([name, path]) => `${name}=${path}`)];
  await execute(line[0], line.slice(1), { maxBuffer: 1 << 26 });
  return Object.fromEntries(readdirSync(out).map((file) => [file.replace(/\.npy$/, ''), readNpy(join(out, file))]));
}
