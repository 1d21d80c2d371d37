import { metadataOf } from '../../../kubernetes/object.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** Returns warnings about the content, in the words of the server. */
export function warningsOf(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  if (object.kind === 'Service' && Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0) {
    return ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'];
  }
  const template = isJsonObject(spec.template) && isJsonObject(spec.template.spec) ? spec.template.spec : undefined;
  const generation = (value: JsonObject) => metadataOf(value).generation;
  // An update that does not change the content has no warnings.
  if (template !== undefined && live !== undefined && generation(live) === generation(object)) return [];
  if (template !== undefined) return podWarnings(template, 'spec.template.spec');
  return object.kind === 'Pod' ? podWarnings(spec, 'spec') : [];
}

interface Port {
  readonly port: JsonObject;
  readonly path: string;
  readonly container: number;
}

function podWarnings(pod: JsonObject, path: string): string[] {
  const secrets = (Array.isArray(pod.imagePullSecrets) ? pod.imagePullSecrets : []) as JsonObject[];
  const nameless = secrets.flatMap(({ name }, index) => (name ? [] : [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`]));
  return [...nameless, ...portWarnings(pod, path)];
}

/** Returns warnings about ports that two containers of a pod declare. */
function portWarnings(pod: JsonObject, path: string): string[] {
  const containers = (Array.isArray(pod.containers) ? pod.containers : []) as JsonObject[];
  const ports = containers.flatMap((container, index): Port[] =>
    ((Array.isArray(container.ports) ? container.ports : []) as JsonObject[]).map((port, number) => ({
      port,
      path: `${path}.containers[${index}].ports[${number}]`,
      container: index,
    })),
  );
  const earlier = (index: number) => ports.slice(0, index).filter(({ container }) => container < (ports[index] as Port).container);
  const definitions = ports.flatMap((each, index) => {
    const same = earlier(index).find(({ port }) => samePort(port, each.port));
    return same === undefined ? [] : [`${each.path}: duplicate port definition with ${same.path}`];
  });
  const names = ports.flatMap((each, index) => {
    const named = earlier(index).find(({ port }) => each.port.name !== undefined && port.name === each.port.name);
    if (named === undefined) return [];
    const use = `services and probes that select ports by name will use ${named.path}`;
    return [`${each.path}: duplicate port name ${JSON.stringify(each.port.name)} with ${named.path}, ${use}`];
  });
  return [...definitions, ...names];
}

/** Members that identify a port, with the value of an absent one. */
const absentPort: JsonObject = { protocol: 'TCP', hostIP: '', hostPort: 0, containerPort: 0 };

function samePort(left: JsonObject, right: JsonObject): boolean {
  return Object.entries(absentPort).every(([name, absent]) => (left[name] ?? absent) === (right[name] ?? absent));
}
