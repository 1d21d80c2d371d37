import { parentPort } from 'node:worker_threads';
import { stringifyExactJson } from '../../util/exact-json.js';
import { type BodyFormat, parseBody } from './parse-body.js';

// Reads large bodies beside the event loop. A value goes back as its shortest text: that is read faster than a clone of the value.

/** A body to read. */
export interface BodyTask {
  readonly id: number;
  readonly text: string;
  readonly format: BodyFormat;
}

/** A body that was read: its value as JSON, or the name and message of the error. */
export type BodyTaskResult = { readonly id: number } & (
  | { readonly json: string; readonly duplicateFields: readonly string[] }
  | { readonly error: string; readonly message: string }
);

parentPort?.on('message', (task: BodyTask) => {
  read(task).then(
    (result) => parentPort?.postMessage(result),
    (error: Error) => parentPort?.postMessage({ id: task.id, error: error.name, message: error.message } satisfies BodyTaskResult),
  );
});

async function read({ id, text, format }: BodyTask): Promise<BodyTaskResult> {
  const { value, duplicateFields } = await parseBody(text, format);
  return { id, json: stringifyExactJson(value), duplicateFields };
}
