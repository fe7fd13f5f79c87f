// Numbers that are the same in every run.

// Returns {type, dims, data} of FP32 numbers in [-scale, scale), from a linear congruential generator (Numerical
// Recipes' constants).
export function random(dims, scale = 1, seed = 1) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return scale * (state / 2 ** 31 - 1);
  };
  return { type: 'float32', dims, data: Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, next) };
}
