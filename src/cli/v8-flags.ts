import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 optimize functions four times as late: in a command that runs for a second on few cores, optimization takes much more time than
 * it saves.
 */
export function deferOptimization(): void {
  setFlag('--interrupt-budget=600000', 20);
}

/** Limits the growth of the heap between collections: a plan of ten thousand objects then needs 300 MB, and a tenth more time. */
export function growHeapSlowly(): void {
  setFlag('--heap-growing-percent=90', 24);
}

/** Sets a flag up to Node `newest`, the last major version tested with it; newer versions may print an error for an unknown flag. */
function setFlag(flag: string, newest: number): void {
  if (Number(process.versions.node.split('.')[0]) <= newest) setFlagsFromString(flag);
}
