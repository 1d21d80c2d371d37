import { type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import { comparable } from './comparable.js';
import type { Planned } from './planned.js';
import { type Observed, ServerRunner } from './server-side-runner.js';
import type { Servers } from './servers.js';

/** One scenario as it went: what was sent, what the real server answered, and where the embedded server answered differently. */
export interface Trial {
  readonly id: string;
  readonly steps: readonly Planned[];
  /** Bodies as sent to the real server, with tokens. */
  readonly sent: readonly (Json | undefined)[];
  readonly real: readonly Observed[];
  /** The result of the embedded server in the last step, if it differs. */
  readonly different: Observed | undefined;
}

/**
 * Sends the same requests to both servers until they differ.
 *
 * @param next the next request, from the object that the one before left on the real server; undefined ends the scenario
 */
export async function runTrial(
  servers: Servers,
  id: string,
  next: (index: number, live: JsonObject | undefined) => Planned | undefined,
): Promise<Trial> {
  const real = new ServerRunner(servers.real);
  const embedded = new ServerRunner(servers.embedded);
  const trial = { id, steps: [] as Planned[], sent: [] as (Json | undefined)[], real: [] as Observed[] };
  for (let index = 0; ; index++) {
    const planned = next(index, real.live);
    if (planned === undefined) return { ...trial, different: undefined };
    await servers.tick();
    const [expected, actual] = await Promise.all([real.send(planned), embedded.send(planned).catch(thrown)]);
    trial.steps.push(planned);
    trial.sent.push(expected.sent);
    trial.real.push(expected.observed);
    if (!jsonEqual(asJson(comparable(expected.observed)), asJson(comparable(actual.observed))))
      return { ...trial, different: actual.observed };
  }
}

/** Sends the requests to the real server alone. */
export async function observeReal(servers: Servers, steps: readonly Planned[]): Promise<Observed[]> {
  const real = new ServerRunner(servers.real);
  const observed: Observed[] = [];
  for (const step of steps) {
    await servers.tick();
    observed.push((await real.send(step)).observed);
  }
  return observed;
}

export function asJson(observed: Observed): Json {
  return observed as unknown as Json;
}

function thrown(error: unknown): { readonly observed: Observed } {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { observed: { result: { code: 0, body: `threw ${text}`, warnings: [] }, live: 'absent', rv: 'absent' } };
}
