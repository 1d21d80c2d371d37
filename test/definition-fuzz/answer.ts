import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Received } from '../vectors/exchange.js';

const perServer = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time']);

/** What is compared of an answer: without times and identities, and with causes, warnings and managers in one order. */
export function answerOf({ code, body, text, warnings }: Received): JsonObject {
  const shown = isJsonObject(body) ? (body.kind === 'Status' ? statusOf(body) : objectOf(body)) : text;
  return { code, body: shown, warnings: warnings.map(normal).toSorted() };
}

function statusOf({ reason, message, details }: JsonObject): Json {
  const { causes } = isJsonObject(details) ? details : {};
  if (!Array.isArray(causes)) return { reason: reason ?? '', message: inOneOrder(normal(String(message))) };
  // Which of several costs is the highest hangs on the last bits of numbers of 64 bits.
  const isShown = ({ message: what }: JsonObject) => !String(what).includes('contributed to estimated rule cost total');
  const lines = (causes as readonly JsonObject[])
    .filter(isShown)
    .map(({ field, reason: why, message: what }) => `${field} ${why} ${normal(String(what))}`);
  return { reason: reason ?? '', causes: lines.toSorted() };
}

/**
 * The errors of a typed patch come in the order of a map in Go: of two in one object, the real server gave one first in 180 of 200 answers to the
 * same request, and the other one in 20. An object is read up to its first unknown field, so which errors there are hangs on the order, too: of three
 * such fields, the real server named one in 44 of 60 answers.
 */
function inOneOrder(message: string): string {
  const [start, list] = message.split('errors:\n');
  if (message.includes(': field not declared in schema'))
    return `${message.slice(0, message.indexOf('): '))}: field not declared in schema`;
  return list === undefined ? message : `${start}errors:\n${list.split('\n').toSorted().join('\n')}`;
}

/**
 * The type of an object has a name with a number that differs each time. Supported values are not in the order of the schema. A schema that is
 * shown with an empty list or map by the real server has none on the embedded one, which decoded it before.
 */
function normal(text: string): string {
  return text
    .replace(/selfType\d+/g, 'selfType')
    .replace(/"(Properties|Required)":(\{\}|\[\])/g, '"$1":null')
    .replace(/supported values: .*/g, (list) => list.split(', ').toSorted().join(', '));
}

function objectOf(object: JsonObject): Json {
  const { metadata, status, ...rest } = object;
  const { managedFields, ...others } = isJsonObject(metadata) ? metadata : {};
  const managers = (Array.isArray(managedFields) ? (managedFields as Json[]) : []).map((entry) => JSON.stringify(sorted(entry)));
  // A controller writes the status of a definition.
  const isDefinition = object.kind === 'CustomResourceDefinition';
  const kept = isDefinition ? {} : { metadata: others, managers: managers.toSorted(), ...(status === undefined ? {} : { status }) };
  return sorted({ ...rest, ...kept } as JsonObject);
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => sorted(item as Json));
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).filter((name) => !perServer.has(name));
  return Object.fromEntries(names.toSorted().map((name) => [name, sorted(value[name] as Json)]));
}
