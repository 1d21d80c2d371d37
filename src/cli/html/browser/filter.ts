import type { PageNode, PageObject } from '../page-data.js';
import { forEachField, ownersOf, type Tables, yamlOf } from './page-tree.js';
import type { Outcome } from './what-if.js';

/** The position that stands for fields without an owner. */
export const nobody = -1;

/** The choices of the reader. */
export interface Filter {
  /** Words that an object, the path of a field or its value contains, in lower case. */
  readonly text: string;
  /** Show only fields of these owners; all if empty. */
  readonly owners: ReadonlySet<number>;
  /** Show only fields with several owners. */
  readonly severalOwners: boolean;
  /** Show only fields that change, if an owner to release is chosen. */
  readonly changedOnly: boolean;
}

/** Returns the test for fields of one object; undefined if none of its fields is shown. */
export function fieldTest(
  object: PageObject,
  tables: Tables,
  filter: Filter,
  outcomes: ReadonlyMap<PageNode, Outcome> | undefined,
): ((node: PageNode, path: string) => boolean) | undefined {
  const named = filter.text === '' || contains(object.object, filter.text) || contains(object.problem, filter.text);
  const test = (node: PageNode, path: string): boolean => {
    const owners = ownersOf(node, tables);
    if (filter.severalOwners && owners.length < 2) return false;
    if (filter.changedOnly && outcomes !== undefined && !outcomes.has(node)) return false;
    if (filter.owners.size > 0 && !(owners.length === 0 ? filter.owners.has(nobody) : owners.some((owner) => filter.owners.has(owner))))
      return false;
    return named || contains(path, filter.text) || contains(yamlOf(node), filter.text);
  };
  if (named && filter.owners.size === 0 && !filter.severalOwners && (!filter.changedOnly || outcomes === undefined)) return test;
  let some = false;
  forEachField(object.fields, tables, (node, path) => {
    some ||= test(node, path);
  });
  return some ? test : undefined;
}

function contains(text: string | undefined, word: string): boolean {
  return text?.toLowerCase().includes(word) === true;
}
