import { startSimulation } from '../../src/entry/simulation.js';
import { drift } from '../../src/inspect/drift/drift.js';
import { watchDrift } from '../../src/inspect/watch/watch-drift.js';
import type { ClusterClient } from '../../src/kubernetes/index.js';
import type { FieldwiseError } from '../../src/util/error.js';
import type { Prepared } from './programs.js';

/** Somebody who follows the drift of a program all the time, and changes nothing. */
export class Observer {
  readonly #cluster: ClusterClient;
  readonly #program: Prepared;
  readonly #end = new AbortController();
  /** What it has seen last of each object that drifts. */
  readonly #seen = new Map<string, string>();
  /** Whether it has ended, of itself or by an error. */
  hasEnded = false;

  constructor(cluster: ClusterClient, program: Prepared) {
    this.#cluster = cluster;
    this.#program = program;
  }

  /** Begins, and where nobody answers at first, which ends it with an error, begins again. */
  begin(attempts = 8): void {
    const options = { ...optionsOfStatus, signal: this.#end.signal };
    const { machine } = this.#cluster;
    const begun = machine.monotonic();
    void watchDrift(this.#program.assembly, this.#cluster, options, (event) => {
      if (event.event === 'drift') this.#seen.set(`${event.stack} ${event.object}`, textOf(event));
      if (event.event === 'drift-ended') this.#seen.delete(`${event.stack} ${event.object}`);
    })
      .catch(async (error: unknown) => {
        const isAtFirst = machine.monotonic() - begun < 60_000;
        if (!isAtFirst || attempts === 1 || (error as FieldwiseError).code !== 'cluster-unreachable') return true;
        await machine.pause(5_000);
        this.begin(attempts - 1);
        return false;
      })
      .then((isOver) => {
        this.hasEnded = isOver !== false;
      });
  }

  end(): void {
    this.#end.abort();
  }

  /** Where its view differs from what drifts now. */
  async problems(calm: ClusterClient): Promise<readonly string[]> {
    const now = new Map<string, string>();
    await drift(this.#program.assembly, calm, optionsOfStatus, (event) => {
      if (event.event === 'drift' && event.state !== 'rewritten') now.set(`${event.stack} ${event.object}`, textOf(event));
    });
    const all = new Set([...now.keys(), ...this.#seen.keys()]);
    return [...all].flatMap((key) =>
      now.get(key) === this.#seen.get(key)
        ? []
        : [`${key} drifts: ${now.get(key) ?? 'no'}; the observer has seen: ${this.#seen.get(key) ?? 'no'}`],
    );
  }
}

const optionsOfStatus = { inventoryNamespace: 'default', simulate: (version: string) => startSimulation('default', version) };

function textOf({
  state,
  fields,
}: {
  readonly state: string;
  readonly fields: readonly { readonly field: string; readonly live?: unknown }[];
}): string {
  return `${state} ${fields.map(({ field, live }) => `${field} ${JSON.stringify(live)}`).join(', ')}`;
}
