/** A list of texts under a title. */
export interface Section {
  /** Text before and after the items. */
  readonly open: string;
  readonly close: string;
  readonly items: readonly SectionItem[];
}

/** A text, and a shorter one that is used where there is no room. Both are made only if they may fit. */
export interface SectionItem {
  full(): string;
  brief(): string;
}

/**
 * Joins sections up to a number of characters, in their order. Where the items of a section do not all fit, it has the brief text of as many as
 * possible, and the full text of the first ones; the others are left out.
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
  return allInFull(items, limit) ?? asManyAsPossible(items, limit);
}

function allInFull(items: readonly SectionItem[], limit: number): readonly string[] | undefined {
  const chosen: string[] = [];
  let room = limit;
  for (const item of items) {
    const full = item.full();
    room -= full.length;
    if (room < 0) return undefined;
    chosen.push(full);
  }
  return chosen;
}

/** Takes as many items as possible, and then as many of them in full as there is room for. */
function asManyAsPossible(items: readonly SectionItem[], limit: number): readonly string[] {
  const chosen: string[] = [];
  let room = limit;
  for (const item of items) {
    const brief = item.brief();
    if (brief.length > room) break;
    chosen.push(brief);
    room -= brief.length;
  }
  for (const [index, brief] of chosen.entries()) {
    const full = (items[index] as SectionItem).full();
    const more = full.length - brief.length;
    if (more > room) break;
    chosen[index] = full;
    room -= more;
  }
  return chosen;
}
