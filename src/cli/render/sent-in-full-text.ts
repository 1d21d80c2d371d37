import type { DeployEvent } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import { onOneLine } from './printable.js';

type ObjectsSeen = Extract<DeployEvent, { event: 'sent-in-full' }>;

/** Returns one line that names the kinds that are sent in full, with what sees them; long lists are cut, and `-o json` has them whole. */
export function sentInFullText({ seen }: ObjectsSeen): string {
  const sources = new Map<string, Map<string, number>>();
  for (const { kind, seenBy, objects } of seen) {
    const kinds = sources.get(seenBy) ?? new Map<string, number>();
    sources.set(seenBy, kinds.set(kind, (kinds.get(kind) ?? 0) + objects));
  }
  const reasons = [...sources].map(([source, kinds]) => `${kindsText(kinds)} because of ${source}`);
  return onOneLine(`sent in full, changed or not: ${firstOf(reasons, maxSources, 'reason').join('; ')}`);
}

function kindsText(kinds: ReadonlyMap<string, number>): string {
  return firstOf(
    [...kinds].map(([kind, objects]) => `${objects} ${kind}`),
    maxKinds,
    'kind',
  ).join(', ');
}

/** Returns the first texts, and how many more there are. */
function firstOf(texts: readonly string[], most: number, what: string): readonly string[] {
  return texts.length <= most ? texts : [...texts.slice(0, most), `${pluralize(texts.length - most, `more ${what}`)}`];
}

const maxSources = 3;
const maxKinds = 4;
