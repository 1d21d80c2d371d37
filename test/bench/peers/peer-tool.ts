import type { JsonObject } from '../../../lib/src/util/json.js';
import type { Command } from '../processes/cost.js';
import type { RowOf } from '../rows.js';

export type PeerRow = RowOf<'peers'>;

/** What a tool is given: the objects in namespaces of its own, and the same objects with one change. */
export interface Assignment {
  /** A directory of the tool's own. */
  readonly directory: string;
  readonly objects: readonly JsonObject[];
  readonly changed: readonly JsonObject[];
}

/** A tool that is measured. */
export interface PeerTool {
  /** Part of the names of its namespaces. */
  readonly id: string;
  readonly title: string;
  /** The floor is what no client can go below. */
  readonly role: 'fieldwise' | 'peer' | 'floor';
  /** The rows in which it is shown. */
  readonly rows: readonly PeerRow[];
  /** What the tool leaves out in a row in which it is no peer, such as `only renders`. */
  readonly incomparable?: Readonly<Partial<Record<PeerRow, string>>>;
  /** Prepares the files, and returns the commands. Those of `create` and `destroy` are always there. */
  prepare(assignment: Assignment): Promise<Commands>;
}

export type Commands = Readonly<Partial<Record<PeerRow, Command>> & Record<'create' | 'destroy', Command>>;
