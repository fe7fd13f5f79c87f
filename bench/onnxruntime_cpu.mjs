// Runs this program again with an ONNX Runtime that does not use some instructions of the CPU.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tests/onnxruntime/models.mjs';

const library = join(root, 'tests/onnxruntime/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1');

// Machine code of the tests of CPUID in MLAS_PLATFORM's constructor (onnxruntime/core/mlas/lib/platform.cpp): [bytes,
// bytes with an empty mask]. With an empty mask the test always fails.
const vnniOf256Bits = ['0fa2a810', '0fa2a800'];                   // cpuid; test al, 0x10
const vnniOf512Bits = ['4181e300080000c64701', '4181e300000000c64701'];  // and r11d, 0x800; mov byte [rdi+1]
const avx512 = ['41f7c20000010074', '41f7c20000000074'];          // test r10d, 0x10000; je
const withheld = { avx512: [vnniOf256Bits, vnniOf512Bits], avx2: [vnniOf256Bits, avx512] };

function withEmptyMask(bytes, [from, to]) {
  const [pattern, replacement] = [Buffer.from(from, 'hex'), Buffer.from(to, 'hex')];
  const at = bytes.indexOf(pattern);
  if (at < 0 || bytes.indexOf(pattern, at + 1) >= 0) throw new Error(`${library}: not the build that --instructions knows`);
  replacement.copy(bytes, at);
}

const mark = 'DETENT_ONNXRUNTIME_CPU';

// Returns in the second run, and if `cpu` asks for the CPU as it is. `folder` holds the changed copy meanwhile.
export function restrictTo(cpu, folder) {
  if (cpu === 'native') return;
  if (process.env[mark] === cpu) {
    delete process.env.LD_PRELOAD;  // the programs that this one starts need no ONNX Runtime
    return;
  }
  if (!withheld[cpu]) throw new Error(`--instructions ${cpu}: known are native, ${Object.keys(withheld).join(', ')}`);
  const bytes = readFileSync(library);
  withheld[cpu].forEach((test) => withEmptyMask(bytes, test));
  const copy = join(folder, 'libonnxruntime.so.1');
  writeFileSync(copy, bytes);
  const env = { ...process.env, LD_PRELOAD: copy, [mark]: cpu };
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit', env });
  process.exit(status ?? 1);
}
