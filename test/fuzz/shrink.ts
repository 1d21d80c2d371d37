import type { Json } from '../../src/util/json.js';
import { freshTag, retagged } from './names.js';
import type { Planned } from './planned.js';
import type { Servers } from './servers.js';
import { signatureOf } from './signature.js';
import { runTrial, type Trial } from './trial.js';

const rounds = 14;
const atOnce = 48;

/**
 * Looks for a smaller scenario with the same difference: fewer requests, then less in their queries and bodies. Tries what could go side
 * by side, and then as much of it together as still shows the difference.
 */
export async function shrink(servers: Servers, found: Trial): Promise<Trial> {
  const wanted = signatureOf(found);
  let best = found;
  const attempt = async (gone: readonly string[]): Promise<Trial | undefined> => {
    const steps = retagged(without(best.steps, new Set(gone)), freshTag());
    const trial = await runTrial(servers, best.id, (index) => steps[index]);
    return trial.different !== undefined && signatureOf(trial) === wanted ? trial : undefined;
  };
  for (let round = 0; round < rounds; round++) {
    const candidates = removalsOf(best.steps);
    const useful: string[] = [];
    for (let start = 0; start < candidates.length; start += atOnce) {
      const batch = candidates.slice(start, start + atOnce);
      const tried = await Promise.all(batch.map((place) => attempt([place])));
      useful.push(...batch.filter((_, index) => tried[index] !== undefined));
      if (useful.length >= 12) break;
    }
    if (useful.length === 0) break;
    const lengths = [...new Set(Array.from({ length: 6 }, (_, power) => Math.ceil(useful.length / 2 ** power)))];
    const together = await Promise.all(lengths.map((length) => attempt(useful.slice(0, length))));
    const smaller = together.find((trial) => trial !== undefined);
    if (smaller === undefined) break;
    best = smaller;
  }
  return best;
}

/** Everything that could be left out, the biggest first. */
function removalsOf(steps: readonly Planned[]): string[] {
  const found: { readonly place: string; readonly size: number }[] = [];
  const walk = (value: unknown, removal: string, inBody: boolean) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const inner = `${removal}/${name}`;
      if (inBody) found.push({ place: inner, size: JSON.stringify(member).length });
      walk(member, inner, inBody || name === 'body' || name === 'query');
    }
  };
  for (const [index, step] of steps.entries()) {
    if (index < steps.length - 1) found.push({ place: `/${index}`, size: 10_000 + JSON.stringify(step).length });
    const { body, query } = step;
    walk({ body, query }, `/${index}`, false);
  }
  return found.toSorted((left, right) => right.size - left.size).map(({ place: removal }) => removal);
}

function without(steps: readonly Planned[], removed: ReadonlySet<string>): Planned[] {
  const walk = (value: Json, place: string): Json => {
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !removed.has(`${place}/${name}`));
    const walked = kept.map(([name, member]) => [name, walk(member as Json, `${place}/${name}`)] as const);
    return Array.isArray(value) ? walked.map(([, member]) => member) : Object.fromEntries(walked);
  };
  return walk(steps as unknown as Json, '') as unknown as Planned[];
}
