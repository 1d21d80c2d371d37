import { shardName } from '../../src/engine/inventory/stack-identity.js';
import type { Random } from '../corpus/random.js';
import type { Ledger } from './ledger.js';
import { app, widgets } from './programs.js';
import type { Site } from './site.js';

/** What somebody else does to an object. */
export interface WriterAct {
  readonly kind: 'apply' | 'update' | 'remove' | 'delete' | 'make again' | 'kubectl' | 'impostor' | 'image' | 'list type' | 'unlock';
  readonly object: 'c0' | 'c1' | 's0' | 'c2' | 'w0';
  /** A field of its data. */
  readonly field: 'value' | 'contested' | 'theirs';
  /** Of `unlock`, the stack whose Lease is deleted. */
  readonly value: string;
}

/** @param isAgain makes an object again, or for the first time. */
export function randomAct(random: Random, isAgain = false): WriterAct {
  const number = random.below(1_000);
  if (isAgain)
    return { kind: 'make again', object: random.pick(['c0', 'c1', 'c1', 's0'] as const), field: 'theirs', value: `theirs-${number}` };
  // Somebody makes an object under the name of our manager, and an updater of images writes into a list.
  if (random.chance(0.12)) return { kind: 'impostor', object: 'c2', field: 'theirs', value: `theirs-${number}` };
  if (random.chance(0.05)) return { kind: 'list type', object: 'w0', field: 'value', value: random.pick(['map', 'atomic']) };
  if (random.chance(0.1)) return { kind: 'image', object: 'w0', field: 'value', value: `theirs-${number}` };
  if (random.chance(0.08)) return { kind: 'apply', object: 'c2', field: 'value', value: `theirs-${number}` };
  const kind = random.pick(['apply', 'apply', 'update', 'update', 'remove', 'delete', 'make again', 'kubectl'] as const);
  return {
    kind,
    object: random.pick(kind === 'delete' ? (['c0', 'c1'] as const) : (['c0', 'c1', 's0'] as const)),
    field: random.pick(['value', 'contested', 'theirs'] as const),
    value: `theirs-${number}`,
  };
}

/** Deletes the Lease of a stack, also of a run that goes on. */
export function randomUnlock(random: Random): WriterAct {
  return { kind: 'unlock', object: 'c0', field: 'value', value: random.pick(['web', 'web', 'web', 'next', 'fresh']) };
}

const json = 'application/json';

type Send = (method: string, query: Record<string, string>, content?: object, contentType?: string, to?: string) => Promise<unknown>;

/** The definition of the widgets gets a schema, in which their list is of a type. */
async function changeListType(send: Send, type: string): Promise<void> {
  const items = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, image: { type: 'string' } } };
  const list = {
    type: 'array',
    items,
    'x-kubernetes-list-type': type,
    ...(type === 'map' ? { 'x-kubernetes-list-map-keys': ['name'] } : {}),
  };
  const schema = { type: 'object', properties: { items: list } };
  const operations = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec', value: schema }];
  const to = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${widgets.plural}.${widgets.group}`;
  await send('PATCH', {}, operations, 'application/json-patch+json', to);
}

/** Does it; a refusal, because the object is not there or others were faster, does not count. */
export async function act({ server, namespace }: Site, ledger: Ledger, { kind, object, field, value }: WriterAct): Promise<void> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const path = `${collection}/${object}`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object }, data: { [field]: value } };
  const send = (method: string, query: Record<string, string>, content?: object, contentType = json, to = path) =>
    ledger.during(`somebody (${kind})`, () =>
      server.handle({
        method,
        path: to,
        query: new URLSearchParams(query),
        headers: content === undefined ? {} : { 'content-type': contentType },
        ...(content === undefined ? {} : { body: JSON.stringify(content) }),
      }),
    );
  ledger.tell('somebody', kind === 'unlock' ? `deletes the Lease of ${value}` : `${kind} ${object}.${field} = ${value}`);
  if (kind === 'apply') await send('PATCH', { fieldManager: 'applier', force: 'true' }, body, 'application/apply-patch+yaml');
  else if (kind === 'update') await send('PATCH', { fieldManager: 'updater' }, { data: body.data }, 'application/merge-patch+json');
  else if (kind === 'remove') await send('PATCH', { fieldManager: 'cleaner' }, { data: { [field]: null } }, 'application/merge-patch+json');
  else if (kind === 'unlock') {
    const name = shardName({ app, instance: 'default', stack: value, manager: `fieldwise/${app}/default/${value}` }, 0);
    await send('DELETE', {}, undefined, json, `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`);
  } else if (kind === 'impostor') {
    await send('DELETE', {});
    await send('PATCH', { fieldManager: `fieldwise/${app}/default/web` }, body, 'application/apply-patch+yaml');
  } else if (kind === 'image') {
    const to = `/apis/${widgets.group}/v1/namespaces/${namespace}/${widgets.plural}/${object}`;
    const operations = [{ op: 'replace', path: '/spec/items/0/image', value }];
    await send('PATCH', { fieldManager: 'image-updater' }, operations, 'application/json-patch+json', to);
  } else if (kind === 'list type') {
    await changeListType(send, value);
  } else if (kind === 'kubectl') {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(body) };
    const patch = { metadata: { annotations }, data: body.data };
    await send('PATCH', { fieldManager: 'kubectl-client-side-apply' }, patch, 'application/merge-patch+json');
  } else {
    await send('DELETE', {});
    if (kind === 'make again') await send('POST', { fieldManager: 'maker' }, body, json, collection);
  }
}
