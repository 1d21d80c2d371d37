/**
 * The environment variables that Fieldwise reads. docs/reference/environment-variables.md is generated from it; it consists of types only.
 * A variable that is empty counts as unset. Flags win over variables, and variables over configuration files.
 */
export interface EnvironmentVariables {
  /** The program, as `app` in fieldwise.yaml. */
  readonly FIELDWISE_APP?: string;
  /** Name of the app, for programs that do not set it, as `name` in fieldwise.yaml. */
  readonly FIELDWISE_APP_NAME?: string;
  /** `embedded`: use the embedded API server, as `--cluster`. */
  readonly FIELDWISE_CLUSTER?: string;
  /**
   * Configuration file, as `--config`.
   *
   * @default fieldwise.yaml
   */
  readonly FIELDWISE_CONFIG?: string;
  /** Context values by key, as a JSON object; the program reads them with `app.node.tryGetContext(key)`. */
  readonly FIELDWISE_CONTEXT?: string;
  /** Environment of fieldwise.yaml, as `--env`. */
  readonly FIELDWISE_ENV?: string;
  /**
   * GitHub server from which `fieldwise import github:…` reads. It may contain a user and a token.
   *
   * @default https://github.com
   */
  readonly FIELDWISE_GITHUB_URL?: string;
  /** Id of the program, which tells it from another one of its name, as `id` in fieldwise.yaml. */
  readonly FIELDWISE_ID?: string;
  /** Instance of the app, for programs that do not set it, as `instance` in fieldwise.yaml. */
  readonly FIELDWISE_INSTANCE?: string;
  /**
   * Namespace of the inventories, as `--inventory-namespace`.
   *
   * @default fieldwise-system
   */
  readonly FIELDWISE_INVENTORY_NAMESPACE?: string;
  /** Kubeconfig file, as `--kubeconfig`; it wins over `KUBECONFIG`. */
  readonly FIELDWISE_KUBECONFIG?: string;
  /** Context of the kubeconfig, as `--kube-context`. */
  readonly FIELDWISE_KUBE_CONTEXT?: string;
  /** Namespace of stacks that name none, as `--namespace`. */
  readonly FIELDWISE_NAMESPACE?: string;
  /** Directory of the assembly, for a program that runs without the command line. */
  readonly FIELDWISE_OUTDIR?: string;
  /**
   * Directory for the output of the program, as `--outdir`.
   *
   * @default dist
   */
  readonly FIELDWISE_OUTPUT?: string;
  /** Policy of all intents as a JSON object, such as `{"conflicts":"fail"}`; the policy of a stack, an intent or a field wins over it. */
  readonly FIELDWISE_POLICY?: string;
  /** Directory to which source positions are relative; the command line sets it for programs. */
  readonly FIELDWISE_PROJECT_DIR?: string;
  /** `true`: delete or release objects that are no longer declared without asking, as `prune` in fieldwise.yaml. */
  readonly FIELDWISE_PRUNE?: string;
  /** `auto`, `changed` or `full`, as `--reconcile`. */
  readonly FIELDWISE_RECONCILE?: string;
  /** `server-side` or `dynamic`, as `--strategy`; it overrides the policies of all objects. */
  readonly FIELDWISE_STRATEGY?: string;
  /** `annotation` or `none`, as `tracking` in fieldwise.yaml. */
  readonly FIELDWISE_TRACKING?: string;
  /** Token with which `fieldwise comment` writes to GitHub. */
  readonly GITHUB_TOKEN?: string;
  /** Token with which `fieldwise comment` writes to GitLab: a project access token with the scope `api`. */
  readonly GITLAB_TOKEN?: string;
  /** Proxy for `fieldwise import` from an `http://` URL; `http_proxy` means the same. */
  readonly HTTP_PROXY?: string;
  /** Proxy for servers, issuers of tokens and imports with TLS, as for kubectl; `https_proxy` means the same. */
  readonly HTTPS_PROXY?: string;
  /** Kubeconfig files, as for kubectl. */
  readonly KUBECONFIG?: string;
  /** Any value: print without colors, as `--no-color`. */
  readonly NO_COLOR?: string;
  /** Hosts that are reached without a proxy, separated by commas, as for kubectl; `no_proxy` means the same. */
  readonly NO_PROXY?: string;
  /** Namespace of objects without one, in a pod. */
  readonly POD_NAMESPACE?: string;
  /** Certificate authorities for servers whose kubeconfig names none. */
  readonly SSL_CERT_FILE?: string;
  /**
   * Directory of the user's configuration: `fieldwise/config.yaml` below it applies to all projects.
   *
   * @default ~/.config
   */
  readonly XDG_CONFIG_HOME?: string;
}
