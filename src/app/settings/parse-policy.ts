import type { Lifecycle, ReleasePolicy } from '../../assembly/policy-vocabulary.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { parseConflicts } from './conflict-policy.js';
import { type FieldPolicy, type Policy, settingNamed, settingTable } from './policy.js';

/** Former names: those of members, and values of members. */
const formerNames: Readonly<Record<string, string>> = { adopt: 'deleteExisting' };
const formerValues: Readonly<Record<string, Readonly<Record<string, string>>>> = { ifPresent: { adopt: 'own' } };

/** Returns the name of a member, for a former name the present one. */
export function presentName(name: string): string {
  return Object.hasOwn(formerNames, name) ? (formerNames[name] as string) : name;
}

/** Returns a policy of a file with the present names: files are read as they were written. Other values are returned unchanged. */
export function withPresentNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const present = Object.hasOwn(value, presentName(name)) ? name : presentName(name);
    return [present, typeof member === 'string' ? (formerValues[name]?.[member] ?? member) : member];
  });
  return Object.fromEntries(entries);
}

/**
 * Validates a policy and returns it frozen, with a leading dot in field paths and without absent members.
 *
 * @param lifecycle the lifecycle of the intent with the policy; members that do not apply to it are rejected.
 * @throws FieldwiseError `policy-invalid`.
 */
export function parsePolicy(value: unknown, location: ErrorLocation, lifecycle?: Lifecycle): Policy {
  const fail = (what: string): never => {
    throw new FieldwiseError('policy-invalid', 'usage', `Invalid policy: ${what}`, {
      location,
      next: `The members of a policy are ${[...Object.keys(settingTable), 'fields'].join(', ')}.`,
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
    const setting = settingNamed(name);
    if (!setting) return fail(`\`${name}\` ${presentName(name) === name ? 'is unknown' : `is named \`${presentName(name)}\``}`);
    const presentValue = typeof member === 'string' ? formerValues[name]?.[member] : undefined;
    if (presentValue !== undefined) return fail(`\`${name}: '${member}'\` is named \`${name}: '${presentValue}'\``);
    const parsed = setting.parse(member);
    if ('issue' in parsed) return fail(`\`${name}\` ${parsed.issue}`);
    const { only } = setting;
    if (lifecycle && only && only !== lifecycle) return fail(`\`${name}\` applies only to \`${only}\`, not to \`${lifecycle}\``);
    if (!lifecycle && name === 'deleteShared')
      return fail('`deleteShared` belongs to a single intent, not to a stack, app or configuration');
    policy[name] = parsed.value;
  }
  if (policy.strategy === 'server-side' && policy.listKeys !== undefined)
    return fail('`listKeys` have no effect with the strategy `server-side`, where the schema decides; set `strategy` to `dynamic`');
  return Object.freeze(policy) as Policy;
}

function parseFields(value: unknown, fail: (what: string) => never): Readonly<Record<string, FieldPolicy>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('`fields` must be an object of field paths');
  const fields: Record<string, FieldPolicy> = {};
  for (const [text, member] of Object.entries(value as Record<string, unknown>)) {
    if (member === undefined) continue;
    const path = text.startsWith('.') ? text : `.${text}`;
    if (!/^(\.[^.[\]]|\.\[)/.test(path))
      return fail(`\`fields\` names ${JSON.stringify(text)}, which is not a field path such as spec.replicas`);
    if (typeof member !== 'object' || member === null)
      return fail(`\`fields["${text}"]\` must be an object such as { conflicts: 'yield' }`);
    if (Object.hasOwn(fields, path)) return fail(`\`fields\` names ${path} twice`);
    fields[path] = parseField(member, (what) => fail(`\`fields["${text}"]${what}`));
  }
  return Object.freeze(fields);
}

function parseField(member: object, fail: (what: string) => never): FieldPolicy {
  const { conflicts, releases, ...others } = member as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return fail(`.${unknown}\` is unknown; the policy of a field has only \`conflicts\` and \`releases\``);
  const release = settingTable.releases.parse(releases);
  if (releases !== undefined && 'issue' in release) return fail(`.releases\` ${release.issue}`);
  const releasePolicy = releases === undefined ? {} : { releases: releases as ReleasePolicy };
  if (conflicts === undefined && releases !== undefined) return Object.freeze(releasePolicy);
  const parsed = parseConflicts(conflicts);
  if ('issue' in parsed) return fail(`.conflicts\` ${parsed.issue}`);
  return Object.freeze({ conflicts: parsed.value, ...releasePolicy });
}
