import * as v from 'valibot';
import type { Json } from '../../util/json.js';
import type { Revision } from './revision.js';

/**
 * Members of revisions that a history has beside their list, in the same Secret: earlier versions refuse a list with members that they do not know, and ignore
 * another value.
 */
export type RevisionDetails = Pick<Revision, 'run' | 'subject' | 'uncommittedChanges'>;

export const maxSubject = 200; // UTF-16 code units

const details = v.object({
  run: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/))),
  subject: v.exactOptional(v.pipe(v.string(), v.maxLength(maxSubject))),
  uncommittedChanges: v.exactOptional(v.union([v.literal(true), v.literal('unknown')])),
});

const byNumber = v.record(v.string(), details);

/** Returns revisions with their details; as they are where the value is not one of details. */
export function withDetails(revisions: readonly Revision[], value: Json | undefined): readonly Revision[] {
  const parsed = v.safeParse(byNumber, value);
  if (!parsed.success) return revisions;
  return revisions.map((one): Revision => ({ ...one, ...(parsed.output[String(one.revision)] as RevisionDetails | undefined) }));
}

/** Returns the details of revisions as they are stored; undefined if there are none. */
export function detailsText(revisions: readonly Revision[]): Uint8Array | undefined {
  const entries = revisions.flatMap(({ revision, run, subject, uncommittedChanges }) => {
    const known = {
      ...(run === undefined ? {} : { run }),
      ...(subject === undefined ? {} : { subject }),
      ...(uncommittedChanges ? { uncommittedChanges } : {}),
    };
    return Object.keys(known).length === 0 ? [] : [[revision, known] as const];
  });
  return entries.length === 0 ? undefined : Buffer.from(JSON.stringify(Object.fromEntries(entries)));
}

export function withoutDetails({ run: _, subject: __, uncommittedChanges: ___, ...revision }: Revision): Revision {
  return revision;
}
