import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import type { Scenario, Step } from '../vectors/scenario.js';
import { retagged } from './names.js';
import type { Observed } from './server-side-runner.js';
import type { Trial } from './trial.js';

/** A trial in the format of recorded scenarios, with the answers of the real server as truth. */
export function vectorOf(trial: Trial, note: string): Scenario & { readonly note: string } {
  const steps = trial.steps.map((planned, index): Step => {
    const { body: _, query, ...rest } = planned;
    const sent = trial.sent[index];
    const observed = trial.real[index] as Observed;
    return {
      ...rest,
      ...(query === undefined || Object.keys(query).length === 0 ? {} : { query }),
      ...(sent === undefined ? {} : { body: sent }),
      result: resultOf(observed),
      live: liveOf(observed, trial.real[index - 1]),
      rv: observed.rv,
    };
  });
  return retagged({ id: trial.id, note, steps });
}

/** Writes a scenario to a file of its own. @returns its path */
export function writeVector(directory: string, scenario: Scenario): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${scenario.id}.ndjson`);
  writeFileSync(path, `${JSON.stringify(scenario)}\n`);
  return path;
}

function resultOf({ result: { code, body, warnings } }: Observed): Step['result'] {
  const warned = warnings.length > 0 ? { warnings } : {};
  if (!isJsonObject(body)) return { code, text: String(body ?? ''), ...warned };
  return { code, ...(body.kind === undefined ? { status: body } : { object: body }), ...warned };
}

function liveOf({ live, result: { body } }: Observed, before: Observed | undefined): Step['live'] {
  if (live === 'absent') return 'absent';
  if (jsonEqual(live, body)) return 'response';
  const last = before?.live;
  return isJsonObject(last) && jsonEqual({ ...last, apiVersion: live.apiVersion } as Json, live as Json)
    ? 'unchanged'
    : (live as JsonObject);
}
