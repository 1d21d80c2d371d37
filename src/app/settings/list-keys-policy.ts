import type { ListKeys } from '../../assembly/policy-vocabulary.js';

/** Parses the policy `listKeys`: returns the list keys by path with a leading dot, frozen, or an issue as the rest of a sentence. */
export function parseListKeys(value: unknown): { readonly value: Readonly<Record<string, ListKeys>> } | { readonly issue: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { issue: 'must be an object of field paths' };
  const listKeys: Record<string, ListKeys> = {};
  for (const [text, keys] of Object.entries(value as Record<string, unknown>)) {
    if (keys === undefined) continue;
    const path = text.startsWith('.') ? text : `.${text}`;
    if (!/^\.[^.[\]]/.test(path) || path.includes('['))
      return {
        issue: `names ${JSON.stringify(text)}, which is not the path of a list, without keys, such as spec.template.spec.containers`,
      };
    if (Object.hasOwn(listKeys, path)) return { issue: `names ${path} twice` };
    if (!isListKeys(keys)) return { issue: `must map ${text} to names of fields, such as ['port', 'protocol'], or to one of set, atomic` };
    listKeys[path] = typeof keys === 'string' ? keys : Object.freeze([...keys]);
  }
  return { value: Object.freeze(listKeys) };
}

/** Parses `spec.ports:port+protocol;spec.args:atomic`. Returns other texts unchanged: `parseListKeys` refuses them. */
export function listKeysIn(text: string): unknown {
  const lists = text.split(';').map((list) => /^([^:]+):\s*(\S+)$/.exec(list.trim()));
  if (!lists.every((list) => list !== null)) return text;
  return Object.fromEntries(
    lists.map(([, path = '', keys = '']) => [path.trim(), keys === 'set' || keys === 'atomic' ? keys : keys.split('+')]),
  );
}

function isListKeys(value: unknown): value is ListKeys {
  if (value === 'set' || value === 'atomic') return true;
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) return false;
  return value.every((name) => typeof name === 'string' && name !== '');
}
