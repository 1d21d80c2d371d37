import { type ErrorPlace, FieldwiseError } from '../util/error.js';

const conflictPolicies = ['force', 'fail', 'yield'] as const;
const absencePolicies = ['wait', 'fail', 'create'] as const;
const propagations = ['Background', 'Foreground', 'Orphan'] as const;

/** What to do where another field manager owns a field with another value. */
export type ConflictPolicy = (typeof conflictPolicies)[number];
/** What a share does when its object does not exist. */
export type IfAbsent = (typeof absencePolicies)[number];
/** Kubernetes' deletion propagation policies. */
export type DeletePropagation = (typeof propagations)[number];

/**
 * How declared fields meet the cluster. May be given for a whole app (configuration file or `App`), a stack, an intent and a field;
 * the nearest wins, member by member.
 */
export interface Policy {
  /**
   * `force` (default): a first pass without force sees and records every conflict, then force takes the fields; `fail`: report and
   * stop; `yield`: leave contested fields to their owner.
   */
  readonly conflicts?: ConflictPolicy | undefined;
  /** Shares: `wait` (default) for the object, `fail`, or `create` it. */
  readonly ifAbsent?: IfAbsent | undefined;
  /** Shares: seconds to wait for the object, 300 by default; 0 does not wait. */
  readonly waitSeconds?: number | undefined;
  /** Owns: an object that was there before is deleted on destroy, as if this stack had created it. Default false. */
  readonly adopt?: boolean | undefined;
  /** Owns: how dependents are treated on deletion, `Background` by default. */
  readonly deletePropagation?: DeletePropagation | undefined;
  /** Policies of single fields by path, such as `{ 'spec.replicas': { conflicts: 'yield' } }`; a path covers everything below it. */
  readonly fields?: Readonly<Record<string, FieldPolicy>> | undefined;
}

export interface FieldPolicy {
  readonly conflicts: ConflictPolicy;
}

/** Members that say nothing about one of the two lifecycles. */
const onlyFor = { ifAbsent: 'share', waitSeconds: 'share', adopt: 'own', deletePropagation: 'own' } as const;

const checks: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  conflicts: oneOf(conflictPolicies),
  ifAbsent: oneOf(absencePolicies),
  waitSeconds: (value) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? undefined : 'must be a number of seconds, 0 or more',
  adopt: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  deletePropagation: oneOf(propagations),
};

/**
 * Checks a policy and returns it frozen, field paths written with a leading dot, absent members left out.
 *
 * @param lifecycle the lifecycle of the intent that carries the policy; members that mean nothing to it are refused.
 * @throws FieldwiseError `policy-invalid`.
 */
export function parsePolicy(value: unknown, place: ErrorPlace, lifecycle?: 'own' | 'share'): Policy {
  const fail = (what: string): never => {
    throw new FieldwiseError('policy-invalid', 'usage', `Policy is wrong: ${what}`, {
      place,
      next: `Known members are ${[...Object.keys(checks), 'fields'].join(', ')}.`,
    });
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('it must be an object');
  const policy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (name === 'fields') {
      policy.fields = parseFields(member, fail);
      continue;
    }
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return fail(`\`${name}\` is unknown`);
    const trouble = check(member);
    if (trouble) return fail(`\`${name}\` ${trouble}`);
    const only = Object.hasOwn(onlyFor, name) ? onlyFor[name as keyof typeof onlyFor] : undefined;
    if (lifecycle && only && only !== lifecycle) return fail(`\`${name}\` says nothing about \`${lifecycle}\`, only about \`${only}\``);
    policy[name] = member;
  }
  return Object.freeze(policy) as Policy;
}

function parseFields(value: unknown, fail: (what: string) => never): Readonly<Record<string, FieldPolicy>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('`fields` must be an object of field paths');
  const fields: Record<string, FieldPolicy> = {};
  for (const [text, member] of Object.entries(value as Record<string, unknown>)) {
    if (member === undefined) continue;
    const path = text.startsWith('.') ? text : `.${text}`;
    if (!/^(\.[^.[\]]|\.\[)/.test(path))
      return fail(`\`fields\` names ${JSON.stringify(text)}, which is no field path such as spec.replicas`);
    if (typeof member !== 'object' || member === null)
      return fail(`\`fields["${text}"]\` must be an object such as { conflicts: 'yield' }`);
    const unknown = Object.keys(member).find((name) => name !== 'conflicts');
    if (unknown !== undefined) return fail(`\`fields["${text}"].${unknown}\` is unknown; a field has only \`conflicts\``);
    const conflicts = (member as { conflicts?: unknown }).conflicts;
    const trouble = oneOf(conflictPolicies)(conflicts);
    if (trouble) return fail(`\`fields["${text}"].conflicts\` ${trouble}`);
    if (Object.hasOwn(fields, path)) return fail(`\`fields\` names ${path} twice`);
    fields[path] = Object.freeze({ conflicts: conflicts as ConflictPolicy });
  }
  return Object.freeze(fields);
}

function oneOf(values: readonly string[]): (value: unknown) => string | undefined {
  return (value) => (values.includes(value as string) ? undefined : `must be one of ${values.join(', ')}`);
}
