import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { appArmor, seccompOfContainer, seccompOfPod } from './pod-annotation-rules.js';

const oldAnnotations: readonly (readonly [name: string, text: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

const useSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Returns warnings about old annotations of Pods. Source: observed. */
export function oldAnnotationWarnings(annotations: JsonObject, path: string): readonly string[] {
  return oldAnnotations.flatMap(([name, text]) => (Object.hasOwn(annotations, name) ? [`${path}[${name}]: ${text}`] : []));
}

/** Returns a warning about the seccomp annotation of a Pod without the member. Source: observed. */
export function seccompAnnotationWarnings({ securityContext }: JsonObject, annotations: JsonObject, path: string): readonly string[] {
  return Object.hasOwn(annotations, seccompOfPod) && !structOf(securityContext).seccompProfile
    ? [`${path}[${seccompOfPod}]: ${useSeccomp}`]
    : [];
}

/** Returns warnings about the annotations for one container; those about AppArmor only for a template. Source: observed. */
export function containerAnnotationWarnings(
  container: JsonObject,
  spec: JsonObject,
  annotations: JsonObject,
  path: string,
  isTemplate: boolean,
): readonly string[] {
  const name = `${seccompOfContainer}${String(container.name)}`;
  const hasSeccomp = Object.hasOwn(annotations, name) && !structOf(container.securityContext).seccompProfile;
  return [
    ...(hasSeccomp ? [`${path}[${name}]: ${useSeccomp}`] : []),
    ...(isTemplate ? appArmorWarning(container, spec, annotations, path) : []),
  ];
}

/** Returns warnings about the AppArmor annotations of a Pod. Source: observed. */
export function appArmorWarnings({ metadata, spec }: JsonObject): readonly string[] {
  const annotations = structOf(structOf(metadata).annotations);
  if (Object.keys(annotations).length === 0) return [];
  const pod = structOf(spec);
  return ['initContainers', 'containers'].flatMap((list) =>
    listOf(pod[list]).flatMap((container) => appArmorWarning(container, pod, annotations, 'metadata.annotations')),
  );
}

function appArmorWarning(container: JsonObject, spec: JsonObject, annotations: JsonObject, path: string): readonly string[] {
  const name = `${appArmor}${String(container.name)}`;
  if (!Object.hasOwn(annotations, name) || structOf(container.securityContext).appArmorProfile) return [];
  const profile = profileOf(String(annotations[name]));
  const isKnown = profile !== undefined && jsonEqual(profile, structOf(spec.securityContext).appArmorProfile);
  return isKnown ? [] : [`${path}[${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

/** Returns the member that an annotation stands for. */
function profileOf(annotation: string): Json | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const [, localhostProfile] = /^localhost\/(.+)$/s.exec(annotation) ?? [];
  return localhostProfile === undefined ? undefined : { type: 'Localhost', localhostProfile };
}
