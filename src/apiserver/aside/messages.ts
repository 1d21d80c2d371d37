import type { PrunedContainers } from '../../merge/index.js';
import type { User } from '../api/user.js';
import type { StoreKey } from '../storage/store.js';

// Messages between the server and the thread for large requests. Objects are JSON texts: they are read faster than clones.

/** A request to handle, with its target in words. */
export interface AsideTask {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
  readonly user: User;
  readonly target: AsideTarget;
  /** The time, in milliseconds since 1970. */
  readonly now: number;
  readonly prunedContainers: PrunedContainers;
  readonly webhooks: boolean;
}

export interface AsideTarget {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** True for a resource of a CustomResourceDefinition. */
  readonly custom: boolean;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** A call of the store that the thread waits for. */
export type StoreCall =
  | { readonly call: 'get'; readonly key: StoreKey }
  | { readonly call: 'list'; readonly resource: string; readonly namespace: string | undefined }
  | { readonly call: 'put'; readonly key: StoreKey; readonly json: string }
  | { readonly call: 'remove'; readonly key: StoreKey };

/** The answer to a call: the object or list as JSON, if there is one. */
export type StoreAnswer =
  | { readonly json: string | undefined }
  /** An object was put as it is, and has this version. */
  | { readonly resourceVersion: string }
  /** Others have written what the request has read. */
  | { readonly stale: true }
  | { readonly failure: string };

export interface AsideOutcome {
  /** Warnings of the target, which are sent with an error, too. */
  readonly warnings: readonly string[];
  readonly result:
    | { readonly code: number; readonly json: string; readonly warnings: readonly string[] }
    | {
        readonly error: string;
        readonly message: string;
        /** For a StatusError. */
        readonly status?: { readonly code: number; readonly json: string; readonly headers: Readonly<Record<string, string>> };
      };
}

export type AsideMessage = { readonly ask: StoreCall } | { readonly outcome: AsideOutcome };
