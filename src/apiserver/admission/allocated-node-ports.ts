import { nameOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { invalidValue } from '../api/field-error.js';
import { listOf, structOf } from '../api/json-access.js';
import { invalid } from '../api/status-error.js';
import { nodePortOf } from '../built-in/strategy/node-ports.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';

/**
 * Refuses a Service that asks for a node port of another one.
 * Source: Kubernetes documentation "Service", "Choosing your own port".
 *
 * @throws StatusError 422
 */
export function refuseAllocatedNodePorts({ store }: Backend, { namespace }: ObjectTarget, service: JsonObject): JsonObject {
  const ports = listOf(structOf(service.spec).ports).map(nodePortOf);
  if (ports.every((port) => port === 0)) return service;
  const name = nameOf(service);
  const others = store.list('/services').filter(({ metadata }) => {
    const other = structOf(metadata);
    return other.name !== name || other.namespace !== namespace;
  });
  const own = structOf(structOf(store.get({ resource: '/services', namespace: namespace ?? '', name })).spec);
  const kept = new Set(listOf(own.ports).map(nodePortOf));
  const taken = new Set(others.flatMap(({ spec }) => listOf(structOf(spec).ports).map(nodePortOf)));
  const index = ports.findIndex((port) => port !== 0 && !kept.has(port) && taken.has(port));
  if (index < 0) return service;
  const error = invalidValue(`spec.ports[${index}].nodePort`, ports[index], 'provided port is already allocated');
  throw invalid('Service', '', name, [error]);
}
