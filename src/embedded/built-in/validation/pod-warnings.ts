import type { Json, JsonObject } from '../../../util/json.js';
import { billionths } from '../convert/compare-quantities.js';
import { listOf, repeatsOf, structOf } from '../convert/json-access.js';

/** Returns warnings about the spec of a Pod or pod template, in the words of the server. */
export function podSpecWarnings(pod: JsonObject, path: string): readonly string[] {
  const { terminationGracePeriodSeconds: seconds } = pod;
  const negative = typeof seconds === 'number' && seconds < 0;
  return [
    ...nodeSelectorWarnings(pod, path),
    ...secretWarnings(pod, path),
    ...projectionWarnings(pod),
    ...['initContainers', 'containers'].flatMap((list) =>
      listOf(pod[list]).flatMap((container, index) => containerWarnings(container, `${path}.${list}[${index}]`)),
    ),
    ...portWarnings(pod, path),
    ...(negative ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`] : []),
  ];
}

/** Returns a warning about the name of a Pod that a host cannot have. */
export function podNameWarnings(name: string): readonly string[] {
  if (!name.includes('.')) return [];
  const start = "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [`${start}: [must not contain dots]`];
}

const oldLabels: Readonly<Record<string, readonly [since: string, instead: string]>> = {
  'beta.kubernetes.io/arch': ['v1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['v1.14', 'kubernetes.io/os'],
  'beta.kubernetes.io/instance-type': ['v1.17', 'node.kubernetes.io/instance-type'],
  'failure-domain.beta.kubernetes.io/region': ['v1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['v1.17', 'topology.kubernetes.io/zone'],
};

function nodeSelectorWarnings({ nodeSelector }: JsonObject, path: string): readonly string[] {
  return Object.keys(structOf(nodeSelector)).flatMap((label) => {
    const [since, instead] = oldLabels[label] ?? [];
    return since === undefined ? [] : [`${path}.nodeSelector[${label}]: deprecated since ${since}; use ${JSON.stringify(instead)} instead`];
  });
}

function secretWarnings({ imagePullSecrets }: JsonObject, path: string): readonly string[] {
  const secrets = listOf(imagePullSecrets);
  const repeats = repeatsOf(secrets.map(({ name }) => name));
  return secrets.flatMap(({ name }, index) => {
    const field = `${path}.imagePullSecrets[${index}].name`;
    if (!name) return [`${field}: invalid empty name ""`];
    return repeats[index] ? [`${field}: duplicate name ${JSON.stringify(name)}`] : [];
  });
}

function projectionWarnings({ volumes }: JsonObject): readonly string[] {
  return listOf(volumes).flatMap(({ name, projected }) =>
    listOf(structOf(projected).sources)
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
  );
}

const bytes = ['memory', 'ephemeral-storage'];

/** Containers without warnings: most objects share theirs with the objects that they were made from. */
const quietContainers = new WeakSet<JsonObject>();

function containerWarnings(container: JsonObject, path: string): readonly string[] {
  if (quietContainers.has(container)) return [];
  const warnings = foundInContainer(container, path);
  if (warnings.length === 0) quietContainers.add(container);
  return warnings;
}

function foundInContainer(container: JsonObject, path: string): readonly string[] {
  const env = listOf(container.env);
  const resources = structOf(container.resources);
  const repeats = repeatsOf(env.map(({ name }) => name));
  const hidden = env.flatMap(({ name }, index) => {
    if (!name || !repeats[index]) return [];
    const text = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${path}.env[${index}]: ${text}`];
  });
  const fractions = ['limits', 'requests'].flatMap((member) =>
    Object.entries(structOf(resources[member])).flatMap(([name, amount]) => {
      if (!bytes.includes(name) || billionths(amount as Json) % 10n ** 9n === 0n) return [];
      return [`${path}.resources.${member}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
    }),
  );
  return [...fractions, ...hidden];
}

interface Port {
  readonly port: JsonObject;
  readonly path: string;
  readonly container: number;
}

/** Returns warnings about ports that are declared twice. */
function portWarnings(pod: JsonObject, path: string): readonly string[] {
  const ports = listOf(pod.containers).flatMap((container, index) =>
    listOf(container.ports).map(
      (port, number): Port => ({ port, path: `${path}.containers[${index}].ports[${number}]`, container: index }),
    ),
  );
  if (ports.length < 2) return ports.flatMap(hostIpWarnings);
  const byPort = new Map<string, Port>();
  const byName = new Map<Json, Port>();
  return ports.flatMap((each) => {
    const { name } = each.port;
    const identity = identityOf(each.port);
    const same = byPort.get(identity);
    const first = name === undefined ? undefined : byName.get(name);
    const named = first !== undefined && first.container < each.container ? first : undefined;
    if (same === undefined) byPort.set(identity, each);
    if (name !== undefined && first === undefined) byName.set(name, each);
    const use = `services and probes that select ports by name will use ${named?.path ?? ''}`;
    return [
      ...(same === undefined ? [] : [`${each.path}: duplicate port definition with ${same.path}`]),
      ...(named === undefined ? [] : [`${each.path}: duplicate port name ${JSON.stringify(name)} with ${named.path}, ${use}`]),
      ...hostIpWarnings(each),
    ];
  });
}

function hostIpWarnings({ port, path }: Port): readonly string[] {
  const { name = '', hostPort, containerPort = 0, protocol = '', hostIP } = port;
  if (!hostIP || hostPort) return [];
  const shown = `{Name:${String(name)} HostPort:0 ContainerPort:${String(containerPort)} Protocol:${String(protocol)} HostIP:${String(hostIP)}}`;
  return [`${path}: hostIP set without hostPort: ${shown}`];
}

/** Returns what identifies a port. */
function identityOf({ protocol = 'TCP', hostIP = '', hostPort = 0, containerPort = 0 }: JsonObject): string {
  return `${String(protocol)}/${String(hostIP)}/${String(hostPort)}/${String(containerPort)}`;
}
