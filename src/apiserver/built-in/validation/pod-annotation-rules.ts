import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { goTypeOf, jsonProblem } from '../../api/json-text.js';
import { tolerationErrors } from './scheduling-rules.js';
import { localPathErrors } from './volume-rules.js';

const mirror = 'kubernetes.io/config.mirror';
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
export const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
/** Annotations that begin so name a container. */
export const seccompOfContainer = 'container.seccomp.security.alpha.kubernetes.io/';
export const appArmor = 'container.apparmor.security.beta.kubernetes.io/';

const localhost = 'localhost/';
const defaults = ['runtime/default', 'docker/default'];
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/**
 * Validates the annotations that say something about a Pod.
 * Source: Kubernetes documentation "Well-Known Labels, Annotations and Taints"; messages as observed.
 *
 * @param field path of the annotations
 */
export function podAnnotationErrors(sent: Json | undefined, spec: JsonObject, field: string): readonly FieldError[] {
  const annotations = structOf(sent);
  const names = Object.keys(annotations);
  if (names.length === 0) return [];
  const text = (name: string) => String(annotations[name]);
  const cost = annotations[deletionCost];
  const isMirror = annotations[mirror] !== undefined && !spec.nodeName;
  const startingWith = (prefix: string) => names.filter((name) => name.startsWith(prefix));
  return [
    ...(isMirror ? [invalidValue(`${field}[${mirror}]`, text(mirror), 'must set spec.nodeName if mirror pod annotation is set')] : []),
    ...(annotations[tolerations] ? tolerationTextErrors(text(tolerations), field) : []),
    ...(cost === undefined || isInt32(String(cost)) ? [] : [invalidValue(`${field}[${deletionCost}]`, cost, 'must be a 32bit integer')]),
    ...[...names.filter((name) => name === seccompOfPod), ...startingWith(seccompOfContainer)].flatMap((name) =>
      seccompErrors(text(name), `${field}.${name}`),
    ),
    ...appArmorErrors(startingWith(appArmor), annotations, spec, field),
  ];
}

function tolerationTextErrors(text: string, field: string): readonly FieldError[] {
  const problem = jsonProblem(text) ?? listProblem(JSON.parse(text) as Json);
  if (problem !== undefined) return [invalidValue(field, tolerations, problem)];
  return listOf(JSON.parse(text) as Json).flatMap((each, index) => tolerationErrors(structOf(each), `${field}.${tolerations}[${index}]`));
}

function listProblem(value: Json): string | undefined {
  if (!Array.isArray(value))
    return value === null ? undefined : `json: cannot unmarshal ${goTypeOf(value)} into Go value of type []core.Toleration`;
  const odd = (value as readonly Json[]).find((item) => item !== null && !isJsonObject(item));
  return odd === undefined ? undefined : `json: cannot unmarshal ${goTypeOf(odd)} into Go value of type core.Toleration`;
}

/** Returns true for a number without sign `+` and leading zeros. */
function isInt32(text: string): boolean {
  return /^(?:-?[1-9]\d*|-?0)$/.test(text) && text.length < 12 && Number(text) === (Number(text) | 0);
}

function seccompErrors(profile: string, field: string): readonly FieldError[] {
  if (defaults.includes(profile) || profile === 'unconfined') return [];
  if (profile.startsWith(localhost)) return localPathErrors(field, profile.slice(localhost.length));
  return [invalidValue(field, profile, 'must be a valid seccomp profile')];
}

function appArmorErrors(names: readonly string[], annotations: JsonObject, spec: JsonObject, field: string): readonly FieldError[] {
  if (names.length === 0) return [];
  const containers = new Set(containerLists.flatMap((list) => listOf(spec[list]).map(({ name }) => name)));
  return names.flatMap((name) => {
    const [container, profile] = [name.slice(appArmor.length), String(annotations[name])];
    const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(localhost);
    const invalid = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
    return [
      ...(containers.has(container) ? [] : [invalidValue(`${field}[${name}]`, container, 'container not found')]),
      ...(isKnown ? [] : [invalidValue(`${field}[${name}]`, profile, invalid)]),
    ];
  });
}

/**
 * Validates that an annotation and the field that replaces it say the same.
 *
 * @param path of the spec
 * @param isTemplate false for a Pod, whose annotations become fields of its containers when it is created
 */
export function profileMismatches(sent: Json | undefined, spec: JsonObject, path: string, isTemplate: boolean): readonly FieldError[] {
  const annotations = structOf(sent);
  if (Object.keys(annotations).length === 0) return [];
  const ofPod = structOf(spec.securityContext);
  const own = containerLists.flatMap((list) =>
    listOf(spec[list]).map((container, index) => ({
      context: structOf(container.securityContext),
      name: String(container.name),
      at: `${path}.${list}[${index}].securityContext`,
    })),
  );
  return [
    ...mismatch('seccomp', annotations[seccompOfPod], ofPod.seccompProfile, `${path}.securityContext.seccompProfile`),
    ...own.flatMap(({ context, name, at }) =>
      mismatch('seccomp', annotations[seccompOfContainer + name], context.seccompProfile, `${at}.seccompProfile`),
    ),
    ...own.flatMap(({ context, name, at }) => {
      const profile = context.appArmorProfile ?? (isTemplate ? ofPod.appArmorProfile : undefined);
      return mismatch('apparmor', annotations[appArmor + name], profile, `${at}.appArmorProfile`);
    }),
  ];
}

function mismatch(
  kind: 'seccomp' | 'apparmor',
  annotation: Json | undefined,
  profile: Json | undefined,
  at: string,
): readonly FieldError[] {
  if (typeof annotation !== 'string' || !isJsonObject(profile)) return [];
  const type = typeOf(annotation, kind === 'seccomp' ? defaults : ['runtime/default']);
  if (type !== profile.type) return [forbiddenField(`${at}.type`, `${kind} type in annotation and field must match`)];
  const isSame = type !== 'Localhost' || annotation.slice(localhost.length) === profile.localhostProfile;
  return isSame ? [] : [forbiddenField(`${at}.localhostProfile`, `${kind} profile in annotation and field must match`)];
}

function typeOf(annotation: string, runtimeDefaults: readonly string[]): string | undefined {
  if (annotation === 'unconfined') return 'Unconfined';
  if (runtimeDefaults.includes(annotation)) return 'RuntimeDefault';
  return annotation.startsWith(localhost) ? 'Localhost' : undefined;
}
