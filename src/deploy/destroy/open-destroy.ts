import type { Manifest } from '../../assembly/types.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { connectRun, type RunConnection } from '../../engine/prepare/prepare-run.js';
import { reportOf } from '../../engine/removal/remove-entry.js';
import type { StackRemoval } from '../../engine/removal/stack-removal.js';
import type { EventHost } from '../../engine/report/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import { Run } from '../../engine/run/run.js';
import { SecretMasker } from '../../engine/secrets/secret-masker.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/** A destroy that has sent nothing yet. */
export interface OpenDestroy extends RunConnection {
  readonly manifest: Manifest;
  readonly options: RunOptions;
  readonly host: EventHost;
  readonly run: Run;
  readonly start: DestroyStart;
}

/** Opens a destroy. Sends and reports nothing. */
export function openDestroy(manifest: Manifest, server: ClusterClient, options: RunOptions, outerHost: EventHost): OpenDestroy {
  const secrets = new SecretMasker([]);
  const host: EventHost = (event) => outerHost(secrets.maskEvent(event));
  const connection = connectRun(server, secrets, options, outerHost);
  const run = new Run('destroy', host, options.signal);
  const start = new DestroyStart(manifest, connection.cluster.server, run, host);
  return Object.freeze({ ...connection, manifest, options, host, run, start });
}

/** The start of a destroy, reported once with the stacks known by then, because only the cluster knows which stacks exist. */
export class DestroyStart {
  readonly #manifest: Manifest;
  readonly #server: string;
  readonly #run: Run;
  readonly #host: EventHost;
  #targets: readonly StackRemoval[] | undefined;
  #isReported = false;

  constructor(manifest: Manifest, server: string, run: Run, host: EventHost) {
    this.#manifest = manifest;
    this.#server = server;
    this.#run = run;
    this.#host = host;
  }

  /** Records the stacks to destroy, as they are known so far. */
  found(targets: readonly StackRemoval[]): void {
    this.#targets = targets;
    this.#run.expect('undeclared-stacks', () => targetEntries(targets).map(({ target, entry }) => reportOf(target.stack, entry)));
  }

  /** Reports the start of a run that is refused. @throws the error itself if it is of kind `usage` and no stacks were found. */
  reportRefused(error: unknown): void {
    if (this.#targets === undefined && error instanceof FieldwiseError && error.kind === 'usage') throw error; // nothing has started
    this.report();
  }

  report(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { app, instance } = this.#manifest;
    const targets = this.#targets ?? [];
    this.#host({
      event: 'started',
      verb: 'destroy',
      app,
      instance,
      stacks: targets.map(({ stack }) => stack.stack),
      server: this.#server,
      objects: targetEntries(targets).length,
    });
  }
}

/** An object of a stack that is to be destroyed. */
export interface TargetEntry {
  readonly target: StackRemoval;
  readonly entry: InventoryEntry;
}

/** Returns the objects of stacks, stack by stack. */
export function targetEntries(targets: readonly StackRemoval[]): readonly TargetEntry[] {
  return targets.flatMap((target) => [...target.entries.values()].map((entry) => ({ target, entry })));
}
