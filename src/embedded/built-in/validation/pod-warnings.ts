import type { Json, JsonObject } from '../../../util/json.js';
import { billionths } from '../convert/compare-quantities.js';
import { listOf, repeatsOf, structOf } from '../convert/json-access.js';

/** The warnings of specs at their paths: most objects share their spec with the objects that they were made from. */
const known = new WeakMap<JsonObject, { readonly path: string; readonly warnings: readonly string[] }>();

/** Returns warnings about the spec of a Pod or pod template, in the words of the server. */
export function podSpecWarnings(pod: JsonObject, path: string): readonly string[] {
  const before = known.get(pod);
  if (before?.path === path) return before.warnings;
  const warnings = foundInSpec(pod, path);
  known.set(pod, { path, warnings });
  return warnings;
}

function foundInSpec(pod: JsonObject, path: string): readonly string[] {
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
  readonly container: JsonObject;
}

/** Returns warnings about ports that are declared twice: all of those about numbers, then those about names. */
function portWarnings(pod: JsonObject, path: string): readonly string[] {
  const ports = ['initContainers', 'containers'].flatMap((list) =>
    listOf(pod[list]).flatMap((container, index) =>
      listOf(container.ports).map((port, number): Port => ({ port, path: `${path}.${list}[${index}].ports[${number}]`, container })),
    ),
  );
  if (ports.length < 2) return ports.flatMap(hostIpWarnings);
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

function numberWarnings(ports: readonly Port[]): readonly string[] {
  const earlier = new Map<string, Port[]>();
  return ports.flatMap((each) => {
    const { containerPort = 0, protocol = 'TCP' } = each.port;
    const identity = `${String(protocol)}/${String(containerPort)}`;
    const others = earlier.get(identity) ?? [];
    const overlaps = others.flatMap((other) => {
      const what = overlapOf(other.port, each.port);
      return what === undefined ? [] : [`${each.path}: ${what} port definition with ${other.path}`];
    });
    others.push(each);
    earlier.set(identity, others);
    return [...hostIpWarnings(each), ...overlaps];
  });
}

/** Returns by which word two ports with one number and protocol overlap on their host. */
function overlapOf(left: JsonObject, right: JsonObject): string | undefined {
  const [leftPort, rightPort] = [left.hostPort ?? 0, right.hostPort ?? 0];
  const [leftIp, rightIp] = [left.hostIP ?? '', right.hostIP ?? ''];
  if (leftPort === rightPort && leftIp === rightIp) return 'duplicate';
  if (leftPort === 0 || rightPort === 0) return 'overlapping';
  return leftPort === rightPort && (leftIp === '' || rightIp === '') ? 'dangerously ambiguous' : undefined;
}

/** Two ports of one container with one name are refused. */
function nameWarnings(ports: readonly Port[]): readonly string[] {
  const byName = new Map<Json, Port>();
  return ports.flatMap((each) => {
    const { path, container } = each;
    const { name } = each.port;
    if (!name) return [];
    const first = byName.get(name);
    if (first === undefined) byName.set(name, each);
    if (first === undefined || first.container === container) return [];
    const use = `services and probes that select ports by name will use ${first.path}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${first.path}, ${use}`];
  });
}

function hostIpWarnings({ port, path }: Port): readonly string[] {
  const { name = '', hostPort, containerPort = 0, protocol = '', hostIP } = port;
  if (!hostIP || hostPort) return [];
  const shown = `{Name:${String(name)} HostPort:0 ContainerPort:${String(containerPort)} Protocol:${String(protocol)} HostIP:${String(hostIP)}}`;
  return [`${path}: hostIP set without hostPort: ${shown}`];
}
