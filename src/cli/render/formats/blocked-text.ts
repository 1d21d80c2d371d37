import type { PlannedObject } from '../../../deploy/index.js';

/**
 * The end of a deploy of a blocked object. `run`: the deploy ends before its first write. `object`: the deploy of the object fails. `server`: policies
 * and definitions that the plan was given decide against it, and the deploy of the object fails if the server has the same.
 */
export type BlockedBy = 'run' | 'object' | 'server';

/** The errors of policies that a deploy checks before its first write. */
const runErrors: ReadonlySet<string> = new Set(['object-already-exists', 'release-refused']);

/** Returns how a deploy of a blocked object ends. */
export function blockedBy({ error, judgments = [] }: PlannedObject): BlockedBy {
  const denials = judgments.filter(({ verdict }) => verdict === 'deny');
  if ((error && runErrors.has(error.code)) || denials.some(({ source }) => source === undefined)) return 'run';
  return denials.length > 0 ? 'server' : 'object';
}

const others = 'It applies the others nevertheless, except those that depend on one of these, and ends with an error.';

/** Returns what a deploy does about blocked objects. */
export function blockedText(objects: readonly { readonly blockedBy?: BlockedBy }[]): string {
  const found = new Set(objects.map((object) => object.blockedBy));
  if (found.has('run')) {
    const codes = [...runErrors].map((code) => `\`${code}\``).join(', ');
    return `A deploy changes nothing, not even the objects that are not blocked, as long as one of these is refused by a rule of the project (\`rule-denied\`) or by a policy of the program (${codes}).`;
  }
  if (!found.has('server')) return `A deploy fails at these objects. ${others}`;
  const those = found.has('object') ? 'these objects, but at those with `admission-…` or `definition-…` only' : 'these objects';
  return `A deploy asks the server: it fails at ${those} if the cluster has the same admission policies and definitions. ${others}`;
}
