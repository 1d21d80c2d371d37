import type { Recording } from './recording.js';

/** A state that real controllers write or skip, as their cache has it: the first look after the ReplicaSet was created. */
const passing = /^Progressing True NewReplicaSetCreated: [^|]* \| Available False [^|]*$/;
const lasting = (states: readonly string[]) => states.filter((state) => !passing.test(state));

/** Returns the differences of two recordings, a line each; none if they are equal. */
export function differences(expected: Recording, found: Recording | Error | undefined): readonly string[] {
  if (found === undefined) return ['it was not recorded'];
  if (found instanceof Error) return [found.message];
  const steps = expected.steps.flatMap((step, index) => {
    const other = found.steps[index];
    return [
      ...linesOf(`${step.name}: conditions`, lasting(step.conditions), lasting(other?.conditions ?? [])),
      ...linesOf(`${step.name}: status`, [step.counts], other === undefined ? [] : [other.counts]),
    ];
  });
  return [...steps, ...linesOf('events', expected.events, found.events), ...linesOf('objects', expected.objects, found.objects)];
}

function linesOf(what: string, expected: readonly string[], found: readonly string[]): readonly string[] {
  if (JSON.stringify(expected) === JSON.stringify(found)) return [];
  const missing = expected.filter((line) => !found.includes(line)).map((line) => `${what}: expected ${line}`);
  const added = found.filter((line) => !expected.includes(line)).map((line) => `${what}: found    ${line}`);
  return missing.length + added.length > 0
    ? [...missing, ...added]
    : [`${what}: expected the order ${expected.join(' / ')}, found ${found.join(' / ')}`];
}
