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

/** How many fields a sentence names. */
const namedFields = 10;

/** Returns a sentence for each rule; one that says the same of several fields says it once, with their list. */
export function judgmentsText(judgments: readonly Judgment[]): string {
  return [...groupsOf(judgments).values()].map(([first, ...others]) => (first === undefined ? '' : judgmentText(first, others))).join('; ');
}

/** Groups objections of one rule that differ by their fields alone. */
function groupsOf(judgments: readonly Judgment[]): ReadonlyMap<string, readonly Judgment[]> {
  const groups = new Map<string, Judgment[]>();
  for (const judgment of judgments) {
    const { rule, source, message, field } = judgment;
    const said = field === undefined ? message : message.replaceAll(field, '\0');
    const key = JSON.stringify([rule, source, said]);
    groups.set(key, [...(groups.get(key) ?? []), judgment]);
  }
  return groups;
}

function judgmentText({ rule, message, field }: Judgment, others: readonly Judgment[]): string {
  if (field === undefined || (others.length === 0 && !message.includes(field))) return `${rule}: ${message}`;
  const fields = [field, ...others.map((other) => other.field ?? '')];
  const more = fields.length - namedFields;
  const list = `${fields.slice(0, namedFields).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${rule}: ${message.includes(field) ? message.replace(field, () => list) : `${message} (${list})`}`;
}

function notEvaluated(judgments: readonly Judgment[], { action }: PlannedObject): FieldwiseError {
  const isPolicies = judgments.some(({ source }) => source === 'policy');
  const code = isPolicies ? 'admission-not-evaluated' : 'definition-not-evaluated';
  const what = `Not all ${isPolicies ? 'admission policies' : 'CustomResourceDefinitions'} are evaluated, and \`--strict\` blocks this ${actionTexts[action] ?? 'change'} then`;
  return new FieldwiseError(code, 'resource', `${what}: ${judgmentsText(judgments)}`, {
    next: 'Nothing denies it: the server decides. Let the plan know what is missing, or leave out `--strict` (docs/policies.md#what-nobody-knows).',
  });
}

function denied(denials: readonly Judgment[], { action }: PlannedObject): FieldwiseError {
  const { code, one, several, next } = deniers.find(({ sources }) => denials.every(({ source }) => sources.includes(source))) as Denier;
  const count = groupsOf(denials).size;
  const who = count === 1 ? one : `${count} ${several}`;
  return new FieldwiseError(code, 'resource', `${who} this ${actionTexts[action] ?? 'change'}: ${judgmentsText(denials)}`, { next });
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
