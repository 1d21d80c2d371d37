import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BoundPlan, RunDiagnostic, SavedPlan, StartSimulation } from '../../deploy/index.js';
import type { ClusterIdentity, ReadClusterIdentity } from '../../engine/inventory/cluster-identity.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import type { ClusterPin } from '../config/cluster-pin.js';
import type { Host } from '../process/host.js';
import { writeWhole } from './write-whole.js';

/** The default file of a snapshot. */
export const defaultSnapshot = 'fieldwise-snapshot.json';

/** Returns a function that starts a simulation of the API server, which is loaded only then. */
export function simulationFor(cluster: Pick<ClusterClient, 'defaultNamespace'>): StartSimulation {
  return async (version) => (await import('../../entry/simulation.js')).startSimulation(cluster.defaultNamespace, version);
}

/**
 * Writes JSON to a file that a flag names.
 *
 * @returns the written text.
 * @throws FieldwiseError `file-unwritable`.
 */
export async function writeJson(host: Host, file: string, value: object): Promise<string> {
  const text = `${stringifyExactJson(value as JsonObject, 2)}\n`;
  await writeText(host, file, text, 0o600);
  return text;
}

/**
 * Writes text to a file that a flag names.
 *
 * @param mode of a new file.
 * @throws FieldwiseError `file-unwritable`; nothing is left of the file then, or it is as it was.
 */
export async function writeText(host: Host, file: string, text: string, mode?: number): Promise<void> {
  const absolute = path.resolve(host.cwd, file);
  try {
    await writeWhole(absolute, text, existsSync(absolute) ? undefined : mode);
  } catch (cause) {
    const what = `The file cannot be written: ${(cause as Error).message}`;
    throw new FieldwiseError('file-unwritable', 'usage', what, { location: { file }, next: 'Pass another file.', cause });
  }
}

/**
 * Reads the text of a file that a flag names.
 *
 * @param next the next step if the file cannot be read.
 * @throws FieldwiseError `file-unreadable`.
 */
export async function readText(host: Host, file: string, next = 'Correct the path.'): Promise<string> {
  try {
    return await readFile(path.resolve(host.cwd, file), 'utf8');
  } catch (cause) {
    const what = `The file cannot be read: ${(cause as Error).message}`;
    throw new FieldwiseError('file-unreadable', 'usage', what, { location: { file }, next, cause });
  }
}

/**
 * Reads the saved plan that `--plan` names; undefined without the flag.
 *
 * @throws FieldwiseError `file-unreadable`, `plan-invalid`, `plan-digest-differs`, `flag-without-use`.
 */
export async function readPlan(
  host: Host,
  { plan: file, planDigest: digest }: { readonly plan?: string; readonly planDigest?: string },
): Promise<SavedPlan | undefined> {
  if (file === undefined) {
    if (digest === undefined) return undefined;
    throw new FieldwiseError('flag-without-use', 'usage', '`--plan-digest` has no effect without `--plan`', {
      next: 'Pass the file of the plan with `--plan`, or leave out `--plan-digest`.',
    });
  }
  const { parseSavedPlan } = await import('../../plan/saved/saved-plan.js');
  const text = await readText(host, file);
  const found = planDigest(text);
  if (digest === undefined || digest === found) return parseSavedPlan(text, file);
  throw new FieldwiseError('plan-digest-differs', 'usage', `The plan has the digest ${found}, and \`--plan-digest\` names ${digest}`, {
    location: { file },
    next: 'Nothing was changed. This is not the plan that was approved: get that one, or make a new plan and have it approved.',
  });
}

/**
 * Compares the cluster of a saved plan with the one to which it is to be deployed.
 *
 * @returns the uids that were compared, and a warning if there are none.
 * @throws FieldwiseError `plan-of-another`.
 */
export async function checkedCluster(
  saved: SavedPlan,
  { server }: Pick<ClusterClient, 'server'>,
  readIdentity: ReadClusterIdentity,
  pin: ClusterPin | undefined,
): Promise<{ readonly identity: ClusterIdentity; readonly warning: RunDiagnostic | undefined }> {
  const { checkCluster, unboundWhenDeployed } = await import('../../plan/saved/check-cluster.js');
  const identity = checkCluster(saved, { server, identity: await readIdentity(), environments: pin?.environments });
  return { identity, warning: unboundWhenDeployed(saved, identity) };
}

/** Returns the digest of a saved plan, as `sha256sum` computes it of the file. */
export function planDigest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns the option that binds a deploy to a saved plan. */
export function boundPlan(saved: SavedPlan, cluster: ClusterClient): BoundPlan {
  return { saved, simulate: simulationFor(cluster) };
}
