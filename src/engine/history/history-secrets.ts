import { metadataOf } from '../../fields/object.js';
import { parseExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { historyNames } from '../inventory/history-vouch.js';
import { labelOf, type StackIdentity } from '../inventory/stack-identity.js';
import { defaultKeep, defaultMaxBytes, type HistoryLimits, slotBytes } from './revision.js';

/** The label of every Secret of a history: its value stands for the field manager. */
const historyLabel = 'fieldwise.dev/history';
const secretType = 'fieldwise.dev/history';

/**
 * Returns the name of the Secret that lists the revisions of a stack; it follows from the field manager.
 *
 * @param number of the name: a later one is used where a list that is unknown has an earlier one.
 */
export function historyName(manager: string, number = 0): string {
  return `fieldwise-history.${labelOf(manager)}${number === 0 ? '' : `-${number + 1}`}`;
}

/** Returns all names that the list of the revisions of a stack may have. */
export function listNames(manager: string): readonly string[] {
  return Array.from({ length: historyNames }, (_, number) => historyName(manager, number));
}

/** Returns the name of a Secret that contains declarations of revisions. @param list the name of their list. */
export function slotName(list: string, slot: number): string {
  return `${list}.${slot}`;
}

/** Returns the number of slots that a history uses at most: a revision is written before those that it replaces are removed. */
export function slotCount({ keep = defaultKeep, maxBytes = defaultMaxBytes }: HistoryLimits): number {
  return keep + 1 + 2 * Math.ceil(maxBytes / slotBytes);
}

/** Returns a Secret of a history, with one value. @param details beside a list. */
export function historySecret(
  stack: StackIdentity,
  namespace: string,
  name: string,
  key: string,
  value: Uint8Array,
  details?: Uint8Array,
): JsonObject {
  const { app, instance, stack: stackName, manager } = stack;
  const owner = JSON.stringify({ app, instance, stack: stackName, manager });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { [historyLabel]: labelOf(manager), 'app.kubernetes.io/managed-by': 'fieldwise' },
    },
    type: secretType,
    data: {
      owner: Buffer.from(owner).toString('base64'),
      [key]: Buffer.from(value).toString('base64'),
      ...(details === undefined ? {} : { details: Buffer.from(details).toString('base64') }),
    },
  };
}

/** Returns true if a Secret is a part of the history of a stack. Anybody who may create Secrets may give one the name. */
export function isHistoryOf(object: JsonObject, { app, instance, stack, manager }: StackIdentity): boolean {
  const { labels } = metadataOf(object);
  if (object.type !== secretType || !isJsonObject(labels) || labels[historyLabel] !== labelOf(manager)) return false;
  const owner = parsed(valueIn(object, 'owner'));
  return isJsonObject(owner) && owner.app === app && owner.instance === instance && owner.stack === stack && owner.manager === manager;
}

/** Returns true if a Secret has been a part of a history of any stack, or looks like one. */
export function hasHistoryMark(object: JsonObject): boolean {
  const { labels } = metadataOf(object);
  return object.type === secretType || (isJsonObject(labels) && Object.hasOwn(labels, historyLabel));
}

/** Returns a value of a Secret; undefined where it has none. */
export function valueIn({ data }: JsonObject, key: string): Uint8Array | undefined {
  const text = isJsonObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
  return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
}

/** The key of a Secret that contains no part of a revision, but values that are about to be overwritten; see `OldValues`. */
export const noteKey = 'old-values';

/** Returns the values that are about to be overwritten; undefined for any other Secret of a history. */
export function noteIn(secret: JsonObject): Uint8Array | undefined {
  return valueIn(secret, noteKey);
}

/** Returns the content of a JSON text; undefined where it is not JSON. */
export function parsed(bytes: Uint8Array | undefined): Json | undefined {
  if (bytes === undefined) return undefined;
  try {
    return parseExactJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
