import { createRequire } from 'node:module';
import { parsePolicy, presentName, withPresentNames } from '../../app/settings/parse-policy.js';
import { type Policy, settingNamed, settingTable } from '../../app/settings/policy.js';
import type { PartialObject } from '../../assembly/index.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { ownModule } from '../../util/own-module.js';

/** The annotation with the options of an object, such as `conflicts=yield,lifecycle=share`. It is not sent to the cluster. */
export const optionsAnnotation = 'fieldwise.dev/options';

/** The options of a declaration, from the program and the annotation, and its object without the annotation. */
export interface Options {
  readonly lifecycle: Lifecycle;
  readonly policy: Policy | undefined;
  readonly object: PartialObject;
}

/** The options of a declaration outside of its annotation. */
export interface ObjectOptionsContext {
  /** The lifecycle in the program; absent for objects that others wrote. */
  readonly lifecycle?: Lifecycle | undefined;
  /** The policy in the program, which the annotation must not contradict. */
  readonly policy?: Policy | undefined;
  /** The lifecycle and policy of objects that others wrote; the annotation wins over them. */
  readonly defaults?: { readonly lifecycle: Lifecycle; readonly policy: Policy } | undefined;
  readonly location: ErrorLocation;
}

/** The options of a list. */
export const optionNames = ['lifecycle', ...Object.keys(settingTable).filter((name) => settingNamed(name)?.read)].join(', ');

/**
 * Reads the annotation and removes it from the object. It sets the policy of objects for which a program cannot: those of Helm charts,
 * included YAML, cdk8s-plus and documents. Such an object is owned, unless its annotation contains `lifecycle=share`.
 *
 * @throws FieldwiseError `policy-invalid` for an option that is unknown, repeated, does not apply to the lifecycle, or contradicts the
 *   program.
 */
export function withObjectOptions(
  object: PartialObject,
  { lifecycle, policy, defaults, location: declaredAt }: ObjectOptionsContext,
): Options {
  const annotations = object.metadata.annotations;
  if (!isJsonObject(annotations) || !Object.hasOwn(annotations, optionsAnnotation)) {
    return withDefaults({ lifecycle: lifecycle ?? defaults?.lifecycle ?? 'own', policy, object }, defaults?.policy);
  }
  const location = { ...declaredAt, field: `.metadata.annotations[${optionsAnnotation}]` };
  const fail = (what: string): never => {
    throw new FieldwiseError('policy-invalid', 'usage', `Invalid annotation ${optionsAnnotation}: ${what}`, {
      location,
      next: `Write a list such as conflicts=yield,lifecycle=share, with the options ${optionNames}; or a map in YAML, which may also contain waitFor, transferFrom and fields.`,
    });
  };
  const { [optionsAnnotation]: text, ...others } = annotations;
  const { lifecycle: annotated, ...read } = optionsIn(text, fail);
  const options = withPresentNames(read) as Readonly<Record<string, unknown>>;
  if (annotated !== undefined && annotated !== 'own' && annotated !== 'share') fail('`lifecycle` must be one of own, share');
  if (annotated !== undefined && lifecycle !== undefined && annotated !== lifecycle) {
    fail(`it sets lifecycle=${annotated}, but the program declares the object with \`${lifecycle}\``);
  }
  const inForce = lifecycle ?? (annotated as Lifecycle | undefined) ?? defaults?.lifecycle ?? 'own';
  const parsed = parsePolicy(options, location, inForce);
  for (const [name, value] of Object.entries(parsed)) {
    const declaredValue = policy?.[name as keyof Policy];
    if (declaredValue !== undefined && !jsonEqual(declaredValue as Json, value as Json)) {
      fail(`it sets ${name}=${shown(options[name])}, but the policy in the program is ${JSON.stringify(declaredValue)}`);
    }
  }
  const combined = { lifecycle: inForce, policy: { ...policy, ...parsed }, object: withAnnotations(object, others) };
  return withDefaults(combined, defaults?.policy);
}

/** Adds the defaults that apply to the lifecycle. */
function withDefaults(options: Options, defaults: Policy | undefined): Options {
  if (defaults === undefined || options.lifecycle !== 'own') return options;
  return { ...options, policy: { ...defaults, ...options.policy } };
}

/** Returns the options by their names, with the values of a policy. */
function optionsIn(text: Json | undefined, fail: (what: string) => never): Readonly<Record<string, unknown>> {
  if (typeof text !== 'string') return fail('it must be a string');
  if (isMapText(text)) return optionsInMap(text, fail);
  const options: Record<string, unknown> = {};
  for (const option of text.split(',')) {
    const [, name = '', value = ''] =
      /^([^=\s]*)\s*=(.*)$/s.exec(option.trim()) ?? fail(`${JSON.stringify(option)} is not of the form name=value`);
    const read = name === 'lifecycle' ? (text: string) => text : settingNamed(presentName(name))?.read;
    if (read === undefined) return fail(`\`${name}\` is unknown`);
    if (Object.hasOwn(options, name)) fail(`\`${name}\` is given twice`);
    options[name] = read(value.trim());
  }
  return options;
}

/** Returns true for a text that is a map in YAML and not a list of `name=value`. */
function isMapText(text: string): boolean {
  const colon = text.search(/:(?:\s|$)/);
  const equals = text.indexOf('=');
  return text.trimStart().startsWith('{') || (colon >= 0 && (equals < 0 || colon < equals));
}

/** Reads a map such as `fields: { spec.replicas: { conflicts: yield } }`, in which every member of a policy can be written. */
function optionsInMap(text: string, fail: (what: string) => never): Readonly<Record<string, unknown>> {
  const { parseDocument } = createRequire(ownModule)('yaml') as typeof import('yaml');
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' });
  const [broken] = document.errors;
  const value: unknown = broken === undefined ? document.toJS() : undefined;
  if (!isJsonObject(value)) return fail(broken === undefined ? 'it is not a map' : `it does not parse: ${broken.message}`);
  return value;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Replaces the annotations of an object; removes an empty map, which nobody declared. */
function withAnnotations(object: PartialObject, annotations: JsonObject): PartialObject {
  const { annotations: _, ...metadata } = object.metadata;
  const kept = Object.keys(annotations).length > 0 ? { ...object.metadata, annotations } : metadata;
  return { ...object, metadata: kept as PartialObject['metadata'] };
}
