import { EmbeddedApiServer } from '../../../../src/apiserver/index.js';
import type { IntentPolicy } from '../../../../src/assembly/types.js';
import { withClientSideApply } from '../../../../src/engine/client-side-apply/with-client-side-apply.js';
import { DigestKeys } from '../../../../src/engine/inventory/digest-keys.js';
import { inProcessClient } from '../../../../src/entry/in-process.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { crdOf } from '../../../harness/crd.js';

export const apiVersion = 'example.com/v1';

const route = {
  type: 'object',
  properties: { name: { type: 'string' }, to: { type: 'string' }, weight: { type: 'integer' } },
};
const anything = { 'x-kubernetes-preserve-unknown-fields': true };
const gateway = (spec: object) => crdOf('example.com', 'Gateway', { spec });
/** One kind, by what its schema says of the list. */
export const definitions = [
  {
    described: 'by a schema',
    definition: gateway({ type: 'object', properties: { class: { type: 'string' }, routes: { type: 'array', items: route } } }),
  },
  { described: 'as any value', definition: gateway({ type: 'object', properties: { class: { type: 'string' }, routes: anything } }) },
  { described: 'by nothing', definition: gateway({ type: 'object', ...anything }) },
];

export const listKeys = { 'spec.routes': ['name'] };
export const policyOf = (conflicts: string) => ({ conflicts, fields: {}, strategy: 'dynamic', listKeys }) as unknown as IntentPolicy;

/** A server in process that serves the kind, and a client that merges client-side. */
export async function startWith(definition: object) {
  const server = inProcessClient(await EmbeddedApiServer.start());
  const cluster = withClientSideApply(server, new DigestKeys(server));
  const crds = await server.resourceOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  await server.create(crds, undefined, definition as JsonObject, 'setup');
  const resource = await server.resourceOf(apiVersion, 'Gateway');
  return { server, cluster, resource, address: { resource, namespace: 'default', name: 'one' } };
}
