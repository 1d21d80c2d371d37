import { type FunctionText, functionText } from './declaration-text.js';
import type { Entry } from './entries.js';
import type { KeyedPositions } from './list-keys.js';
import { agreedKeys, requiredKeys } from './list-keys.js';
import { keyedConstructorName } from './names-in-module.js';
import { constructorName } from './type-names.js';

/**
 * Returns the functions that make an entry's builder. List map keys are parameters if all keyed positions of the type agree about them;
 * otherwise there is one more function for each key tuple.
 *
 * @param taken the names of the module's functions so far
 * @param comment the doc comment of these functions
 * @param nameType the type of names of objects
 */
export function constructors(
  entry: Entry,
  positions: KeyedPositions | undefined,
  textOf: (wireName: string) => string,
  taken: Set<string>,
  comment: readonly string[],
  nameType: string,
): string[] {
  if (entry.root !== undefined) return [functionText(rootConstructor(entry, nameType), comment)];
  const builder = `${entry.base}Builder`;
  const plain = functionText(partConstructor(entry, constructorName(entry.base), agreedKeys(positions), builder, textOf), comment);
  const tuples = positions?.tuples ?? [];
  if (tuples.length < 2) return [plain];
  return [
    plain,
    ...tuples.map((keys) => {
      const marked = `${builder} & $.WithKeys<${keys.map((key) => JSON.stringify(key)).join(' | ')}>`;
      return functionText(partConstructor(entry, free(keyedConstructorName(entry.base, keys), taken), keys, marked, textOf), comment);
    }),
  ];
}

function rootConstructor({ base, root }: Entry, nameType: string): FunctionText {
  const namespaced = root?.root.scope === 'Namespaced';
  const name = { name: 'name', type: nameType };
  const namespace = { name: 'namespace', type: 'string', optional: true };
  return {
    name: constructorName(base),
    parameters: namespaced ? [name, namespace] : [name],
    returnType: `${base}Builder`,
    result: `$.root($table, ${JSON.stringify(base)}, name${namespaced ? ', namespace' : ''})`,
  };
}

function partConstructor(
  { base, type }: Entry,
  name: string,
  keys: readonly string[],
  returnType: string,
  textOf: (wireName: string) => string,
): FunctionText {
  const required = new Set(requiredKeys(type.type, keys));
  const ordered = [...keys.filter((key) => required.has(key)), ...keys.filter((key) => !required.has(key))];
  const parameters = ordered.map((key, index) => ({
    name: /^[a-z][A-Za-z0-9]*$/.test(key) ? constructorName(key) : `key${index + 1}`,
    type: textOf(key),
    ...(required.has(key) ? {} : { optional: true }),
  }));
  const seed = parameters.map((parameter, index) => {
    const key = ordered[index] as string;
    return parameter.name === key ? key : `${JSON.stringify(key)}: ${parameter.name}`;
  });
  const argument = seed.length === 0 ? '' : `, { ${seed.join(', ')} }`;
  return { name, parameters, returnType, result: `$.part($table, ${JSON.stringify(base)}${argument})` };
}

function free(name: string, taken: Set<string>): string {
  let result = name;
  while (taken.has(result)) result += '_';
  taken.add(result);
  return result;
}
