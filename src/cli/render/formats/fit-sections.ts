/** A list of texts under a title. */
export interface Section {
  /** Text before and after the items. */
  readonly open: string;
  readonly close: string;
  readonly items: readonly SectionItem[];
}

/** A text, and a shorter one that is used where there is no room. */
export interface SectionItem {
  readonly full: string;
  readonly brief: string;
}

/**
 * Joins sections up to a number of characters, in their order. A section whose items do not all fit has the brief text of those that are
 * not `open` by themselves; items without room even for that are left out.
 *
 * @returns the text, and the number of items that it leaves out.
 */
export function fitSections(sections: readonly Section[], limit: number): { readonly text: string; readonly leftOut: number } {
  const texts: string[] = [];
  let room = limit;
  let leftOut = 0;
  for (const { open, close, items } of sections) {
    if (items.length === 0) continue;
    const inside = room - open.length - close.length;
    const chosen = fitItems(items, inside);
    leftOut += items.length - chosen.length;
    if (chosen.length === 0) continue;
    const text = `${open}${chosen.join('')}${close}`;
    texts.push(text);
    room -= text.length;
  }
  return { text: texts.join(''), leftOut };
}

function fitItems(items: readonly SectionItem[], limit: number): readonly string[] {
  const total = (texts: readonly SectionItem[]) => texts.reduce((sum, { full }) => sum + full.length, 0);
  if (total(items) <= limit) return items.map(({ full }) => full);
  // As many items as possible, and then as many of them in full as there is room for.
  const chosen: string[] = [];
  let room = limit;
  for (const { brief } of items) {
    if (brief.length > room) break;
    chosen.push(brief);
    room -= brief.length;
  }
  for (const [index, brief] of chosen.entries()) {
    const { full } = items[index] as SectionItem;
    const more = full.length - brief.length;
    if (more > room) continue;
    chosen[index] = full;
    room -= more;
  }
  return chosen;
}
