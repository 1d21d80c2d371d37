import { median } from '../figures.js';
import type { Cost } from '../processes/cost.js';
import { rowsOfGroups } from '../rows.js';
import type { Table } from '../table.js';
import type { PeerRow, PeerTool } from './peer-tool.js';

/** One turn of one tool. */
export interface Measurement {
  readonly tool: PeerTool;
  readonly row: PeerRow;
  readonly cost: Cost;
  readonly requests: number;
  /** The load average of the last minute. */
  readonly load: number;
}

type Quantity = 'seconds' | 'cpu' | 'peak' | 'requests';
type Medians = Readonly<Record<Quantity | 'load', number>>;

const texts: Readonly<Record<Quantity, (value: number) => string>> = {
  seconds: (value) => `${value.toFixed(2)} s`,
  cpu: (value) => `${value.toFixed(2)} s`,
  peak: (value) => `${Math.round(value / 1e6)} MB`,
  requests: (value) => Math.round(value).toLocaleString('en'),
};
const quantities = Object.keys(texts) as Quantity[];

const names: Readonly<Record<Quantity, string>> = { seconds: 'time', cpu: 'CPU', peak: 'peak memory', requests: 'requests' };

/** The medians of one row, by tool. */
interface Row {
  readonly row: PeerRow;
  readonly medians: ReadonlyMap<PeerTool, Medians>;
}

/** Makes the table: medians of the rounds; those of Fieldwise with their ratio to the best peer of the row, and a list of what it loses. */
export function tableOf(tools: readonly PeerTool[], measurements: readonly Measurement[], caption: readonly string[]): Table {
  const rows = rowsOfGroups.peers.map((row) => mediansOfRow(row, tools, measurements));
  const columns = ['row', 'tool', ...quantities.map((quantity) => names[quantity]), 'load average'];
  return { caption, columns, rows: rows.flatMap(cellsOf), notes: losses(rows) };
}

function mediansOfRow(row: PeerRow, tools: readonly PeerTool[], measurements: readonly Measurement[]): Row {
  const medians = new Map<PeerTool, Medians>();
  for (const tool of tools) {
    const own = measurements.filter((one) => one.row === row && one.tool === tool);
    if (own.length > 0) medians.set(tool, mediansOf(own));
  }
  return { row, medians };
}

function cellsOf(row: Row): string[][] {
  return [...row.medians].map(([tool, values]) => {
    const note = tool.incomparable?.[row.row];
    const cell = (quantity: Quantity) =>
      `${texts[quantity](values[quantity])}${tool.role === 'fieldwise' ? ratios(row, quantity, values) : ''}`;
    const title = note === undefined ? tool.title : `${tool.title} (${note})`;
    return [`\`${row.row}\``, title, ...quantities.map(cell), values.load.toFixed(1)];
  });
}

/** The ratio to the best peer; that of memory also to the floor, because a floor is Node too. */
function ratios(row: Row, quantity: Quantity, values: Medians): string {
  const of = (role: PeerTool['role']) => {
    const best = bestOf(row, quantity, role);
    return best === undefined ? [] : [`${(values[quantity] / best.value).toFixed(2)}×${role === 'floor' ? ' the floor' : ''}`];
  };
  const parts = [...of('peer'), ...(quantity === 'peak' ? of('floor') : [])];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function bestOf({ row, medians }: Row, quantity: Quantity, role: PeerTool['role']) {
  const found = [...medians].filter(([tool]) => tool.role === role && tool.incomparable?.[row] === undefined);
  return found.map(([{ title }, values]) => ({ title, value: values[quantity] })).sort((one, other) => one.value - other.value)[0];
}

/** What Fieldwise, as it is by default, loses to the best peer. */
function losses(rows: readonly Row[]): string[] {
  const lost = rows.flatMap((row) => {
    const ours = [...row.medians].find(([tool]) => tool.id === 'fieldwise')?.[1];
    return quantities.flatMap((quantity) => {
      const best = bestOf(row, quantity, 'peer');
      if (ours === undefined || best === undefined || ours[quantity] <= best.value) return [];
      const text = texts[quantity];
      return [`\`${row.row}\` ${names[quantity]} (${text(ours[quantity])}; ${best.title} ${text(best.value)})`];
    });
  });
  return [lost.length === 0 ? 'Fieldwise loses nothing here.' : `Fieldwise loses: ${lost.join(', ')}.`];
}

function mediansOf(measurements: readonly Measurement[]): Medians {
  const of = (value: (one: Measurement) => number) => median(measurements.map(value));
  return {
    seconds: of(({ cost }) => cost.seconds),
    cpu: of(({ cost }) => cost.cpu),
    peak: of(({ cost }) => cost.peak),
    requests: of(({ requests }) => requests),
    load: of(({ load }) => load),
  };
}
