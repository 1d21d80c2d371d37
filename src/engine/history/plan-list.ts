import { createHash } from 'node:crypto';
import { defaultKeep, defaultMaxBytes, type HistoryLimits, type Revision, type StoredBody, slotBytes, slotsOf } from './revision.js';
import { detailsText, withoutDetails } from './revision-details.js';

/** A revision that is to be added to a history. */
export interface DraftRevision {
  /** Its number follows from those before it, unless it has one. */
  readonly revision: Omit<Revision, 'revision' | 'body'> & { readonly revision?: number };
  /** The compressed declarations; absent, or larger than the limit: they are not stored. */
  readonly body?: Uint8Array | undefined;
}

/** The list of a history as it is to be written. */
export interface PlannedList {
  readonly revisions: readonly Revision[];
  readonly content: Uint8Array;
  /** The details that are stored beside the list; absent if there are none. */
  readonly details: Uint8Array | undefined;
  /** The parts that are to be written before, by number. */
  readonly parts: ReadonlyMap<number, Uint8Array>;
}

/**
 * Returns a list with some revisions more, and without those that the limits no longer permit. Equal declarations are stored once.
 *
 * @param taken numbers of parts that others use.
 */
export function planList(
  stored: readonly Revision[],
  drafts: readonly DraftRevision[],
  { keep = defaultKeep, maxBytes = defaultMaxBytes }: HistoryLimits,
  taken: ReadonlySet<number>,
): PlannedList {
  const bodies = new Map<string, Uint8Array>();
  const known = new Map(stored.flatMap(({ body }) => (body ? [[body.sha256, body] as const] : [])));
  const all: Revision[] = [...stored];
  for (const { revision, body } of drafts) {
    const number = revision.revision ?? (all.at(-1)?.revision ?? 0) + 1;
    all.push({ ...revision, revision: number, ...(body ? { body: unplaced(body, bodies, known) } : {}) });
  }
  const kept = withinLimits(all, keep, maxBytes);
  const used = new Set([...slotsOf(stored), ...taken]);
  const parts = new Map<number, Uint8Array>();
  const placed = new Map<string, StoredBody>();
  const revisions = kept.map((revision) => {
    const body = revision.body && bodies.get(revision.body.sha256);
    if (revision.body === undefined || body === undefined) return revision;
    const place = placed.get(revision.body.sha256) ?? { ...revision.body, slots: placeParts(body, used, parts) };
    placed.set(place.sha256, place);
    return { ...revision, body: place };
  });
  const content = Buffer.from(JSON.stringify({ fieldwise: 1, revisions: revisions.map(withoutDetails) }));
  return { revisions, parts, content, details: detailsText(revisions) };
}

/** Returns the place of a body: that of equal declarations, or one without numbers, which is noted among those to be written. */
function unplaced(body: Uint8Array, bodies: Map<string, Uint8Array>, known: ReadonlyMap<string, StoredBody>): StoredBody {
  const sha256 = createHash('sha256').update(body).digest('hex');
  const same = known.get(sha256);
  if (same !== undefined) return same;
  bodies.set(sha256, body);
  return { slots: [], bytes: body.length, sha256 };
}

function placeParts(body: Uint8Array, used: Set<number>, parts: Map<number, Uint8Array>): readonly number[] {
  const slots: number[] = [];
  let slot = 0;
  for (let start = 0; start < body.length; start += slotBytes) {
    while (used.has(slot)) slot += 1;
    used.add(slot);
    slots.push(slot);
    parts.set(slot, body.subarray(start, start + slotBytes));
  }
  return slots;
}

/** Returns the newest `keep` revisions; the declarations of those that do not fit beside newer ones are left out. */
function withinLimits(revisions: readonly Revision[], keep: number, maxBytes: number): readonly Revision[] {
  const stored = new Set<string>();
  let size = 0;
  return revisions
    .slice(-keep)
    .reverse()
    .map(({ body, ...revision }): Revision => {
      if (body === undefined) return revision;
      const added = stored.has(body.sha256) ? 0 : body.bytes;
      if (size + added > maxBytes) return revision;
      stored.add(body.sha256);
      size += added;
      return { ...revision, body };
    })
    .reverse();
}
