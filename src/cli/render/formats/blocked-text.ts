import type { PlannedObject } from '../../../deploy/index.js';
import { blockingJudgments } from '../../../engine/report/judgment.js';

/**
 * The end of a deploy of a blocked object. `run`: the deploy ends before its first write. `object`: the deploy of the object fails. `server`: policies
 * and definitions block it that the plan was given, and the server decides by its own.
 */
export type BlockedBy = 'run' | 'object' | 'server';

/** The errors of policies that a deploy checks before its first write. */
const runErrors: ReadonlySet<string> = new Set(['object-already-exists', 'release-refused']);

/** Returns how a deploy of a blocked object ends. */
export function blockedBy({ error, judgments = [] }: PlannedObject): BlockedBy {
  const blocking = blockingJudgments(judgments);
  if ((error && runErrors.has(error.code)) || blocking.some(({ source }) => source === undefined)) return 'run';
  return blocking.length > 0 ? 'server' : 'object';
}

const others = 'It applies the others nevertheless, except those that depend on one of these, and ends with an error.';

/** Returns what a deploy does about blocked objects. */
export function blockedText(objects: readonly { readonly blockedBy?: BlockedBy }[]): string {
  const found = new Set(objects.map((object) => object.blockedBy));
  if (found.has('run')) {
    const codes = [...runErrors].map((code) => `\`${code}\``).join(', ');
    return `A deploy changes nothing, not even the objects that are not blocked, as long as one of these is refused by a rule of the project (\`rule-denied\`) or by a policy of the program (${codes}).`;
  }
  const fails = 'A deploy fails at these objects';
  if (!found.has('server')) return `${fails}. ${others}`;
  const server = 'the server decides by the admission policies and definitions of the cluster';
  if (!found.has('object')) return `In a deploy, ${server}: it may fail at these objects. ${others}`;
  return `${fails}; at those with \`admission-…\` or \`definition-…\`, ${server}. ${others}`;
}
