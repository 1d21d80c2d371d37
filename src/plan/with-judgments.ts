import { isDeepStrictEqual } from 'node:util';
import { explain } from '../engine/report/explain.js';
import { blockingJudgments, type Judgment } from '../engine/report/judgment.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import { FieldwiseError } from '../util/error.js';

/**
 * Adds what rules, policies and definitions say against a planned object. A denial blocks it, as a denial of the server does; so does, under
 * `--strict`, what is not evaluated.
 */
export function withJudgments(planned: PlannedObject, added: readonly Judgment[]): PlannedObject {
  if (added.length === 0) return planned;
  const { judgments: known = [] } = planned; // those of the server, which may evaluate the same policies
  const judgments = [...known.filter((one) => !added.some((other) => isDeepStrictEqual(one, other))), ...added];
  const blocking = blockingJudgments(judgments);
  if (blocking.length === 0 || planned.action === 'blocked') return { ...planned, judgments };
  const error = blocking.some(({ verdict }) => verdict === 'deny') ? denied(blocking, planned) : notEvaluated(blocking, planned);
  return { ...planned, judgments, action: 'blocked', error: explain(error) };
}

function textsOf(judgments: readonly Judgment[]): string {
  return judgments.map(({ rule, message }) => `${rule}: ${message}`).join('; ');
}

function notEvaluated(judgments: readonly Judgment[], { action }: PlannedObject): FieldwiseError {
  const isPolicies = judgments.some(({ source }) => source === 'policy');
  const code = isPolicies ? 'admission-not-evaluated' : 'definition-not-evaluated';
  const what = `Not all ${isPolicies ? 'admission policies' : 'CustomResourceDefinitions'} are evaluated, and \`--strict\` blocks this ${actionTexts[action] ?? 'change'} then`;
  return new FieldwiseError(code, 'resource', `${what}: ${textsOf(judgments)}`, {
    next: 'Nothing denies it: the server decides. Let the plan know what is missing, or leave out `--strict` (docs/policies.md#what-nobody-knows).',
  });
}

function denied(denials: readonly Judgment[], { action }: PlannedObject): FieldwiseError {
  const { code, one, several, next } = deniers.find(({ sources }) => denials.every(({ source }) => sources.includes(source))) as Denier;
  const who = denials.length === 1 ? one : `${denials.length} ${several}`;
  return new FieldwiseError(code, 'resource', `${who} this ${actionTexts[action] ?? 'change'}: ${textsOf(denials)}`, { next });
}

/** Whoever denies a change, and the words for it. */
interface Denier {
  readonly code: 'rule-denied' | 'admission-denied' | 'definition-denied';
  readonly sources: readonly Judgment['source'][];
  readonly one: string;
  readonly several: string;
  readonly next: string;
}

/** The first that fits all denials counts. */
const deniers: readonly Denier[] = [
  {
    code: 'definition-denied',
    sources: ['definition'],
    one: 'A CustomResourceDefinition denies',
    several: 'errors by CustomResourceDefinitions deny',
    next: 'Change the program, or have the definition changed by those who keep it (docs/policies.md).',
  },
  {
    code: 'admission-denied',
    sources: ['policy'],
    one: 'An admission policy denies',
    several: 'admission policies deny',
    next: 'Change the program, or have the policy changed by those who keep it (docs/policies.md).',
  },
  {
    code: 'admission-denied',
    sources: ['policy', 'definition'],
    one: 'An admission policy denies',
    several: 'objections of admission policies and CustomResourceDefinitions deny',
    next: 'Change the program, or have policies and definitions changed by those who keep them (docs/policies.md).',
  },
  {
    code: 'rule-denied',
    sources: [undefined, 'policy', 'definition'],
    one: 'A rule refuses',
    several: 'rules refuse',
    next: 'Change the program, or have the rule changed by those who keep it (docs/rules.md).',
  },
];

const actionTexts: Readonly<Partial<Record<PlannedObject['action'], string>>> = {
  create: 'creation',
  delete: 'deletion',
  recreate: 'deletion and new creation',
  release: 'release',
  unchanged: 'object',
};
