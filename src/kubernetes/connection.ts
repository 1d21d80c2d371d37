/** HTTP headers; a list is one header several times. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** The address of an API server and the credentials for it. */
export interface Connection {
  /** Such as `https://127.0.0.1:6443`, without a trailing slash. */
  readonly server: string;
  /** TLS settings without a kubeconfig: options of Node's `https.Agent`. A program may be compiled without the types of Node. */
  readonly tls: object;
  /** Returns an agent of Node with these options that opens connections as a kubeconfig says; absent: one with `tls`. */
  readonly agent?: (options: object) => object;
  /** Returns the headers that authenticate a request. Call it again for later requests, because credentials expire. */
  headers(): Promise<Headers>;
  /** Gets other credentials after the server has refused these. @returns false if there are no others. */
  renew?(refused: Headers): Promise<boolean>;
  /** Trusts more certificates after one was not trusted. @returns false if there are no more; true also if others have asked before. */
  trustMore?(): boolean;
  /** The settings to name when the server cannot be reached. */
  readonly facts?: ConnectionFacts;
  /** The namespace of the context; undefined if the context names none. */
  readonly namespace: string | undefined;
  readonly context: string;
  /** The name of the user in the kubeconfig; absent if there is none. */
  readonly user?: string;
}

/** The settings that decide how a server is reached, in words. */
export interface ConnectionFacts {
  /** The kubeconfig, if it is a file. */
  readonly file?: string;
  /** The name of the cluster in the kubeconfig. */
  readonly cluster: string;
  /** The proxy that is used, such as `http://proxy:3128`, without user and password. */
  readonly proxy?: string;
  /** The setting that names the proxy, such as `HTTPS_PROXY`. */
  readonly proxySource?: string;
  /** The entry of NO_PROXY because of which no proxy is used. */
  readonly exemption?: string;
  /** True if the kubeconfig names a certificate authority. */
  readonly hasAuthority: boolean;
}
