import type { Assembly, StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { Step } from '../graph/waves.js';
import type { RunOptions } from '../run/options.js';

/** Returns the selected stacks, in deploy order. */
export function selectStacks(assembly: Assembly, names: readonly string[] | undefined): readonly StackManifest[] {
  const { stacks } = assembly.manifest;
  const unknown = names?.find((name) => !stacks.some((stack) => stack.name === name));
  if (unknown !== undefined) {
    throw new FieldwiseError('stack-unknown', 'usage', `The program declares no stack ${unknown}`, {
      next: `Name one of its stacks: ${stacks.map((stack) => stack.name).join(', ') || 'none'}.`,
    });
  }
  return names && names.length > 0 ? stacks.filter((stack) => names.includes(stack.name)) : stacks;
}

/** Returns true if an intent is among the targets of a run. */
export function isSelected({ stack, index }: Step, { targets }: RunOptions): boolean {
  return targets === undefined || targets.get(stack.name)?.has(index) === true;
}
