import { existsSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import { parseExactJson } from '../../util/exact-json.js';
import { ownFile } from '../../util/own-file.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { JsonTextError } from '../api/json-text.js';
import type { BodyTask, BodyTaskResult } from './body-worker.js';
import { type BodyFormat, type ParsedBody, parseBody } from './parse-body.js';
import { begin, maxShortLength } from './turns.js';

/**
 * Reads the text of a body; a long one beside the event loop, so that other requests go on.
 *
 * @param inOneGo true for a text that is read here in any case.
 * @throws JsonTextError, YamlTextError
 */
export async function readBodyText(text: string, format: BodyFormat, inOneGo = false): Promise<ParsedBody> {
  if (inOneGo || text.length <= maxShortLength) return parseBody(text, format);
  worker ??= BodyWorker.start();
  return worker === null ? parseBody(text, format) : worker.read(text, format);
}

/** Null where the program has no file for a worker, such as one that runs from TypeScript sources, and in another thread. */
let worker: BodyWorker | null | undefined;

// The path is the same from the bundle of the command line, which is in a directory beside this one.
const workerFile = ownFile('../apiserver/http/body-worker.js');

interface Pending {
  readonly resolve: (body: ParsedBody) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that reads one body after the other. It does not keep the process alive while it has nothing to do. */
class BodyWorker {
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  private constructor(thread: Worker) {
    this.#thread = thread;
    thread.unref();
    thread.on('message', (result: BodyTaskResult) => begin(() => this.#settle(result)));
    thread.on('error', (error: Error) => this.#fail(error));
    thread.on('exit', () => this.#fail(new Error('the thread that reads bodies has ended')));
  }

  static start(): BodyWorker | null {
    // The stack holds values of the greatest depth that the server reads.
    return isMainThread && existsSync(workerFile) ? new BodyWorker(new Worker(workerFile, { resourceLimits: { stackSizeMb: 16 } })) : null;
  }

  read(text: string, format: BodyFormat): Promise<ParsedBody> {
    this.#last += 1;
    const id = this.#last;
    if (this.#pending.size === 0) this.#thread.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#thread.postMessage({ id, text, format } satisfies BodyTask);
    });
  }

  #settle(result: BodyTaskResult): void {
    const pending = this.#pending.get(result.id);
    this.#pending.delete(result.id);
    if (this.#pending.size === 0) this.#thread.unref();
    if (pending === undefined) return;
    if ('error' in result) pending.reject(errorOf(result.error, result.message));
    else pending.resolve({ value: parseExactJson(result.json), duplicateFields: result.duplicateFields });
  }

  #fail(error: Error): void {
    worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function errorOf(name: string, message: string): Error {
  if (name === 'JsonTextError') return new JsonTextError(message);
  if (name === 'YamlTextError') return new YamlTextError(message);
  return name === 'RangeError' ? new RangeError(message) : new Error(message);
}
