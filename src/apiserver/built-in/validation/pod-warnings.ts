import { metadataOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { latest } from '../../../util/latest.js';
import { onceFor } from '../../../util/once-for.js';
import { listOf, memberAt, repeatsOf, structOf } from '../../api/json-access.js';
import { addressListWarnings } from './address-warnings.js';
import { containerWarnings } from './container-warnings.js';
import { containerAnnotationWarnings, oldAnnotationWarnings, seccompAnnotationWarnings } from './pod-annotation-warnings.js';
import { portWarnings } from './port-warnings.js';
import { nodeChoiceWarnings, podAffinityWarnings } from './scheduling-warnings.js';
import { volumeWarnings } from './volume-warnings.js';
import { byteWarnings, eachAt } from './warning-parts.js';

/** Warnings about the spec of a Pod, with those about annotations between them. */
interface SpecWarnings {
  readonly nodes: readonly string[];
  readonly volumes: readonly string[];
  /** One element for each container. */
  readonly containers: readonly (readonly string[])[];
  readonly rest: readonly string[];
  readonly all: readonly string[];
}

/**
 * Returns warnings about a Pod or pod template, in the words and the order of the server. A template has a path; about the AppArmor
 * annotations of a Pod the server warns before all else. Source: observed.
 */
export function podWarnings(pod: JsonObject, path: string): readonly string[] {
  const spec = structOf(pod.spec);
  const start = path === '' ? '' : `${path}.`;
  const warnings = warningsOfSpec(spec)(`${start}spec`);
  const annotations = structOf(structOf(pod.metadata).annotations);
  if (Object.keys(annotations).length === 0) return warnings.all;
  const at = `${start}metadata.annotations`;
  const places = containersOf(spec).map(({ container }, index) => [
    ...containerAnnotationWarnings(container, spec, annotations, at, path !== ''),
    ...(warnings.containers[index] ?? []),
  ]);
  return [
    ...warnings.nodes,
    ...oldAnnotationWarnings(annotations, at),
    ...warnings.volumes,
    ...seccompAnnotationWarnings(spec, annotations, at),
    ...places.flat(),
    ...warnings.rest,
  ];
}

/** Once for each spec and its last path: most objects share their spec with the objects that they were made from. */
const warningsOfSpec = onceFor((spec: JsonObject) => latest((path: string) => findInSpec(spec, path), Object.is));

function findInSpec(spec: JsonObject, path: string): SpecWarnings {
  const nodes = nodeChoiceWarnings(spec, path);
  const volumes = [...volumeWarnings(spec, path), ...nameListWarnings(spec, path), ...overheadWarnings(spec, path)];
  const containers = containersOf(spec).map(({ container, at }) => containerWarnings(container, `${path}.${at}`));
  const rest = restOfSpec(spec, path);
  return { nodes, volumes, containers, rest, all: [...nodes, ...volumes, ...containers.flat(), ...rest] };
}

function containersOf(spec: JsonObject): readonly { readonly container: JsonObject; readonly at: string }[] {
  return ['initContainers', 'containers'].flatMap((list) =>
    listOf(spec[list]).map((container, index) => ({ container, at: `${list}[${index}]` })),
  );
}

function nameListWarnings({ hostAliases, imagePullSecrets }: JsonObject, path: string): readonly string[] {
  const secrets = listOf(imagePullSecrets);
  return [
    ...duplicates(listOf(hostAliases), 'ip', `${path}.hostAliases`),
    ...duplicates(secrets, 'name', `${path}.imagePullSecrets`),
    ...eachAt(secrets, `${path}.imagePullSecrets`, ({ name }, at) => (name ? [] : [`${at}.name: invalid empty name ""`])),
  ];
}

function duplicates(list: readonly JsonObject[], member: string, path: string): readonly string[] {
  const values = list.map((each): Json => each[member] ?? '');
  const repeats = repeatsOf(values);
  return values.flatMap((value, index) =>
    repeats[index] ? [`${path}[${index}].${member}: duplicate ${member} ${JSON.stringify(value)}`] : [],
  );
}

function overheadWarnings({ overhead }: JsonObject, path: string): readonly string[] {
  return byteWarnings(overhead, ['memory', 'ephemeral-storage'], `${path}.overhead`);
}

function restOfSpec(spec: JsonObject, path: string): readonly string[] {
  const { terminationGracePeriodSeconds: seconds } = spec;
  const negative = typeof seconds === 'number' && seconds < 0;
  return [
    ...portWarnings(spec, path),
    ...(negative ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`] : []),
    ...podAffinityWarnings(spec, path),
    ...addressListWarnings(memberAt(spec, 'dnsConfig.nameservers'), `${path}.dnsConfig.nameservers`),
    ...addressListWarnings(spec.hostAliases, `${path}.hostAliases`, 'ip'),
  ];
}

/** Returns a warning about a name that a host cannot have; `use` says what has that name. */
export function hostNameWarnings(object: JsonObject, use: string): readonly string[] {
  const { name = '' } = metadataOf(object);
  const problems = [
    ...(name.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(name.includes('.') ? ['must not contain dots'] : []),
  ];
  if (problems.length === 0) return [];
  const start = `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`;
  return [`${start}: [${problems.join(' ')}]`];
}
