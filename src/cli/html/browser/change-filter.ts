import type { PageChange, PageFieldChange, PageValue } from '../page-data.js';

/** The choices of the reader of a plan. An empty set chooses everything. */
export interface ChangeFilter {
  /** In lower case. */
  readonly text: string;
  readonly classes: ReadonlySet<string>;
  readonly stacks: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly changes: ReadonlySet<string>;
  /** Other owners of fields. */
  readonly owners: ReadonlySet<string>;
  /** Shows objects and fields that do not change, too. */
  readonly quiet: boolean;
}

/** Returns true if fields that do not change are shown of objects that change. */
export function showsQuietFields({ quiet, changes }: ChangeFilter): boolean {
  return quiet || changes.has('same');
}

/** Returns the fields of an object that are shown; undefined if the object is hidden. A choice that names what does not change shows it. */
export function shownFields(
  change: PageChange,
  all: readonly PageFieldChange[],
  filter: ChangeFilter,
): readonly PageFieldChange[] | undefined {
  const { text, classes, stacks, actions, changes, owners } = filter;
  if (classes.size > 0 && !classes.has(change.class)) return undefined;
  if (stacks.size > 0 && !stacks.has(change.stack)) return undefined;
  if (actions.size > 0 && !actions.has(change.action)) return undefined;
  const isUnchanged = change.action === 'unchanged';
  const isNamedQuiet = isUnchanged && (actions.size > 0 || classes.has('unchanged'));
  const quiet = showsQuietFields(filter) || isNamedQuiet;
  const isNamed =
    text === '' || [change.object, ...change.effects, change.problem ?? '', ...change.notes].some((one) => contains(one, text));
  const fields = change.fields
    .map((position) => all[position] as PageFieldChange)
    .filter((field) => {
      if (field.isQuiet && !quiet) return false;
      if (changes.size > 0 && !changes.has(field.change)) return false;
      if (owners.size > 0 && !field.owners?.some((owner) => owners.has(owner))) return false;
      return isNamed || contains(field.field, text) || valueTexts(field.value).some((value) => contains(value, text));
    });
  const isFiltered = changes.size > 0 || owners.size > 0 || !isNamed;
  if (fields.length === 0 && isFiltered) return undefined;
  const isQuiet = isUnchanged && fields.every((field) => field.isQuiet);
  return isQuiet && !quiet ? undefined : fields;
}

/** Returns the texts of a value. */
function valueTexts(value: PageValue): readonly string[] {
  return Object.values(value);
}

function contains(text: string, word: string): boolean {
  return text.toLowerCase().includes(word);
}
