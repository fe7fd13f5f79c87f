// Reads from ONNX Runtime's optimized graph what runs with integers.
import { join } from 'node:path';
import { freshFolder } from './detent.mjs';
import { openSession } from './engine.mjs';
import { readModel } from './onnx_file.mjs';

const integerOperators = new Set(['QLinearConv', 'QLinearMatMul', 'QGemm', 'MatMulIntegerToFloat']);

// Level "extended" converts and keeps the standard operators; "all" would go on to rename them for the CPU's layout.
export async function optimizedModel(file) {
  const optimized = join(freshFolder(), 'optimized.onnx');
  const session = await openSession(file, 'extended', { optimizedModelFilePath: optimized });
  await session.release();
  return readModel(optimized);
}

// Returns the names of the layers that became integer kernels; a MatMul and the Add behind it become
// NAME/MatMulAddFusion.
export const integerLayers = async (file) => new Set((await optimizedModel(file)).nodes.filter((node) => integerOperators.has(node.op))
  .map((node) => node.name.replace(/\/MatMulAddFusion$/, '')));
