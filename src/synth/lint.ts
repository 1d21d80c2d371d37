import { identityKey, objectText, type SynthWarning } from '../assembly/index.js';
import type { Json, JsonObject } from '../util/json.js';
import { type AtomicPosition, atomicPositions } from './atomic-positions.js';
import { isBuiltIn } from './built-in.js';
import { type DroppedEmpty, dropEmpties } from './drop-empties.js';
import { isListOfObjects, keyableLists } from './list-keys.js';
import type { MergedIntent, MergedStack } from './merged-stack.js';

/** An intent of the app together with its stack. */
interface Placed {
  readonly stack: MergedStack;
  readonly intent: MergedIntent;
}

/** Hazards of ownership that can be seen before anything reaches a cluster. */
export function lint(stacks: readonly MergedStack[]): readonly SynthWarning[] {
  const placed = stacks.flatMap((stack) => stack.intents.map((intent) => ({ stack, intent })));
  const positions = placed.map((one) => ({ ...one, atomic: [...atomicPositions(one.intent.object, one.intent.root && one.intent.typed)] }));
  return [
    ...positions.flatMap(({ stack, intent, atomic }) =>
      intent.declared[0]?.lifecycle === 'share'
        ? atomic.filter(({ kind, typed }) => kind === 'list' && isListOfObjects(typed)).map((one) => sharedList({ stack, intent }, one))
        : [],
    ),
    ...contested(positions),
  ];
}

function sharedList(placed: Placed, { path, schemaPath, value, typed }: AtomicPosition): SynthWarning {
  const { identity } = placed.intent;
  const object = objectText(identity);
  const risk = `${object} shares ${path}, and this list is atomic: applying it replaces the whole list, another stack's entries included.`;
  const cure = isBuiltIn(identity.apiVersion)
    ? `It is built into Kubernetes and cannot be shared: let one stack declare all of it.`
    : cureOf(value, typed, schemaPath, identity.apiVersion);
  return warning('atomic-list-shared', `${risk} ${cure}`, placed, path);
}

function cureOf(value: Json, typed: AtomicPosition['typed'], schemaPath: string, apiVersion: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const changes = keyableLists(value, typed, schemaPath).map(({ schemaPath: where, keys, optional }) => {
    const names = keys.length > 0 ? keys.join(', ') : '<fields that tell items apart>';
    const first = optional.length > 0 ? ` (its items must require ${optional.join(', ')} first, or default it)` : '';
    return `\`x-kubernetes-list-type: map\` with \`x-kubernetes-list-map-keys: [${names}]\` at ${where}${first}`;
  });
  return `The cure is in the CRD, below versions[name=${version}].schema.openAPIV3Schema: ${changes.join(', and ')}.`;
}

/** Positions that several stacks declare as a whole: whoever is deployed last has it. */
function contested(placed: readonly (Placed & { readonly atomic: readonly AtomicPosition[] })[]): readonly SynthWarning[] {
  const holders = new Map<string, { placed: Placed; position: AtomicPosition }[]>();
  for (const { stack, intent, atomic } of placed) {
    for (const position of atomic) {
      const key = `${identityKey(intent.identity)} ${position.path}`;
      holders.set(key, [...(holders.get(key) ?? []), { placed: { stack, intent }, position }]);
    }
  }
  return [...holders.values()].flatMap((held) => {
    const last = held.at(-1);
    if (!last || held.length < 2) return [];
    const { path, kind } = last.position;
    const object = objectText(last.placed.intent.identity);
    const message = `Stacks ${namesOf(held.map(({ placed: { stack } }) => stack.name))} each declare ${path} of ${object}, and this ${kind} is atomic: it has one value as a whole, that of the stack deployed last. Let one of them declare it.`;
    return [warning('atomic-list-contested', message, last.placed, path)];
  });
}

function namesOf(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** A warning about a field, blamed on the first declaration that has it. */
export function warning(code: string, message: string, { stack, intent }: Placed, field: string): SynthWarning {
  const declaration = intent.declared.find(({ object }) => declares(object, field, intent)) ?? intent.declared[0];
  return { code, message, stack: stack.name, object: objectText(intent.identity), field, ...declaration?.place };
}

function declares(object: Json, field: string, { typed }: MergedIntent): boolean {
  const dropped: DroppedEmpty[] = [];
  dropEmpties(object as JsonObject, typed, dropped);
  return [...dropped, ...atomicPositions(object, typed)].some(({ path }) => path === field);
}
