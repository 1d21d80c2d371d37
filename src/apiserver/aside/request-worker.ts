import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createCache } from '../../ownership/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { randomUuid, thisMachine } from '../../util/machine.js';
import type { ApiRequest, ApiResponse } from '../api/request.js';
import { StatusError } from '../api/status-error.js';
import type { Backend, ObjectTarget, RequestTarget } from '../registry/backend.js';
import { Catalog, type ServedResource } from '../registry/catalog.js';
import { builtInResources } from '../resources/built-in-resources.js';
import { crdResource } from '../resources/crd-controller.js';
import { customResource } from '../resources/custom-resource.js';
import { createVerb } from '../verbs/create.js';
import { patchVerb } from '../verbs/patch.js';
import { updateVerb } from '../verbs/update.js';
import { prepareValidation } from '../write/prepare-validation.js';
import type { AsideMessage, AsideOutcome, AsideTarget, AsideTask, StoreAnswer, StoreCall } from './messages.js';
import { StoreView } from './store-view.js';

// The thread for large requests: it handles one after the other, and reads and writes the objects of the server's thread.

const { answers, signal } = workerData as { readonly answers: MessagePort; readonly signal: Int32Array };
const catalog = builtInResources().then((resources) => new Catalog(resources, customResource));
/** The version of the definition by which each custom resource is known. */
const definedBy = new Map<string, unknown>();

parentPort?.on('message', (task: AsideTask) => {
  void handle(task).then((outcome) => parentPort?.postMessage({ outcome } satisfies AsideMessage));
});

async function handle(task: AsideTask): Promise<AsideOutcome> {
  const warnings: string[] = [];
  try {
    const { code, body, warnings: own } = await respond(task, warnings);
    return { warnings: sent(warnings), result: { code, json: stringifyExactJson(body), warnings: sent(own) } };
  } catch (thrown) {
    const { name: error, message } = thrown as Error;
    if (!(thrown instanceof StatusError)) return { warnings: sent(warnings), result: { error, message } };
    const { code, status, headers } = thrown;
    return { warnings: sent(warnings), result: { error, message, status: { code, json: stringifyExactJson(status), headers } } };
  }
}

/** A response has at most so many characters of warnings, and each of them once. */
const maxWarnings = 4097;

function sent(warnings: readonly string[]): readonly string[] {
  return warnings.length <= maxWarnings ? warnings : [...new Set(warnings)].slice(0, maxWarnings);
}

async function respond(task: AsideTask, warnings: string[]): Promise<ApiResponse> {
  const { method, path, headers, body, user } = task;
  const backend: Backend = {
    store: new StoreView(ask),
    catalog: await catalog,
    clock: () => task.now,
    cache: createCache(),
    machine: thisMachine,
    newUid: () => randomUuid(thisMachine),
    prunedContainers: task.prunedContainers,
    webhooks: task.webhooks,
    signingKey: () => {
      throw new Error('no large request needs the signing key');
    },
    effectsElsewhere: true,
  };
  const { namespace, name, subresource } = task.target;
  const target: RequestTarget = { ...served(backend, task.target), namespace, name, subresource, warnings };
  await prepareValidation(backend, target, body);
  const request: ApiRequest = { method, path, query: new URLSearchParams(task.query), headers, body, user };
  if (method === 'POST') return createVerb(backend, target, request);
  return (method === 'PUT' ? updateVerb : patchVerb)(backend, target as ObjectTarget, request);
}

function served(backend: Backend, { group, version, plural, custom }: AsideTarget): ServedResource {
  if (custom) {
    const name = `${plural}.${group}`;
    const definition = backend.store.get({ resource: crdResource, namespace: '', name });
    if (definition !== undefined && definedBy.get(name) !== versionOf(definition)) {
      backend.catalog.define(definition);
      definedBy.set(name, versionOf(definition));
    }
  }
  return backend.catalog.find(group, version, plural) as ServedResource;
}

function versionOf({ metadata }: { readonly metadata?: unknown }): unknown {
  return (metadata as { readonly resourceVersion?: string }).resourceVersion;
}

/** Asks the server's thread, and waits for its answer. */
function ask(call: StoreCall): StoreAnswer {
  Atomics.store(signal, 0, 0);
  parentPort?.postMessage({ ask: call } satisfies AsideMessage);
  Atomics.wait(signal, 0, 0);
  return receiveMessageOnPort(answers)?.message as StoreAnswer;
}
