import type { Table } from './table.js';

/** A figure of Fieldwise beside the same figure of something else, in one run. */
export interface Comparison {
  readonly row: string;
  /** What was measured. */
  readonly what: string;
  readonly ours: number;
  readonly peer?: { readonly title: string; readonly value: number };
  readonly text: (value: number) => string;
  /** A figure of Fieldwise that says more about the first one. */
  readonly note?: string;
}

/** Makes the table of comparisons. What Fieldwise loses is listed beside peers; a floor is never reached. */
export function comparisonTable(caption: readonly string[], comparisons: readonly Comparison[], beside: 'peers' | 'floor'): Table {
  const rows = comparisons.map(({ row, what, ours, peer, text, note }) => [
    `\`${row}\``,
    what,
    `${text(ours)}${note === undefined ? '' : ` (${note})`}`,
    peer === undefined ? '–' : `${peer.title}: ${text(peer.value)}`,
    peer === undefined ? '–' : `${(ours / peer.value).toFixed(2)}×`,
  ]);
  const columns = ['row', 'what', 'Fieldwise', 'beside it', 'ratio'];
  if (beside === 'floor') return { caption, columns, rows };
  const lost = comparisons.filter(({ ours, peer }) => peer !== undefined && ours > peer.value).map(({ row }) => `\`${row}\``);
  const note = lost.length === 0 ? 'Fieldwise loses nothing here.' : `Fieldwise loses: ${lost.join(', ')}.`;
  return { caption, columns, rows, notes: [note] };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 2e7 ? 1 : 0)} MB`;
}

export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}
