/** A part of a source that is not imported, because it is not a CRD, or because another file contains the same CRD. */
export interface Skipped {
  readonly what: 'file' | 'document' | 'patch' | 'copy';
  /** The file or document, and why it is skipped; without a full stop. */
  readonly text: string;
  /** The kind of a document. */
  readonly kind?: string;
}

/** The kinds of documents that a summary names. */
const shownKinds = 6;

/** Describes the skipped parts of a source in one phrase, such as `2 documents of other kinds (ConfigMap, Service)`; empty without any. */
export function describeSkipped(skipped: readonly Skipped[]): string {
  const count = (what: Skipped['what']) => skipped.filter((part) => part.what === what).length;
  const [files, documents, patches, copies] = [count('file'), count('document'), count('patch'), count('copy')];
  const parts = [
    ...(files > 0 ? [`${counted(files, 'file')} without a CustomResourceDefinition`] : []),
    ...(documents > 0 ? [`${counted(documents, 'document')} of other kinds (${kindsOf(skipped)})`] : []),
    ...(patches > 0 ? [`${counted(patches, 'part')} of a CustomResourceDefinition, such as a patch`] : []),
    ...(copies > 0 ? [`${counted(copies, 'copy')} of CustomResourceDefinitions`] : []),
  ];
  return parts.join(', ');
}

function kindsOf(skipped: readonly Skipped[]): string {
  const counts = new Map<string, number>();
  for (const { what, kind = 'without a kind' } of skipped) if (what === 'document') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = sorted.length > shownKinds ? [`${sorted.length - shownKinds} more kinds`] : [];
  return [...sorted.slice(0, shownKinds).map(([kind, count]) => `${count} ${kind}`), ...rest].join(', ');
}

function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun === 'copy' ? 'copies' : `${noun}s`}`;
}
