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
  /** The number of items that are counted where it is left out. */
  readonly count?: number;
}

/**
 * Joins sections up to a number of characters, in their order. Where the items of a section do not all fit, it has the full text of the first
 * ones and the brief text of as many others as possible; the rest is left out.
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
    leftOut += items.slice(chosen.length).reduce((sum, { count = 1 }) => sum + count, 0);
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

/** Takes the first items in full, in half of the room, and as many others as possible by their brief text. */
function asManyAsPossible(items: readonly SectionItem[], limit: number): readonly string[] {
  const chosen: string[] = [];
  let used = 0;
  let isFull = true;
  for (const item of items) {
    let text = isFull ? item.full() : item.brief();
    if (isFull && used + text.length > limit / 2) {
      isFull = false;
      text = item.brief();
    }
    if (used + text.length > limit) break;
    chosen.push(text);
    used += text.length;
  }
  return chosen;
}
