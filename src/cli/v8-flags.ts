import { setFlagsFromString } from 'node:v8';

/**
 * A command lives for a second: V8's optimiser takes more time by far, on a machine of few cores, than what it optimises saves. What runs
 * for long is still optimised, four times as late.
 */
export function deferOptimization(): void {
  setFlag('--interrupt-budget=600000');
}

/** A heap that may only double between collections keeps the plan of ten thousand objects in 300 MB, for a tenth more time. */
export function growHeapSlowly(): void {
  setFlag('--heap-growing-percent=90');
}

/** These versions know the flags; others would print that they know none. */
function setFlag(flag: string): void {
  if (Number(process.versions.node.split('.')[0]) <= 24) setFlagsFromString(flag);
}
