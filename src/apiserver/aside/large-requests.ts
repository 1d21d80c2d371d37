import { existsSync } from 'node:fs';
import { isMainThread, MessageChannel, Worker } from 'node:worker_threads';
import { parseExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { ownFile } from '../../util/own-file.js';
import { hasWebhooks } from '../admission/webhook.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { StatusError } from '../api/status-error.js';
import { administrator } from '../api/user.js';
import { isShort } from '../http/turns.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { StaleRead } from '../storage/store.js';
import type { AsideMessage, AsideOutcome, AsideTask } from './messages.js';
import { StoreAccess } from './store-access.js';

/**
 * Handles a create, update or patch with a large body on another thread, so that other requests go on. Returns undefined for any other
 * request, and where there is no such thread. The reason is in docs/decisions/48.
 *
 * @throws StatusError
 * @throws StaleRead
 */
export function handleAside(backend: Backend, target: RequestTarget, request: ApiRequest): Promise<ApiResponse> | undefined {
  const { body = '' } = request;
  if (isShort(request) || hasWebhooks(backend) || target.resource.convertedByWebhook === true) return undefined;
  worker ??= RequestWorker.start();
  return worker?.handle(backend, target, { ...request, body });
}

/** Null where the program has no file for a worker, such as one that runs from TypeScript sources. */
let worker: RequestWorker | null | undefined;

// The path is the same from the bundle of the command line, which is in a directory beside this one.
const workerFile = ownFile('../apiserver/aside/request-worker.js');

interface Waiting {
  readonly backend: Backend;
  readonly target: RequestTarget;
  readonly task: AsideTask;
  readonly resolve: (response: ApiResponse) => void;
  readonly reject: (error: Error) => void;
}

/** The thread for large requests. It does not keep the process alive while it has nothing to do. */
class RequestWorker {
  readonly #thread: Worker;
  readonly #answers: MessageChannel['port1'];
  readonly #signal: Int32Array;
  readonly #waiting: Waiting[] = [];
  #current: (Waiting & { readonly access: StoreAccess }) | undefined;

  private constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#answers = port1;
    this.#signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { answers: port2, signal: this.#signal };
    // The stack holds values of the greatest depth that the server reads.
    this.#thread = new Worker(workerFile, { workerData, transferList: [port2], resourceLimits: { stackSizeMb: 16 } });
    this.#thread.unref();
    port1.unref();
    this.#thread.on('message', (message: AsideMessage) => this.#receive(message));
    this.#thread.on('error', (error: Error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error('the thread for large requests has ended')));
  }

  static start(): RequestWorker | null {
    return isMainThread && existsSync(workerFile) ? new RequestWorker() : null;
  }

  handle(backend: Backend, target: RequestTarget, request: ApiRequest & { readonly body: string | Uint8Array }): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ backend, target, task: taskOf(backend, target, request), resolve, reject });
      if (this.#current === undefined) this.#next();
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#current = undefined;
      this.#thread.unref();
      return;
    }
    this.#thread.ref();
    this.#current = { ...next, access: new StoreAccess(next.backend) };
    this.#thread.postMessage(next.task);
  }

  #receive(message: AsideMessage): void {
    const current = this.#current;
    if (current === undefined) return;
    if ('ask' in message) this.#answer(current.access, message.ask);
    else this.#finish(current, message.outcome);
  }

  #finish(current: Waiting, outcome: AsideOutcome): void {
    this.#next();
    try {
      current.resolve(responseOf(current.target, outcome));
    } catch (error) {
      current.reject(error as Error);
    }
  }

  #answer(access: StoreAccess, call: Parameters<StoreAccess['answer']>[0]): void {
    try {
      this.#answers.postMessage(access.answer(call));
    } catch (error) {
      this.#answers.postMessage({ failure: (error as Error).message });
    }
    Atomics.store(this.#signal, 0, 1);
    Atomics.notify(this.#signal, 0);
  }

  #fail(error: Error): void {
    if (worker === this) worker = undefined;
    this.#current?.reject(error);
    this.#current = undefined;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function taskOf(backend: Backend, target: RequestTarget, request: ApiRequest & { readonly body: string | Uint8Array }): AsideTask {
  const { method, path, query, headers, body, user = administrator } = request;
  const { resource, version, namespace, name, subresource } = target;
  const { group, plural, strategy } = resource;
  return {
    method,
    path,
    query: query.toString(),
    headers,
    body,
    user,
    target: { group, version: version.name, plural, custom: strategy.custom, namespace, name, subresource },
    now: backend.clock(),
    prunedContainers: backend.prunedContainers,
    webhooks: backend.webhooks,
  };
}

/** @throws StatusError, StaleRead or another error of the request */
function responseOf(target: RequestTarget, { warnings, result }: AsideOutcome): ApiResponse {
  if (!('error' in result)) {
    for (const warning of warnings) target.warnings.push(warning);
    return { ...apiResponse(result.code, null, result.warnings), json: result.json };
  }
  if (result.error === 'StaleRead') throw new StaleRead();
  for (const warning of warnings) target.warnings.push(warning);
  if (result.status !== undefined) throw statusErrorOf(result.message, result.status);
  if (result.error === 'FieldwiseError') throw new StatusError(500, 'InternalError', result.message);
  throw result.error === 'RangeError' ? new RangeError(result.message) : new Error(result.message);
}

function statusErrorOf(
  message: string,
  { code, json, headers }: { code: number; json: string; headers: Readonly<Record<string, string>> },
) {
  const { reason, details, metadata } = parseExactJson(json) as JsonObject;
  const [ofMetadata, ofDetails] = [metadata, details] as [JsonObject, JsonObject | undefined];
  return new StatusError(code, reason as string | undefined, message, ofDetails, { metadata: ofMetadata, headers });
}
