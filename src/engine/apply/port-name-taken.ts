import { type FieldPath, formatPath, membersOf, valueAt } from '../../fields/index.js';
import { ApiError } from '../../kubernetes/index.js';
import { managedFieldsOf, ownerText } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';

/** Returns the names that a refusal says two ports have; empty for other refusals. */
export function repeatedPortNames(error: unknown): readonly string[] {
  if (!(error instanceof ApiError) || error.code !== 422 || error.causes.length === 0) return [];
  const names = error.causes.map(({ field, reason, message }) => {
    const isName = reason === 'FieldValueDuplicate' && /(^|\.)ports\[\d+\]\.name$/.test(field);
    return isName ? /^Duplicate value: "(.*)"$/.exec(message)?.[1] : undefined;
  });
  return names.every((name) => name !== undefined) ? names : [];
}

/**
 * Explains that a port got another number under a name that somebody else keeps at the old number: ports are told apart by number and
 * protocol, so both would exist. Undefined for other refusals, and where nobody else has such a name.
 */
export function portNameTaken(error: unknown, live: JsonObject | undefined, manager: string): FieldwiseError | undefined {
  const [name] = repeatedPortNames(error);
  if (name === undefined || live === undefined) return undefined;
  const kept = portsNamed(live, name, manager);
  const [first] = kept.keys();
  if (first === undefined) return undefined;
  const owners = [...new Set([...kept.values()].flat())];
  const what = `Two ports would have the name ${JSON.stringify(name)}: ${[...kept.keys()].join(' and ')} stays, because ${owners.join(' and ')} ${owners.length === 1 ? 'owns' : 'own'} it, too`;
  return new FieldwiseError('port-name-taken', 'resource', what, {
    location: { field: first, manager },
    next:
      'A port is identified by its number and protocol: with another number it is another port. Let the other owner renumber or drop its port ' +
      'first (deploy first, where it is a stack), or give the new port another name. To take over the port, declare it with its old number, ' +
      'run `fieldwise adopt` with the owner in `--from`, and change the number then.',
    cause: error,
  });
}

/** Returns the ports of a live object that have a name and that others than a manager own, with those owners. */
function portsNamed(live: JsonObject, name: string, manager: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const entry of managedFieldsOf(live as Json)) {
    if (entry.manager === manager && entry.operation === 'Apply') continue;
    for (const { path } of membersOf(entry.fields)) {
      if (!isPortName(path) || valueAt(live, path) !== name) continue;
      const port = formatPath(path.slice(0, -1));
      found.set(port, [...(found.get(port) ?? []), ownerText(entry)]);
    }
  }
  return found;
}

function isPortName(path: FieldPath): boolean {
  const [list, item, member] = path.slice(-3);
  return list?.kind === 'field' && list.name === 'ports' && item?.kind === 'key' && member?.kind === 'field' && member.name === 'name';
}
