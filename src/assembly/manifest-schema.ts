import * as v from 'valibot';
import type { WarningCode } from '../util/error-codes.js';
import { absencePolicies, conflictPolicies, deletePropagations, lifecycles, releasePolicies } from './policy-vocabulary.js';
import type { Manifest } from './types.js';

const text = v.pipe(v.string(), v.nonEmpty('it is empty'));
const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const choice = v.picklist(conflictPolicies);
const managers = v.exactOptional(v.array(text));
const conflicts = v.union([choice, v.strictObject({ force: managers, fail: managers, yield: managers, otherwise: choice })]);
const fieldPath = v.pipe(v.string(), v.startsWith('.', 'the field path has no leading dot'));
const digest = v.strictObject({ path: text, sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'it is not a SHA-256 in hex')) });

const policy = v.strictObject({
  conflicts,
  waitSeconds: v.pipe(v.number(), v.minValue(0)),
  ifAbsent: v.picklist(absencePolicies),
  ifPresent: v.exactOptional(v.picklist(['fail', 'ask'])),
  releases: v.exactOptional(v.picklist(['ask', 'fail'])),
  adopt: v.boolean(),
  deletePropagation: v.picklist(deletePropagations),
  wait: v.union(
    [
      v.literal(false),
      v.strictObject({
        seconds: v.pipe(v.number(), v.gtValue(0)),
        unschedulableSeconds: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
        failFast: v.exactOptional(v.literal(false)),
      }),
    ],
    'it is neither false nor { seconds }',
  ),
  waitFor: v.exactOptional(
    v.union(
      [
        v.strictObject({ condition: text, status: text }),
        v.strictObject({ field: text, equals: v.union([v.string(), v.number(), v.boolean()]) }),
      ],
      'it names neither a condition nor a field',
    ),
  ),
  replace: v.exactOptional(v.literal(true)),
  retain: v.exactOptional(v.literal(true)),
  deleteShared: v.exactOptional(v.literal(true)),
  transferFrom: v.exactOptional(
    v.strictObject({
      from: text,
      formerManagers: v.exactOptional(v.pipe(v.array(text), v.nonEmpty())),
      fields: v.exactOptional(v.pipe(v.array(fieldPath), v.nonEmpty())),
    }),
  ),
  strategy: v.exactOptional(v.literal('dynamic')),
  listKeys: v.exactOptional(
    v.record(
      text,
      v.union([v.picklist(['set', 'atomic']), v.pipe(v.array(text), v.nonEmpty())], 'it is neither a list of fields, set nor atomic'),
    ),
  ),
  fields: v.record(
    fieldPath,
    v.strictObject({ conflicts: v.exactOptional(conflicts), releases: v.exactOptional(v.picklist(releasePolicies)) }),
  ),
});

/** Returns the schema of a policy for one read. Thousands of intents have few different policies, which are validated and kept once. */
function policySchema(writtenHere: boolean) {
  const validPolicies = new Map<unknown, v.InferOutput<typeof policy>>(); // by their JSON; those of synth are the same objects
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const same = writtenHere ? value : JSON.stringify(value);
      const known = validPolicies.get(same);
      if (known) return known;
      const result = v.safeParse(policy, value, { abortEarly: true });
      if (result.success) {
        validPolicies.set(same, result.output);
        return result.output;
      }
      const [{ message, path }] = result.issues;
      addIssue({ message, ...(path ? { path } : {}) });
      return NEVER;
    }),
  );
}

const manager = v.pipe(text, v.maxBytes(128, 'it is longer than 128 bytes'), v.regex(/^[\x21-\x7e]+$/, 'it is not printable'));

const optionalText = v.exactOptional(v.string());

const input = v.strictObject({ from: v.picklist(['context', 'env', 'file']), name: text, value: optionalText });

const warning = v.strictObject({
  // Not compared with the registry: another version of Fieldwise may have written the manifest.
  code: text as v.GenericSchema<string, WarningCode>,
  message: text,
  stack: optionalText,
  object: optionalText,
  field: optionalText,
  construct: optionalText,
  source: optionalText,
});

/**
 * Returns the schema of an intent for one read. A valid intent stays as it was read, with its policy from `policySchema`: validated copies of
 * thousands of intents would take as much memory again, and half as much for good, because their lists have room for more.
 *
 * @param writtenHere of intents that synth has just written, only the policies are put in the order of a read.
 */
function intentSchema(writtenHere: boolean) {
  const intent = v.strictObject({
    apiVersion: text,
    kind: text,
    namespace: v.exactOptional(text),
    name: text,
    lifecycle: v.picklist(lifecycles),
    policy: policySchema(writtenHere),
    declaredBy: v.array(v.strictObject({ construct: text, source: v.exactOptional(text) })),
    dependsOn: v.array(index),
    phase: v.exactOptional(index),
  });
  const checked = writtenHere ? v.object({ policy: intent.entries.policy }) : intent;
  return v.pipe(
    v.unknown(),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }): v.InferOutput<typeof intent> => {
      const result = v.safeParse(checked, value, { abortEarly: true });
      if (result.success) return { ...(value as v.InferOutput<typeof intent>), policy: result.output.policy };
      const [{ message, path }] = result.issues;
      addIssue({ message, ...(path ? { path } : {}) });
      return NEVER;
    }),
  );
}

/** Returns the schema of a manifest for one read; see `policySchema`. */
function manifestSchema(writtenHere: boolean) {
  const stack = v.strictObject({
    name: text,
    manager,
    formerIdentities: v.exactOptional(v.array(v.strictObject({ app: text, instance: text, stack: text, manager }))),
    dependsOn: v.array(text),
    json: digest,
    yaml: digest,
    prune: v.boolean(),
    intents: v.array(intentSchema(writtenHere)),
    groups: v.exactOptional(v.array(v.array(index))),
  });
  return v.strictObject({
    fieldwise: v.literal(1),
    app: text,
    instance: text,
    id: v.exactOptional(text),
    stacks: v.array(stack),
    inputs: v.exactOptional(v.array(input)),
    unset: v.exactOptional(v.array(text)),
    warnings: v.array(warning),
  });
}

/**
 * Parses a manifest: returns it, or an issue as a clause.
 *
 * @param writtenHere its intents are those that synth has just written, and so valid.
 */
export function parseManifest(value: unknown, writtenHere = false): { readonly manifest: Manifest } | { readonly issue: string } {
  const result = v.safeParse(manifestSchema(writtenHere), value, { abortEarly: true });
  if (result.success) return { manifest: result.output };
  const [issue] = result.issues;
  return { issue: `${v.getDotPath(issue) ?? 'the manifest'}: ${issue.message}` };
}
