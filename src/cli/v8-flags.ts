import { setFlagsFromString } from 'node:v8';

/**
 * A command lives for a second: V8's optimiser takes more time by far, on a machine of few cores, than what it optimises saves. What runs
 * for long is still optimised, four times as late.
 */
export function deferOptimization(): void {
  setFlag('--interrupt-budget=600000', 20);
}

/** A heap that may only double between collections keeps the plan of ten thousand objects in 300 MB, for a tenth more time. */
export function growHeapSlowly(): void {
  setFlag('--heap-growing-percent=90', 24);
}

/** Node prints an error for a flag that its V8 does not know: `newest` is the last major version of Node that was seen to know it. */
function setFlag(flag: string, newest: number): void {
  if (Number(process.versions.node.split('.')[0]) <= newest) setFlagsFromString(flag);
}
