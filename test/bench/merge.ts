import { $table as apps } from '../../generated/apps/v1.js';
import { type VersionedKind, versionedKind } from '../../lib/src/merge/index.js';
import { applyRequest, createCache, type OwnershipCache } from '../../lib/src/ownership/index.js';
import { type RootType, rootType } from '../../lib/src/schema/index.js';
import type { JsonObject } from '../../lib/src/util/json.js';
import { type Intents, largeDeployment, smallDeployment } from './deployments.js';
import { type Figure, median } from './figures.js';

const rounds = 7;

/** Applies per second of the engine alone, in process: no HTTP, no defaulting, no storage. */
export async function mergeFigures(print: (figure: Figure) => void): Promise<void> {
  const kind = versionedKind(rootType(apps, 'Deployment'));
  const small = measure(kind, smallDeployment, 3, 400);
  print(figure('applies/s, 60-field Deployment, 3 managers', small, 5_000));
  const large = measure(kind, largeDeployment, 10, 60);
  print(figure('applies/s, 500-field Deployment, 10 managers', large, 400));
}

function figure(name: string, perSecond: number, atLeast: number): Figure {
  return {
    name,
    value: `${Math.round(perSecond)}/s`,
    ratio: { of: 'the goal', value: perSecond / atLeast, target: { atLeast: 1 } },
  };
}

function measure(kind: VersionedKind, intents: Intents, managers: number, applies: number): number {
  const root = kind.versions.get('apps/v1') as RootType;
  const cache = createCache();
  let live: JsonObject | undefined;
  for (let manager = 0; manager < managers; manager++) live = applied(root, kind, live, intents(manager, 0, 'web', 'shop'), manager, cache);
  const speeds = Array.from({ length: rounds }, (_, round) => {
    const bodies = Array.from({ length: applies }, (_, index) =>
      JSON.stringify(intents(index % managers, round * applies + index + 1, 'web', 'shop')),
    );
    const started = performance.now();
    for (const [index, body] of bodies.entries()) {
      live = applied(root, kind, live, JSON.parse(body) as JsonObject, index % managers, cache);
    }
    return applies / ((performance.now() - started) / 1000);
  });
  // The first rounds run before the code is optimised.
  return median(speeds.slice(2));
}

function applied(
  root: RootType,
  kind: VersionedKind,
  live: JsonObject | undefined,
  intent: JsonObject,
  manager: number,
  cache: OwnershipCache,
) {
  const request = { kind, apiVersion: root.apiVersion, manager: `m${manager}`, live, intent, now: '2030-01-01T00:00:00Z', cache };
  const outcome = applyRequest(request);
  if (outcome.outcome !== 'applied') throw new Error(outcome.message);
  return outcome.object;
}
