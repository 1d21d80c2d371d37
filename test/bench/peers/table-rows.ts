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

/** Makes the table: medians of the rounds; those of Fieldwise with their ratio to the best peer of the row. */
export function tableRows(tools: readonly PeerTool[], measurements: readonly Measurement[], caption: readonly string[]): Table {
  const rows = rowsOfGroups.peers.flatMap((row) => {
    const medians = new Map<PeerTool, Medians>();
    for (const tool of tools) {
      const own = measurements.filter((one) => one.row === row && one.tool === tool);
      if (own.length > 0) medians.set(tool, mediansOf(own));
    }
    const of = (role: PeerTool['role']) =>
      [...medians].filter(([tool]) => tool.role === role && !tool.incomparable?.[row]).map(([, values]) => values);
    return [...medians].map(([tool, values]) => [
      `\`${row}\``,
      `${tool.title}${tool.incomparable?.[row] ? ` (${tool.incomparable[row]})` : ''}`,
      ...quantities.map((quantity) => {
        const text = texts[quantity](values[quantity]);
        return tool.role === 'fieldwise' ? `${text}${ratios(quantity, values[quantity], of('peer'), of('floor'))}` : text;
      }),
      values.load.toFixed(1),
    ]);
  });
  return { caption, columns: ['row', 'tool', 'time', 'CPU', 'peak memory', 'requests', 'load average'], rows };
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

/** The ratio to the best peer; that of memory also to the floor, because a floor is Node too. */
function ratios(quantity: Quantity, value: number, peers: readonly Medians[], floors: readonly Medians[]): string {
  const ratio = (others: readonly Medians[]) => (value / Math.min(...others.map((other) => other[quantity]))).toFixed(2);
  const parts = [
    ...(peers.length > 0 ? [`${ratio(peers)}×`] : []),
    ...(quantity === 'peak' && floors.length > 0 ? [`${ratio(floors)}× the floor`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}
