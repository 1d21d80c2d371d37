import { type ItemFields, isKeyable } from './item-fields.js';
import type { KeySuggestion } from './key-suggestion.js';
import { isPluralOf, wordsOf } from './words.js';

/** Beside a name, these say where it is unique: the name alone does not identify an item. */
const qualifiers = [
  'namespace',
  'kind',
  'group',
  'apiGroup',
  'apiVersion',
  'resource',
  'sectionName',
  'cluster',
  'partition',
  'region',
  'peer',
];
/** Beside a key, these as well say which one is meant. */
const keyQualifiers = [...qualifiers, 'path', 'source', 'version', 'operator', 'effect'];
/** Beside a port, these say whose port it is. */
const hosts = ['name', 'host', 'hostname', 'hosts', 'ip', 'address', 'addresses'];
/** Fields that say of which sort an item is, or how much of it there is: many items have the same. */
const sorts =
  /^(type|kind|class|protocol|value|weight|priority|operator|effect|mode|action|status|count|enabled|description|message|reason|size)$/;
/** Fields that are commonly keys where they are optional. */
const conventional = ['name', 'key', 'id', 'uid', 'port', 'containerPort', 'host', 'hostname', 'ip', 'mountPath', 'topologyKey', 'url'];

/** Finds the fields that identify an item by their names, and by being required. */
export function identifyingFields(list: string, fields: ItemFields): KeySuggestion {
  const { kinds, requiredScalars: required } = fields;
  if (required.includes('port')) return byPort(list, fields);
  const name = required.includes('name') ? 'name' : required.find((one) => /^(key|id|uid)$/.test(one));
  const own = name ?? required.find((one) => isSingularOf(one, list) && !sorts.test(one));
  if (own === undefined) return byElimination(fields);
  const rival = required.find((one) => one !== own && kinds.get(one) === 'string' && !sorts.test(one));
  const qualifier = (own === 'key' ? keyQualifiers : qualifiers).find((one) => one !== own && kinds.has(one));
  if (qualifier !== undefined) {
    const keys = [own, ...required.filter((one) => one !== own && keyQualifiers.includes(one))].toSorted();
    return low(keys, `items also have the field ${qualifier}: their ${own} may not be unique`);
  }
  if (rival !== undefined) return low([own, rival].toSorted(), `${own} and ${rival} are both required, and either may identify an item`);
  return high([own], name === undefined ? `${own} is required, and ${list} are called after it` : `${own} is required`);
}

function byPort(list: string, { kinds, requiredScalars, defaulted }: ItemFields): KeySuggestion {
  const host = hosts.find((name) => kinds.has(name));
  const called = wordsOf(list).some((word) => isPluralOf(word, 'port') || isPluralOf(word, 'listener'));
  if (requiredScalars.includes('name') && called) return high(['name'], 'name is required');
  if (requiredScalars.includes('name')) return low(['name', 'port'], 'name and port are both required, and may identify an item together');
  const keys = kinds.has('protocol') ? ['port', 'protocol'] : ['port'];
  if (host !== undefined) return low(keys, `port is required, but items with another ${host} may have the same`);
  const given = keys.every((name) => requiredScalars.includes(name) || defaulted.has(name));
  if (!given || !called) return low(keys, 'port is required, but nothing says that it is unique');
  return high(keys, `${keys.join(' and ')} ${keys.length > 1 ? 'are always there' : 'is required'}, and nothing else identifies an item`);
}

function byElimination({ kinds, requiredScalars }: ItemFields): KeySuggestion {
  const candidates = requiredScalars.filter((name) => name === 'class' || !sorts.test(name));
  if (candidates.length > 0 && candidates.length <= 4) {
    return low(
      candidates.toSorted(),
      `${candidates.join(' and ')} ${candidates.length > 1 ? 'are' : 'is'} required, but nothing says that items differ in ${candidates.length > 1 ? 'them' : 'it'}`,
    );
  }
  const usual = conventional.find((name) => isKeyable(kinds.get(name)));
  if (usual !== undefined) return low([usual], `${usual} is optional`);
  return { keys: [], confidence: 'none', reason: 'no field of its items is suitable as a key' };
}

/** `broker`, `brokerName` and `brokerID` are singulars of `brokers`, and `zone` of `weightedZones`. */
function isSingularOf(field: string, list: string): boolean {
  const words = wordsOf(field);
  const stem = words.length > 1 && /^(name|id)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const listWords = wordsOf(list);
  const tail = listWords.slice(-stem.length);
  return tail.length === stem.length && tail.every((word, index) => isPluralOf(word, stem[index] ?? ''));
}

function high(keys: readonly string[], reason: string): KeySuggestion {
  return { keys, confidence: 'high', reason };
}

function low(keys: readonly string[], reason: string): KeySuggestion {
  return { keys, confidence: 'low', reason };
}
