import type { World } from './world.js';

/** One kubeconfig of the table. Without `text`, it has one cluster, one user and one context, each with the name `c`. */
export interface KubeconfigCase {
  readonly name: string;
  /** Members of the cluster; by default the server with TLS, and its authority. */
  readonly cluster?: (world: World) => object;
  /** Members of the user; a token by default. */
  readonly user?: (world: World) => object;
  /** The whole kubeconfig, instead of its parts. */
  readonly text?: (world: World) => string;
  /** Other files beside it. */
  readonly files?: (world: World) => Readonly<Record<string, string>>;
  readonly environment?: (world: World) => Readonly<Record<string, string>>;
  /** The files that KUBECONFIG names, instead of the kubeconfig by a flag. */
  readonly kubeconfig?: readonly string[];
  /** Whether Fieldwise reaches the server, and kubectl, too, unless `unlike` says otherwise. */
  readonly works: boolean;
  /** The message of Fieldwise where it does not. */
  readonly message?: RegExp;
  /** Lines that the servers and proxies must see of either. */
  readonly seen?: readonly RegExp[];
  /** Lines that the servers and proxies must not see of either. */
  readonly unseen?: RegExp;
  /** The reason for which kubectl has the other verdict. */
  readonly unlike?: string;
  /** The reason for which the server sees other credentials of kubectl. */
  readonly otherCredentials?: string;
}
