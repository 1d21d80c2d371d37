import { type Policy, parsePolicy } from '../../app/policies/policy.js';
import type { PartialObject } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';

/** The annotation with the options of an object, such as `conflicts=yield,lifecycle=share`. It is not sent to the cluster. */
export const optionsAnnotation = 'fieldwise.dev/options';

/** The options of a declaration, from the program and the annotation, and its object without the annotation. */
export interface Options {
  readonly lifecycle: Lifecycle;
  readonly policy: Policy | undefined;
  readonly object: PartialObject;
}

/** Converts the text of an option to a value for `parsePolicy`. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  conflicts: asText,
  strategy: asText,
  listKeys: listKeysIn,
  ifAbsent: asText,
  ifPresent: asText,
  releases: asText,
  waitSeconds: numberOr(asText),
  adopt: booleanOr(asText),
  deletePropagation: asText,
  wait: (text) => (Number.isNaN(asNumber(text)) ? booleanOr(asText)(text) : { seconds: asNumber(text) }),
  replace: booleanOr(asText),
  retain: booleanOr(asText),
};

/**
 * Reads the annotation and removes it from the object. It sets the policy of objects for which a program cannot: those of Helm charts,
 * included YAML and cdk8s-plus. Such an object is owned, unless its annotation contains `lifecycle=share`.
 *
 * @param lifecycle the lifecycle in the program; undefined for objects of cdk8s constructs.
 * @throws FieldwiseError `policy-invalid` for an option that is unknown, repeated, does not apply to the lifecycle, or contradicts the
 *   program.
 */
export function withObjectOptions(
  object: PartialObject,
  lifecycle: Lifecycle | undefined,
  policy: Policy | undefined,
  declaredAt: ErrorLocation,
): Options {
  const annotations = object.metadata.annotations;
  if (!isJsonObject(annotations) || !Object.hasOwn(annotations, optionsAnnotation)) {
    return { lifecycle: lifecycle ?? 'own', policy, object };
  }
  const location = { ...declaredAt, field: `.metadata.annotations[${optionsAnnotation}]` };
  const fail = (what: string): never => {
    throw new FieldwiseError('policy-invalid', 'usage', `Invalid annotation ${optionsAnnotation}: ${what}`, {
      location,
      next: `Write a list such as conflicts=yield,lifecycle=share. The options are ${['lifecycle', ...Object.keys(readers)].join(', ')}.`,
    });
  };
  const { [optionsAnnotation]: text, ...others } = annotations;
  const { lifecycle: annotated, ...options } = optionsIn(text, fail);
  if (annotated !== undefined && annotated !== 'own' && annotated !== 'share') fail('`lifecycle` must be one of own, share');
  if (annotated !== undefined && lifecycle !== undefined && annotated !== lifecycle) {
    fail(`it sets lifecycle=${annotated}, but the program declares the object with \`${lifecycle}\``);
  }
  const inForce = lifecycle ?? (annotated as Lifecycle | undefined) ?? 'own';
  const read = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, readers[name]?.(value)]));
  const parsed = parsePolicy(read, location, inForce);
  for (const [name, value] of Object.entries(parsed)) {
    const declaredValue = policy?.[name as keyof Policy];
    if (declaredValue !== undefined && !jsonEqual(declaredValue as Json, value as Json)) {
      fail(`it sets ${name}=${options[name]}, but the policy in the program is ${JSON.stringify(declaredValue)}`);
    }
  }
  return { lifecycle: inForce, policy: { ...policy, ...parsed }, object: withAnnotations(object, others) };
}

function optionsIn(text: Json | undefined, fail: (what: string) => never): Readonly<Record<string, string>> {
  if (typeof text !== 'string') return fail('it must be a string');
  const options: Record<string, string> = {};
  for (const option of text.split(',')) {
    const [, name = '', value = ''] =
      /^([^=\s]*)\s*=(.*)$/s.exec(option.trim()) ?? fail(`${JSON.stringify(option)} is not of the form name=value`);
    if (name !== 'lifecycle' && !Object.hasOwn(readers, name)) fail(`\`${name}\` is unknown`);
    if (Object.hasOwn(options, name)) fail(`\`${name}\` is given twice`);
    options[name] = value.trim();
  }
  return options;
}

/** Replaces the annotations of an object; removes an empty map, which nobody declared. */
function withAnnotations(object: PartialObject, annotations: JsonObject): PartialObject {
  const { annotations: _, ...metadata } = object.metadata;
  const kept = Object.keys(annotations).length > 0 ? { ...object.metadata, annotations } : metadata;
  return { ...object, metadata: kept as PartialObject['metadata'] };
}

/** Parses `spec.ports:port+protocol;spec.args:atomic`. Returns other texts unchanged, and `parsePolicy` rejects them. */
function listKeysIn(text: string): unknown {
  const lists = text.split(';').map((list) => /^([^:]+):\s*(\S+)$/.exec(list.trim()));
  if (!lists.every((list) => list !== null)) return text;
  return Object.fromEntries(
    lists.map(([, path = '', keys = '']) => [path.trim(), keys === 'set' || keys === 'atomic' ? keys : keys.split('+')]),
  );
}

function asText(text: string): string {
  return text;
}

function asNumber(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function numberOr(otherwise: (text: string) => unknown): (text: string) => unknown {
  return (text) => (Number.isNaN(asNumber(text)) ? otherwise(text) : asNumber(text));
}

function booleanOr(otherwise: (text: string) => unknown): (text: string) => unknown {
  return (text) => (text === 'true' || text === 'false' ? text === 'true' : otherwise(text));
}
