import type { PageChange, PageFieldChange } from '../page-data.js';

/** The choices of the reader of a plan. An empty set chooses everything. */
export interface ChangeFilter {
  /** In lower case. */
  readonly text: string;
  readonly stacks: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly changes: ReadonlySet<string>;
  /** Other owners of fields. */
  readonly owners: ReadonlySet<string>;
  /** Shows objects and fields that do not change, too. */
  readonly quiet: boolean;
}

/** Returns the fields of an object that are shown; undefined if the object is hidden. */
export function shownFields(change: PageChange, filter: ChangeFilter): readonly PageFieldChange[] | undefined {
  const { text, stacks, actions, changes, owners, quiet } = filter;
  if (stacks.size > 0 && !stacks.has(change.stack)) return undefined;
  if (actions.size > 0 && !actions.has(change.action)) return undefined;
  const isNamed = text === '' || [change.object, change.problem ?? '', ...change.notes].some((one) => contains(one, text));
  const fields = change.fields.filter((field) => {
    if (field.isQuiet && !quiet) return false;
    if (changes.size > 0 && !changes.has(field.change)) return false;
    if (owners.size > 0 && !field.owners.some((owner) => owners.has(owner))) return false;
    return (
      isNamed || contains(field.field, text) || field.rows.some((row) => contains(row.old ?? '', text) || contains(row.new ?? '', text))
    );
  });
  const isFiltered = changes.size > 0 || owners.size > 0 || !isNamed;
  if (fields.length === 0 && isFiltered) return undefined;
  const isQuiet = change.action === 'unchanged' && fields.every((field) => field.isQuiet);
  return isQuiet && !quiet ? undefined : fields;
}

function contains(text: string, word: string): boolean {
  return text.toLowerCase().includes(word);
}
