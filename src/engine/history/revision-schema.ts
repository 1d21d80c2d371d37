import * as v from 'valibot';
import type { Revision } from './revision.js';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const positive = v.pipe(count, v.minValue(1));
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const shortText = v.pipe(v.string(), v.maxLength(1024));

const input = v.strictObject({ from: v.picklist(['context', 'env', 'file']), name: v.string(), value: v.exactOptional(v.string()) });

const revision = v.strictObject({
  revision: positive,
  at: v.pipe(v.string(), v.isoTimestamp()),
  digest: sha256,
  result: v.picklist(['succeeded', 'failed']),
  counts: v.record(shortText, count),
  by: v.exactOptional(shortText),
  cluster: v.exactOptional(v.strictObject({ uid: v.exactOptional(shortText), inventoryUid: v.exactOptional(shortText) })),
  commit: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{7,64}$/))),
  rollbackTo: v.exactOptional(positive),
  inputs: v.exactOptional(v.array(input)),
  body: v.exactOptional(v.strictObject({ slots: v.pipe(v.array(count), v.nonEmpty(), v.maxLength(1024)), bytes: positive, sha256 })),
});

const list = v.strictObject({ fieldwise: v.literal(1), revisions: v.pipe(v.array(revision), v.maxLength(1000)) });

/** Parses the list of the revisions of a stack; undefined where it is not one. Numbers rise. */
export function parseRevisions(value: unknown): readonly Revision[] | undefined {
  const result = v.safeParse(list, value, { abortEarly: true });
  if (!result.success) return undefined;
  const { revisions } = result.output;
  const rises = revisions.every(({ revision: number }, index) => index === 0 || number > (revisions[index - 1] as Revision).revision);
  return rises ? (revisions as readonly Revision[]) : undefined;
}
