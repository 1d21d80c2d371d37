/**
 * The registry of all codes: an error, a warning or a diagnostic, each with its meaning and the next step. docs/errors.md is generated from it.
 * It consists of types only, so it costs nothing at run time. The type of a member is the kind of its errors, which decides the exit code,
 * or says that the code belongs to a warning or a diagnostic.
 */
export interface Codes
  extends ProgramErrorCodes,
    ConfigurationErrorCodes,
    ImportErrorCodes,
    ClusterErrorCodes,
    SynthWarningCodes,
    RunWarningCodes,
    DoctorDiagnosticCodes,
    ImportDiagnosticCodes,
    LibraryErrorCodes {}

/** The codes that occur as one of these kinds. */
export type CodeOf<Kind extends Codes[keyof Codes]> = {
  [Code in keyof Codes]: Extract<Codes[Code], Kind> extends never ? never : Code;
}[keyof Codes];

/** The kind of an error says who has to act on it, and decides the exit code of a command that ends with it. */
export type ErrorKind =
  /** 2: flags, configuration, program, input files. */
  | 'usage'
  /** 3: credentials. */
  | 'authentication'
  /** 4: an object failed. */
  | 'resource'
  /** 5: conflicts under the policy `fail`. */
  | 'conflict'
  /** 130: Ctrl-C. */
  | 'interrupted';

/** Stable code of an error, such as `crd-invalid`; listed in docs/errors.md. */
export type ErrorCode = CodeOf<ErrorKind>;

/** Stable code of a warning of synth or of a run, such as `server-without-apply`; listed in docs/errors.md. */
export type WarningCode = CodeOf<'warning'>;

/** Codes of the program and of synth. */
export interface ProgramErrorCodes {
  /** No program is configured: pass `-a main.ts`, or set `app:` in fieldwise.yaml. */
  readonly 'app-not-configured': 'usage';
  /** The Node that runs the command is older than 20. */
  readonly 'node-too-old': 'usage';
  /** cdk8s or constructs is not installed beside Fieldwise. */
  readonly 'peer-missing': 'usage';
  /** The app has no name: use `new App({ name })`, or set `name:` in fieldwise.yaml. */
  readonly 'app-without-name': 'usage';
  /** A stack is not inside an app. */
  readonly 'stack-without-app': 'usage';
  /** Two stacks have the same name in the same place; the error names both source lines. */
  readonly 'stack-twice': 'usage';
  /** `own` or `share` was called outside of a stack. */
  readonly 'intent-without-stack': 'usage';
  /** The program file does not exist. */
  readonly 'program-not-found': 'usage';
  /**
   * The program threw an error or left a rejection unhandled; it ended with an exit code, or by `process.exit(0)` before `synth()`; a top-level
   * await never settles; it was not over after `programTimeout`; or its command failed. A module of rules that calls `process.exit` fails so, too.
   */
  readonly 'program-failed': 'usage';
  /**
   * `own`, `share`, `new Stack` or a construct of cdk8s came after the last `synth()`, or one of the first three after the program was over: the
   * assembly does not have it.
   *
   * @example `own` in a listener of `exit`, or in a timer that goes on behind `process.exit(0)`
   */
  readonly 'declared-after-synth': 'usage';
  /** The program creates no App. */
  readonly 'program-without-app': 'usage';
  /** The program creates more than one App. */
  readonly 'program-with-several-apps': 'usage';
  /** The command succeeded but wrote no assembly. */
  readonly 'program-without-assembly': 'usage';
  /** Several of the errors in this table occurred; each is on its own line. */
  readonly 'synth-failed': 'usage';
  /** A document is not an object with apiVersion and kind, such as the values of a chart. */
  readonly 'document-invalid': 'usage';
  /** The documents declare one object twice; the error names both positions. */
  readonly 'document-repeated': 'usage';
  /** A directory or document is the input of kustomize or Helm; the error names the command that renders it. */
  readonly 'document-not-rendered': 'usage';
  /** The documents contain no object. A deploy would remove all objects of the stack, and only `fieldwise destroy` does that. */
  readonly 'documents-empty': 'usage';
  /** Flags about documents contradict each other or the configuration, or one is missing. */
  readonly 'documents-misused': 'usage';
  /** An intent does not match its schema: unknown field, wrong type, missing or duplicate list map key, a key of a map that is undefined. */
  readonly 'intent-invalid': 'usage';
  /** An intent or an object of a document has no `metadata.name`. */
  readonly 'intent-without-name': 'usage';
  /** No server takes the name of an object or its namespace: it is too long, or has characters that names of this kind cannot have. */
  readonly 'object-name-invalid': 'usage';
  /** An intent has no apiVersion or no kind. */
  readonly 'intent-without-kind': 'usage';
  /**
   * Two items of a list have the same key, such as an environment variable that is declared twice. If only the server detects it, the exit
   * code is 4.
   */
  readonly 'list-key-duplicate': 'usage' | 'resource';
  /**
   * Two ports of a Service or container have the same name, or two containers use the same port of the host. If only the server detects it,
   * in the declarations of several stacks, the exit code is 4. If another owner keeps a port with the name, the error is `port-name-taken`.
   */
  readonly 'port-duplicate': 'usage' | 'resource';
  /** One field of one object has two values in one stack; the error names both constructs. */
  readonly 'intent-conflict': 'usage';
  /** A stack declares one object twice in the target cluster: once without a namespace, which the kubeconfig gives. Nothing was changed. */
  readonly 'intent-repeated': 'usage';
  /** One object is declared with two apiVersions in one stack. */
  readonly 'intent-two-versions': 'usage';
  /** One stack both owns and shares an object. */
  readonly 'intent-own-and-share': 'usage';
  /** A share declares a list whose list type was added to the CRD on import, and nothing states that the patched CRD is deployed. */
  readonly 'list-type-not-deployed': 'usage';
  /** A cdk8s construct or document contains a Helm hook, and the context `helmHooks` or the flag `--helm-hooks` is `refuse`. */
  readonly 'helm-hook-refused': 'usage';
  /** `fromEnv` or `fromFile` has no name of a variable or file. */
  readonly 'reference-invalid': 'usage';
  /** `fromEnv` or `fromFile` is used as text, outside of the data of a Secret, or in a document. */
  readonly 'reference-misplaced': 'usage';
  /**
   * `synth --for` cannot write documents with which Argo CD or Flux does what the program says about an object: two stacks declare it, it yields fields
   * for which the tool has no rule, or it names no namespace. Nothing was written (docs/how-to/gitops.md).
   */
  readonly 'gitops-refused': 'usage';
  /** `synth --for` does not know where Argo CD or Flux gets the documents: set `gitops` in fieldwise.yaml. */
  readonly 'gitops-source-missing': 'usage';
  /**
   * A variable or file to which a Secret refers does not exist; nothing was sent. `diff --read-only`, `diff --offline`, `status` and `drift`
   * do without it (`value-not-compared`).
   */
  readonly 'reference-missing': 'usage';
  /**
   * A policy has an unknown option or value, or names a field that does not exist. Or the annotation `fieldwise.dev/options` of an object
   * has such an error, contains an option twice, or contradicts the program; or a document has an unknown annotation of Fieldwise.
   */
  readonly 'policy-invalid': 'usage';
  /** Strategy `dynamic`: two declared items of a list have the same keys, or one lacks them. */
  readonly 'list-item-ambiguous': 'usage';
  /** Two declarations of one object have different policies. */
  readonly 'policy-conflict': 'usage';
  /** A construct fails its own validation or cannot be rendered, or the context `helmHooks` has an unknown value. */
  readonly 'construct-invalid': 'usage';
  /** The name of an app, instance or stack cannot be part of an identity. */
  readonly 'name-invalid': 'usage';
  /** `renamedFrom` names the current or a former name of another stack. */
  readonly 'rename-ambiguous': 'usage';
  /** Stacks or objects depend on each other; the error names the cycle. */
  readonly 'dependency-cycle': 'usage';
  /** The output directory contains files that are not an assembly. */
  readonly 'output-not-an-assembly': 'usage';
  /** `synth --for`: the output directory has the documents of another app or instance, which would be replaced (docs/how-to/gitops.md). */
  readonly 'output-of-another-app': 'usage';
  /** `synth --for`: the output directory has the documents for the other tool, which would be replaced (docs/how-to/gitops.md). */
  readonly 'output-of-another-tool': 'usage';
  /** The output directory of the assembly, standard output or standard error cannot be written. */
  readonly 'output-unwritable': 'usage';
  /** An assembly was edited, is truncated, or has another version. */
  readonly 'assembly-invalid': 'usage';
}

/** Codes of flags, configuration and files. */
export interface ConfigurationErrorCodes {
  /** The text that `fieldwise explain` reads contains no conflict over fields, or is cut off before it names an owner. */
  readonly 'conflict-not-found': 'usage';
  /** The object that `fieldwise explain` names does not exist. */
  readonly 'object-missing': 'usage';
  /** The object has no such field; `fieldwise owners` lists its fields. */
  readonly 'field-missing': 'usage';
  /** The arguments of `fieldwise explain` name no message and no field, or too many. */
  readonly 'explain-misused': 'usage';
  /** The file that `--config` names does not exist. */
  readonly 'config-not-found': 'usage';
  /** fieldwise.yaml has an unknown key or a wrong value; the error names line and column. */
  readonly 'config-invalid': 'usage';
  /** An environment variable `FIELDWISE_*` has a wrong value. */
  readonly 'environment-invalid': 'usage';
  /** `--env`, FIELDWISE_ENV or `env` names an environment that is not configured; the error lists the configured ones. */
  readonly 'environment-unknown': 'usage';
  /** Environments are configured, and none is chosen; the error lists them. An explicit instance is a choice, too. */
  readonly 'environment-missing': 'usage';
  /**
   * The program sets another instance, or the finished assembly has another one, than `--instance`, FIELDWISE_INSTANCE or the environment
   * names; nothing was sent.
   */
  readonly 'instance-differs': 'usage';
  /**
   * The uid of the cluster is not that of `clusterUid` of the environment, or another environment is pinned to this cluster. Nothing but the
   * uid was read, and nothing was changed.
   */
  readonly 'cluster-pin-differs': 'usage';
  /** The environment has `clusterUid`, and the uid of the cluster cannot be read. Nothing was changed. */
  readonly 'cluster-pin-unverified': 'usage';
  /** `fieldwise init` would overwrite a file; nothing was written. */
  readonly 'init-exists': 'usage';
  /** `fieldwise init --migrate` would edit a file that Git could not restore; nothing was written. */
  readonly 'migrate-refused': 'usage';
  /** `fieldwise init`: the existing package.json is not a package; nothing was written. */
  readonly 'package-invalid': 'usage';
  /** A flag has a wrong value. */
  readonly 'flag-invalid': 'usage';
  /** A file that `--output-file` names cannot be written: exit code 2 before the run, 4 after it. */
  readonly 'report-not-written': 'usage' | 'resource';
  /** A flag has no effect in this call. */
  readonly 'flag-without-use': 'usage';
  /** No kubeconfig was found. */
  readonly 'kubeconfig-missing': 'usage';
  /** The kubeconfig cannot be read, or does not contain the context. */
  readonly 'kubeconfig-invalid': 'usage';
  /** A file that a flag names cannot be read. */
  readonly 'file-unreadable': 'usage';
  /** A file that a flag names cannot be written. */
  readonly 'file-unwritable': 'usage';
  /** The file of `--snapshot` is not a snapshot. */
  readonly 'snapshot-invalid': 'usage';
  /** The module of `--rules` or of `rules` in fieldwise.yaml cannot be loaded, or exports no list of rules. Nothing was changed. */
  readonly 'rules-invalid': 'usage';
  /** The directory of `--admission` or of `admission` in fieldwise.yaml has no policies and no CustomResourceDefinitions, or one that a server would refuse. */
  readonly 'admission-invalid': 'usage';
  /** A rule threw an error, which is the `cause`, or answered with something else than it may. Nothing was changed. */
  readonly 'rule-failed': 'usage';
  /** The file of `--plan` is not a saved plan. */
  readonly 'plan-invalid': 'usage';
  /** The saved plan belongs to another assembly, to other stacks or to another cluster. Nothing was changed. */
  readonly 'plan-of-another': 'usage';
  /** The file of `--plan` is not the one whose digest `--plan-digest` names. Nothing was changed. */
  readonly 'plan-digest-differs': 'usage';
  /** `fieldwise comment` runs neither in a job of GitHub Actions nor in one of GitLab CI. */
  readonly 'ci-unknown': 'usage';
  /** The comment of a pull request was not written: a warning of `fieldwise comment`, which ends as if it had been. */
  readonly 'comment-not-written': 'resource';
  /** A change, such as a deletion, a release or a forced conflict, needs a confirmation that was not given; nothing was changed. */
  readonly 'confirmation-needed': 'usage';
  /** A named stack exists neither in the program nor, for destroy, in the cluster. */
  readonly 'stack-unknown': 'usage';
  /** rbac, guard: a subject is neither a user nor `group:NAME` nor `sa:NAMESPACE/NAME`. */
  readonly 'subject-unreadable': 'usage';
  /** guard: `--deny` needs a group that is exempt, by `--break-glass` or `guard.breakGlass`. */
  readonly 'break-glass-missing': 'usage';
  /** owners, doctor: the cluster has no inventory of the named stack, or none of the app that fieldwise.yaml names. */
  readonly 'stack-not-in-cluster': 'usage';
  /** owners: stacks of several apps or instances have this name; the error lists their full names. */
  readonly 'stack-ambiguous': 'usage';
  /** owners: several API groups serve a kind with this name; the error lists their full names. */
  readonly 'kind-ambiguous': 'usage';
  /** The file of `owners -f` is not YAML of objects with apiVersion, kind and name. */
  readonly 'object-file-invalid': 'usage';
}

/** Codes of `fieldwise import`. */
export interface ImportErrorCodes {
  /** The spec to import is neither a path nor a URL that import supports. */
  readonly 'spec-invalid': 'usage';
  /** There is nothing to import, neither on the command line nor as `imports:` in fieldwise.yaml. */
  readonly 'imports-missing': 'usage';
  /** `k8s@VERSION` names a version that Fieldwise does not ship. */
  readonly 'kubernetes-version-unknown': 'usage';
  /** Two URLs of one import differ only in tokens, which the lock file does not contain. */
  readonly 'spec-twice': 'usage';
  /** A URL does not respond, or responds with anything but success. */
  readonly 'source-unreachable': 'usage';
  /** A source, or one of its documents after alias expansion, exceeds the limit of import, or a message that of explain. */
  readonly 'source-too-large': 'usage';
  /** A URL redirects into a private network; `--allow-private-redirects` permits it. */
  readonly 'redirect-private': 'usage';
  /** The cluster does not serve this CRD, group or group-version, or does not permit reading its schemas. */
  readonly 'api-not-served': 'usage';
  /** A list type is not of the form `KIND:PATH=TYPE`, or names a kind that no imported CRD defines. */
  readonly 'list-type-invalid': 'usage';
  /** The API server would reject this list type in the CRD; the error names the path. */
  readonly 'list-type-refused': 'usage';
  /** fieldwise.lock.json cannot be read. */
  readonly 'lock-invalid': 'usage';
  /** With `--frozen`: a source differs from fieldwise.lock.json. */
  readonly 'lock-differs': 'usage';
  /** A file or directory does not exist. */
  readonly 'input-missing': 'usage';
  /** A file or directory contains no document. */
  readonly 'input-empty': 'usage';
  /** YAML or JSON cannot be parsed; the error names line and column. */
  readonly 'yaml-invalid': 'usage';
  /** A file is a template of a Helm chart; the error names the command that renders the chart. */
  readonly 'template-not-rendered': 'usage';
  /** A compressed source is damaged, or of a format that import does not unpack. */
  readonly 'archive-invalid': 'usage';
  /** A document is not a CustomResourceDefinition, or its schema cannot be read. */
  readonly 'crd-invalid': 'usage';
  /** One kind is defined twice. */
  readonly 'crd-twice': 'usage';
  /** A document is not an OpenAPI v3 document of Kubernetes. */
  readonly 'openapi-invalid': 'usage';
  /** A schema is nested more deeply than the generator reads. */
  readonly 'schema-too-deep': 'usage';
  /** The schemas of one import contain more than 10,000 types or 50,000 fields, or a path of more than 10,000 characters. */
  readonly 'schema-too-large': 'usage';
  /** Two modules of an import would be written to the same file (also if only case differs), or a group has the name of the lock file. */
  readonly 'output-twice': 'usage';
  /** The module to replace contains kinds that this import does not write. */
  readonly 'output-loses-kinds': 'usage';
  /** An existing file was not written by `fieldwise import`. */
  readonly 'output-not-generated': 'usage';
  /** A symbolic link exists where builders or the lock file would be written. */
  readonly 'output-is-link': 'usage';
  /** The output directory of the builders cannot be written. */
  readonly 'output-not-written': 'usage';
}

/** Codes of commands that connect to a cluster. */
export interface ClusterErrorCodes {
  /** The credentials do not work, or the server rejects them (401). */
  readonly 'authentication-failed': 'authentication';
  /** The server does not respond, even after retries; objects that were not attempted are reported as skipped. */
  readonly 'cluster-unreachable': 'resource';
  /**
   * The response is not from a Kubernetes API server (a redirect, a login page, a gateway), or does not match the request; the message
   * describes it.
   */
  readonly 'response-unexpected': 'resource';
  /** A response exceeds the limit for an object (16 MiB), an API document (64 MiB) or a page of a list (256 MiB), and was aborted. */
  readonly 'response-too-large': 'resource';
  /** The server behind the APIService of an API group does not respond; as a warning: the kinds of the group are unknown. */
  readonly 'api-unavailable': 'resource' | 'warning';
  /** A Namespace is not deleted, because an API group does not respond and the contents of the Namespace are unknown. */
  readonly 'content-unknown': 'resource';
  /** No embedded API server runs on this data. */
  readonly 'cluster-not-running': 'usage';
  /** The embedded API server ended during its start, or was not ready in 20 seconds. */
  readonly 'cluster-not-started': 'usage';
  /** Another process uses the data of the embedded API server. */
  readonly 'cluster-data-locked': 'usage';
  /** The data of the embedded API server cannot be read. */
  readonly 'cluster-data-damaged': 'usage';
  /** The data directory of the embedded API server cannot be created or written. */
  readonly 'cluster-data-unwritable': 'usage';
  /** The port of the embedded API server cannot be opened, because another process has it or because the user may not open it. */
  readonly 'port-unavailable': 'usage';
  /** An embedded API server runs on this data already, on another port or with other options. */
  readonly 'cluster-running': 'usage';
  /** The user does not have the permission for this (403). A denial by an admission policy is `admission-denied`. */
  readonly forbidden: 'resource';
  /** The server does not serve this kind; for objects on the command line: no kind has this name, plural or short name. */
  readonly 'kind-unknown': 'usage' | 'resource';
  /** The conversion webhook of a CustomResourceDefinition fails, even after retries; the error names the definition. */
  readonly 'conversion-failed': 'resource';
  /** The namespace does not exist. */
  readonly 'namespace-missing': 'resource';
  /** The namespace is being deleted. */
  readonly 'namespace-terminating': 'resource';
  /** The schema of the server has no such field. */
  readonly 'field-unknown': 'resource';
  /** The intent does not match the schema of the server. */
  readonly 'schema-mismatch': 'resource';
  /** The server rejects the object as invalid (422). */
  readonly invalid: 'resource';
  /** A port got another number, and another owner keeps the old number with the same name; the error names the port and its owner. */
  readonly 'port-name-taken': 'resource';
  /** Each port of a Service with several ports needs a name. */
  readonly 'port-unnamed': 'resource';
  /** The field is immutable. */
  readonly 'field-immutable': 'resource';
  /**
   * managedFields of the object name a version that its CustomResourceDefinition no longer has; the server rejects every apply until
   * `fieldwise adopt --stale`; see docs/traps.md.
   */
  readonly 'version-removed': 'resource' | 'diagnostic';
  /**
   * The server accepts the intent only without a field that another manager has set and this stack does not declare; nothing was changed;
   * see docs/traps.md.
   */
  readonly 'union-member-owned': 'resource';
  /**
   * An entry in managedFields of the object has no apiVersion, no operation or no readable fields. No API server writes such an entry.
   * Reads ignore it; patches that would rewrite owners are not sent.
   */
  readonly 'managed-fields-unreadable': 'resource';
  /** The server responds that the object, or a part of its path, does not exist (404). */
  readonly 'not-found': 'resource';
  /** The server rejected the request for another reason. */
  readonly rejected: 'resource';
  /** The server failed (5xx) or is overloaded (429). */
  readonly 'server-error': 'resource';
  /** The definition of a kind has changed the type of a field, and the object has a value of the former one: no apply to it works. */
  readonly 'live-value-mistyped': 'resource';
  /** Strategy `dynamic`: the intent exceeds the size of the annotation that stores it; nothing was sent. */
  readonly 'applied-too-large': 'resource';
  /**
   * Strategy `dynamic`: a null in a list would not be stored unchanged. `extract`, `statusOf`: an integer beyond 2^53 was rounded when it
   * was read. Nothing was sent.
   */
  readonly 'value-inexact': 'usage' | 'resource';
  /**
   * From `dynamic` to `server-side`: the server would change fields of others, in a list that it treats as one value; the object stays
   * under `dynamic`. If others only write during the move, the intent is merged again.
   */
  readonly 'strategy-move-loses': 'resource';
  /** Others kept writing the object between the requests; it was not changed. */
  readonly 'apply-contended': 'resource';
  /** The cluster has changed since the plan was saved; the error names the differing fields. Nothing was changed, or, if another client wrote an object during the run, nothing of that object. */
  readonly 'plan-outdated': 'resource';
  /** Admission denies the change: a ValidatingAdmissionPolicy or webhook of the cluster, a policy of `--admission`, a quota, a LimitRange, the Pod Security of the namespace, or a class or ServiceAccount that does not exist; the message names it. */
  readonly 'admission-denied': 'resource';
  /** CustomResourceDefinitions of `--admission` deny the change by their schema or rules; the message names them. */
  readonly 'definition-denied': 'resource';
  /**
   * `--strict`: a ValidatingAdmissionPolicy reads what the plan does not know, or is not known itself; nothing denies the change, and the server
   * may. Without `--strict`, it is a finding (docs/formats.md#risky-and-own-fields-only).
   */
  readonly 'admission-not-evaluated': 'resource';
  /** `--strict`: the rules of a CustomResourceDefinition read what the plan does not know; as `admission-not-evaluated`. */
  readonly 'definition-not-evaluated': 'resource';
  /** Rules of the project refuse the change; the message names them. */
  readonly 'rule-denied': 'resource';
  /** Others wrote the object each time that the plan read it. */
  readonly 'plan-contended': 'resource';
  /**
   * A dry run on the server is not permitted, and no schema of the kind can be read; plan with credentials that may read
   * CustomResourceDefinitions.
   */
  readonly 'schema-unknown': 'resource';
  /**
   * An object that a stack would own already exists, and its policy `ifPresent` is `fail`, or is `ask` and the object appeared after the
   * question; it was not changed.
   */
  readonly 'object-already-exists': 'resource';
  /**
   * The first deploy of an object, or of another object that took its name, would force a field of another owner without a
   * confirmation. Nothing of the object was changed, and the next run asks.
   */
  readonly 'force-unconfirmed': 'resource';
  /**
   * A field without another owner would be released, its value would change, and the policy `releases` is `fail`; nothing was changed.
   * Objects that are no longer declared keep the policy of their last deploy (docs/deploy.md#releases-that-change-a-value).
   */
  readonly 'release-refused': 'resource';
  /** Fields lost their other owners after the policy `releases` was checked; nothing of the object was changed. */
  readonly 'release-unconfirmed': 'resource';
  /** A list item or map entry that is no longer declared contains more fields of others than were confirmed; nothing was changed. */
  readonly 'collateral-removal': 'resource';
  /**
   * A deleted object still exists after the timeout; the error names its finalizers, and for a Namespace the resources and finalizers that
   * its conditions name.
   */
  readonly 'deletion-pending': 'resource';
  /** Others kept writing the object between the requests; it was not deleted. */
  readonly 'delete-contended': 'resource';
  /** The object to share does not exist, or no longer exists. */
  readonly 'share-target-missing': 'resource';
  /**
   * The object is being deleted, and applied fields would be deleted with it; a share under `ifAbsent: wait` first waits for the next
   * object with this name.
   */
  readonly 'object-terminating': 'resource';
  /**
   * A request was answered with an error, and the object does not show whether the server has carried it out; or it was in flight when this run
   * lost its lock. Run again: completed work is detected and skipped.
   */
  readonly 'outcome-unknown': 'resource';
  /** Controllers: the intent, such as the result of `extract`, has the uid of an object that no longer exists; nothing was written. */
  readonly 'object-deleted': 'resource';
  /** Another object now has the name: that of a share, or of an object that moves from `dynamic` to `server-side`. */
  readonly 'object-replaced': 'resource';
  /** The command has become part of another one; the message has the new form. */
  readonly 'command-removed': 'usage';
  /** `adopt --from` names a stack without `stack:`, or together with other owners; nothing was changed. */
  readonly 'adopt-from-stack': 'usage';
  /** `adopt --from-applyset` does not name the parent of an ApplySet. */
  readonly 'applyset-unknown': 'usage';
  /** The parent of an ApplySet has a wrong ID, a malformed record or a kind that cannot be a parent, or is being deleted; nothing was changed. */
  readonly 'applyset-invalid': 'usage';
  /** Another tool than kubectl manages the ApplySet; nothing was changed. */
  readonly 'applyset-of-other-tool': 'usage';
  /** The selected stacks do not own all members of the ApplySet; nothing was changed (docs/adopt.md). */
  readonly 'applyset-incomplete': 'usage';
  /** The program declares the label that makes an object a member of an ApplySet; nothing was changed. */
  readonly 'applyset-label-declared': 'usage';
  /** Another client has changed the ApplySet or a member since the preview, such as a kubectl apply that was already running (docs/adopt.md). */
  readonly 'applyset-changed': 'resource';
  /** The owners of the object have changed since they were shown or read; nothing of it was changed. */
  readonly 'owners-changed': 'resource';
  /** The file of `adopt --undo` is not the record of an adoption. */
  readonly 'record-invalid': 'usage';
  /** The record of an adoption cannot be written, so nothing was changed. */
  readonly 'record-not-written': 'usage';
  /** A stack that adopts fields does not declare the object or field; nothing was changed. */
  readonly 'handoff-not-declared': 'usage';
  /** `adopt --from` names a stack that was not deployed since its rename; nothing was changed. */
  readonly 'handoff-before-rename': 'usage';
  /** An object of a transfer is merged under the strategy `dynamic`; nothing was changed. */
  readonly 'handoff-dynamic': 'usage';
  /** The apply before an adoption would change values, of fields that are not adopted either; nothing was changed. */
  readonly 'handoff-changes-values': 'conflict';
  /** The new owner of fields declares other values than the previous owner; nothing was changed. */
  readonly 'handoff-value-differs': 'conflict';
  /** `adopt --from` names the stack that adopts; nothing was changed. */
  readonly 'handoff-to-itself': 'usage';
  /** The deploy of a previous owner does not include the new owner of its fields; nothing was changed. */
  readonly 'handoff-pending': 'usage';
  /** managedFields do not show that the new owner owns the fields of the previous owner; no field of the object was transferred. */
  readonly 'handoff-unproved': 'resource';
  /** After a rename, managedFields do not show that the new field manager owns the fields of the old one; nothing was released. */
  readonly 'rename-unproved': 'resource';
  /**
   * The server does not accept the object without the fields of this stack. If the stack did not create the object, `fieldwise adopt
   * --with-deletion`, or the policy `deleteExisting: true` and a deploy, lets the stack delete it. `retain: true` leaves it as it is; so does
   * `fieldwise destroy STACK --retain-rejected`, which ends all of that stack (docs/adopt.md).
   */
  readonly 'release-rejected': 'resource';
  /** After the release, the manager still owns fields. */
  readonly 'release-incomplete': 'resource';
  /** Others kept writing the object between the requests; it was not released. */
  readonly 'release-contended': 'resource';
  /** A CustomResourceDefinition is not served in time. */
  readonly 'crd-not-established': 'resource';
  /** The server repeatedly rejects the Lease of a stack, although no run holds it; nothing was changed. */
  readonly 'lock-contended': 'resource';
  /** A program with another `id` deploys the stack, and nothing was changed; the error names the id, and both ways on. */
  readonly 'stack-of-another-program': 'usage';
  /** Another run works on the same stack; the error names the holder and the start time, and nothing was changed. */
  readonly 'stack-locked': 'resource';
  /** The credentials may not lock stacks (Leases in the namespace of the inventories). */
  readonly 'lock-forbidden': 'resource';
  /**
   * This run could not renew its lock in time, its Lease is gone, or another run has taken it; this run stopped between two requests.
   */
  readonly 'lock-lost': 'resource';
  /** The credentials may not read or write inventories. */
  readonly 'inventory-forbidden': 'resource';
  /** Another run changed the inventory of the same stack in the meantime. */
  readonly 'inventory-contended': 'resource';
  /** Another run deployed an object after `drift --repair` had compared it; nothing was changed. Repair again. */
  readonly 'repair-outdated': 'resource';
  /** A later version of Fieldwise wrote the records of a stack, in a format that this one does not read; nothing was changed. The error names the version. */
  readonly 'records-of-later-version': 'resource';
  /** An inventory cannot be read, or its data names another stack than its name; nothing of its stack was changed. */
  readonly 'inventory-damaged': 'resource';
  /** The server does not accept a ConfigMap of the size of one part of the inventory. */
  readonly 'inventory-too-large': 'resource';
  /** The credentials may not read or write the history of a stack (Secrets in the namespace of the inventories). */
  readonly 'history-forbidden': 'resource';
  /** A Secret with the name of a history, or of a part of one, belongs to somebody else or was changed; it is neither used nor written. */
  readonly 'history-damaged': 'resource';
  /** Another process wrote the history of a stack in the meantime. */
  readonly 'history-contended': 'resource';
  /** The history of the stack has no such revision, or no earlier one that succeeded. */
  readonly 'revision-unknown': 'usage';
  /** The declarations of the revision are not stored, because they were too large or newer ones took their place: nothing can go back to it. */
  readonly 'revision-not-stored': 'usage';
  /** Revisions are numbered per stack, and several stacks are selected. */
  readonly 'revision-of-several-stacks': 'usage';
  /** Ctrl-C. */
  readonly interrupted: 'interrupted';
  /** A response was lost, and Ctrl-C ended the run before it knew whether the server had processed the request; the next run finds out. */
  readonly 'response-lost': 'interrupted';
  /** A defect of Fieldwise; please report it. */
  readonly internal: 'resource';
}

/** Warnings of synth, each with an example. */
export interface SynthWarningCodes {
  /**
   * The program says something that Argo CD or Flux does not do with the documents of `synth --for`; not-carried-over.md beside them lists all of it.
   *
   * @example `conflicts: 'fail'`: both tools force every field that they apply
   */
  readonly 'not-carried-over': 'warning';
  /**
   * Objects are below another root than the App of Fieldwise, so that nobody deploys them. Create their charts below that App.
   *
   * @example `new App()` with the App of `cdk8s` beside that of `fieldwise`
   */
  readonly 'objects-outside-app': 'warning';
  /**
   * The program did not read a context value. The warning names similar keys that it read; to choose the instance, pass `--instance`.
   *
   * @example `-c instance=prod`
   */
  readonly 'context-unread': 'warning';
  /**
   * A share declares an atomic list of objects: to apply it replaces the whole list. If a field
   * evidently identifies the items, the warning names the schema change that prevents it.
   *
   * @example a share of `rules` of a ClusterRole
   */
  readonly 'atomic-list-shared': 'warning';
  /**
   * Two stacks of the app declare the same atomic list, map or selector.
   *
   * @example two stacks with a `selector` for one Service
   */
  readonly 'atomic-list-contested': 'warning';
  /**
   * Two stacks of the app force different values of one field, so each deploy overwrites the value of the other stack. `diff` and `deploy` also
   * warn of this between apps and instances, from the inventories.
   *
   * @example `replicas: 2` in one stack, `replicas: 3` in the other
   */
  readonly 'field-forced-twice': 'warning';
  /**
   * `transferFrom` names neither a stack of the program nor a field manager of the object, while others own fields that it would transfer;
   * nothing is transferred.
   *
   * @example `transferFrom: { from: 'argocd' }` where the field manager is `argocd-controller`
   */
  readonly 'previous-owner-unknown': 'warning';
  /**
   * Stacks of the app and instance are in the cluster, and the program does not declare them; their objects stay.
   *
   * @example a stack that was removed from the program
   */
  readonly 'stack-undeclared': 'warning';
  /**
   * A shared list item lacks a list map key.
   *
   * @example `ports: [{ name: 'http' }]` shared into a Service
   */
  readonly 'list-item-without-key': 'warning';
  /**
   * Two stacks declare a list item of the same name with different keys, so there would be two items.
   *
   * @example port 80 named `http` in one stack, port 8080 named `http` in the other
   */
  readonly 'list-item-key-differs': 'warning';
  /**
   * Only a share declares a required field, by force: the server would reject its release.
   *
   * @example a share that sets the only `spec.host` of a Route that requires it
   */
  readonly 'share-release-refused': 'warning';
  /**
   * A Secret has literal values, which the program and the assembly contain.
   *
   * @example `stringData: { password: 'hunter2' }` instead of `fromEnv('PASSWORD')`
   */
  readonly 'secret-in-plain-text': 'warning';
  /**
   * A Helm hook is left out. In a cdk8s `Helm` or `Include` construct, the context `helmHooks` (`skip`, `apply`, `refuse`) decides; in
   * documents, the flag `--helm-hooks` (`skip`, `order`, `refuse`).
   *
   * @example the test Pod of a chart
   */
  readonly 'helm-hook-skipped': 'warning';
  /**
   * With `--helm-hooks order`: a Helm hook of a document is applied before or after the other objects, and stays.
   *
   * @example a Job with `helm.sh/hook: pre-install`
   */
  readonly 'helm-hook-ordered': 'warning';
  /**
   * An intent has `listKeys`, but the server merges it.
   *
   * @example `listKeys` without `strategy: 'dynamic'`
   */
  readonly 'list-keys-unused': 'warning';
  /**
   * An acknowledged warning does not occur.
   *
   * @example `acknowledge(stack, 'secret-in-plain-text', '…')` for a stack without Secrets
   */
  readonly 'acknowledgement-unused': 'warning';
  /**
   * The parser of included YAML changes a value or a key, or a document repeats a key; the warning names the line.
   *
   * @example `n: x` becomes `"false": x`; 9007199254740993 becomes 9007199254740992
   */
  readonly 'include-altered': 'warning';
  /**
   * A declared `status` is left out, because an apply of the object does not write it.
   *
   * @example `status: { replicas: 1 }` in a literal
   */
  readonly 'status-omitted': 'warning';
  /**
   * A literal of a built-in kind has a field or an enum value that Kubernetes 1.36 does not have, or an object of a cdk8s construct or of
   * included YAML does not fit its schema. The server probably rejects or changes it; a server of another version may accept it.
   *
   * @example `spec: { replica: 2 }` in a literal of a Deployment
   */
  readonly 'schema-not-met': 'warning';
  /**
   * An empty associative list cannot be owned reliably and is left out.
   *
   * @example `ports: []`
   */
  readonly 'empty-list-dropped': 'warning';
  /**
   * An empty map with free keys (labels, annotations) cannot be owned reliably and is left out.
   *
   * @example `labels: {}`
   */
  readonly 'empty-map-dropped': 'warning';
}

/** Warnings of a run, which do not change its exit code. */
export interface RunWarningCodes {
  /** An environment variable replaces a key of the chosen environment, such as FIELDWISE_KUBE_CONTEXT its `kubeContext`. */
  readonly 'environment-overridden': 'warning';
  /**
   * A stack owns an object for the first time, another stack of the same app and instance applies fields to the object, and the program does
   * not declare that stack, as after a rename without `renamedFrom`. A share is reported only if the other stack shares the same fields.
   */
  readonly 'stack-left-behind': 'warning';
  /**
   * The server is older than Kubernetes 1.22: every intent is merged client-side (docs/strategies.md). With `--strategy server-side`, the
   * server applies it nevertheless.
   */
  readonly 'server-without-apply': 'warning';
  /** The guard of another stack keeps fields that a stack gets from its user, until both guards are printed again (docs/guard.md). */
  readonly 'guarded-by-another-stack': 'warning';
  /**
   * Another client wiped `metadata.managedFields` of an object: fields that the stack drops would stay, until `fieldwise adopt` or a deploy
   * with `--yes`. Repeated at each deploy until then (docs/traps.md).
   */
  readonly 'managed-fields-cleared': 'warning' | 'diagnostic';
  /**
   * Fields of a stack stand in the annotation in which `kubectl apply` without `--server-side` keeps its last file: it will delete or reset them.
   * `diff`, a deploy that takes a field from that client by force, `adopt` where it leaves the annotation, and `doctor --objects` say so, once an
   * object (docs/adopt.md).
   */
  readonly 'in-last-applied': 'warning' | 'diagnostic';
  /**
   * `transferFrom` or `adopt --from` names a manager that owns declared fields through a subresource, such as `scale`; they stay with it. An error
   * where it owns nothing else: nothing was changed (docs/adopt.md).
   */
  readonly 'transfer-from-subresource': 'warning' | 'usage';
  /** The previous owner of adopted fields still declares them, in this program or elsewhere, and will own them again (docs/adopt.md). */
  readonly 'previous-owner-declares': 'warning';
  /**
   * Only `before-first-apply` owns these fields, and the stack may have dropped them after managedFields were wiped. Reported once, with
   * the command that removes them.
   */
  readonly 'dropped-after-clear': 'warning';
  /**
   * The key with which a stack stores digests of Secrets under the strategy `dynamic` cannot be read, created or removed, or its Secret
   * contains no key: the stored values count as changed (docs/strategies.md#storage-of-the-last-applied-intent).
   */
  readonly 'digest-key-unavailable': 'warning';
  /**
   * A ConfigMap has the label of an inventory, but its name, its label and the stack in its data do not match: it is ignored
   * (docs/rbac.md).
   */
  readonly 'inventory-foreign': 'warning';
  /**
   * Somebody has edited the entries of an inventory: the stack may have forgotten what it applied. Repeated until a deploy has written them again
   * (docs/troubleshooting.md#an-inventory-that-somebody-edited).
   */
  readonly 'inventory-edited': 'warning';
  /**
   * An object has fields of a stack whose inventory does not list it: whether the stack created it is not known
   * (docs/troubleshooting.md#an-inventory-that-somebody-edited).
   */
  readonly 'inventory-incomplete': 'warning';
  /** A plan that sends nothing may not read new objects, whose names the permissions do not have yet: it plans them as if they did not exist. */
  readonly 'objects-not-read': 'warning';
  /**
   * The server accepts declared fields and records their owner, but does not store them: the schema of a custom resource does not have them, a
   * feature of Kubernetes is disabled, or an admission webhook removes them. A plan warns of it; the report of a deploy lists them under
   * `rewritten`.
   */
  readonly 'field-pruned': 'warning';
  /**
   * The inventory says that the stack created an object, but nothing on the object shows that the stack applied it: it is released, not
   * deleted (docs/rbac.md).
   */
  readonly 'ownership-unproved': 'warning';
  /** The deploy is complete, but the history of the stack could not be written, for the reason that the warning names. */
  readonly 'revision-not-recorded': 'warning';
  /** Another run holds the lock of a stack when this one gives it back: somebody has deleted the Lease, or this run was suspended for longer than the lock lasts. */
  readonly 'lock-taken': 'warning';
  /** An earlier run ended before it could report whether it took, released or changed fields of an object; the next deploy does (docs/deploy.md). */
  readonly 'earlier-changes-untold': 'warning';
  /**
   * A Secret has the name of the history of a stack, and the inventory of the stack does not know its content: others made or changed it, an earlier
   * version wrote it, or it was restored. It is neither used nor written over (docs/how-to/rollback.md).
   */
  readonly 'history-unknown': 'warning';
  /** A stack that the program has renamed long ago: a program with another `id` has its former name by now, and nothing of that is taken over. */
  readonly 'former-name-taken': 'warning';
  /** `--take-over` or `--allow` names something that the run does not have. */
  readonly 'flag-unmatched': 'warning';
  /** The program has an `id`, and the inventory of its stack none: the last deploy was that of a program without one. */
  readonly 'program-unknown': 'warning';
  /**
   * The credentials may not create the records of Fieldwise by their names, but with a right that has no name, as an earlier version printed it.
   * `fieldwise rbac` prints the permissions of this version (docs/rbac.md).
   */
  readonly 'rights-outdated': 'warning';
  /** The declarations of a stack are larger than `history.maxBytes`: the revision is recorded without them. */
  readonly 'revision-without-body': 'warning';
  /**
   * The last deploy of a stack had a context value that this program has not got, or had another value of it, or was a rollback, and the stack is declared otherwise.
   * Pass what the last deploy had, or set it in fieldwise.yaml, if the change is not intended.
   */
  readonly 'input-differs': 'warning';
  /**
   * The clock of this machine and that of the API server differ by more than five minutes: the history gets wrong times. `fieldwise doctor` checks it, too.
   */
  readonly 'clock-differs': 'warning';
  /**
   * `history`: a revision is dated later than one after it, or later than now: the clock of a machine was wrong. The order of the numbers is right.
   */
  readonly 'history-times': 'warning';
  /** `rollback --run`: a stack did not exist when the run ended, or its declarations from then are not stored. It stays as it is. */
  readonly 'stack-stays': 'warning';
  /** A rollback leaves values of a Secret as they are, because revisions do not contain them; the warning names them. */
  readonly 'values-kept': 'warning';
  /**
   * The value of a Secret to which the program refers cannot be read. A plan that sends nothing, `status` and `drift` leave it as it is in the
   * cluster, and compare its owners and all else (docs/how-to/secrets.md).
   */
  readonly 'value-not-compared': 'warning';
  /** The snapshot has no admission policies of the cluster, or `diff` may not list them: they do not decide on objects that are planned without a dry run. */
  readonly 'policies-not-read': 'warning';
  /**
   * No uid of its cluster could be read for a plan or a snapshot, or none that it has could be compared: nothing shows whether a deploy of the plan meets
   * the cluster for which it was made. The rule `boundToCluster` refuses such a plan.
   */
  readonly 'bound-to-no-cluster': 'warning';
  /** `rollback` or `diff --to-revision`: the revision was recorded in another cluster than this one, which may have been restored from a copy of it. */
  readonly 'revision-of-another-cluster': 'warning';
  /**
   * `diff`: webhooks of the cluster may see objects that are planned without a dry run, or may not be listed; they were not asked
   * (docs/policies.md#objects-without-a-dry-run).
   */
  readonly 'webhooks-not-asked': 'warning';
  /** A ValidatingAdmissionPolicy of `--admission` has no binding, so it decides on nothing. */
  readonly 'policy-not-bound': 'warning';
  /** A ValidatingAdmissionPolicyBinding of `--admission` names a policy that is not among the policies, so it binds nothing. `--strict` blocks all objects. */
  readonly 'bound-policy-missing': 'warning';
  /** `diff --output-file plan=FILE`: a deploy of the saved plan reads the values of Secrets again to which the program refers (docs/how-to/secrets.md). */
  readonly 'value-not-bound': 'warning';
  /** A rollback leaves out an object of the revision, because another stack of the program declares it now. */
  readonly 'moved-object-left-out': 'warning';
  /** A rollback of one stack leaves it an object, or values of a Secret, that have moved there from another stack since the revision. */
  readonly 'moved-object-stays': 'warning';
}

/** Diagnostics of `fieldwise doctor --objects`. */
export interface DoctorDiagnosticCodes {
  /** The manager into which the server merges old updaters also owns fields of a stack (docs/traps.md). */
  readonly 'ancient-changes': 'diagnostic';
  /** The object is a member of an ApplySet of kubectl, which deletes it when the files of kubectl no longer contain it (docs/adopt.md). */
  readonly 'in-applyset': 'diagnostic';
  /** The object belongs to an app of kapp, which deletes it when the files of kapp no longer contain it (docs/adopt.md). */
  readonly 'in-kapp-app': 'diagnostic';
  /** managedFields have 64 KiB or more; the diagnostic names the largest managers (docs/traps.md). */
  readonly 'managed-fields-large': 'diagnostic';
}

/** Diagnostics of import, which do not change its exit code. */
export interface ImportDiagnosticCodes {
  /** The API does not serve apply for a kind, so the kind has no builder. */
  readonly 'kind-not-applied': 'import-diagnostic';
  /** Two names of a schema would collide in TypeScript; one was changed, and the diagnostic names it. */
  readonly 'name-changed': 'import-diagnostic';
  /** Builders cannot express a part of a schema, or the API server refuses the CRD for it; they accept more than the server does. */
  readonly 'node-widened': 'import-diagnostic';
  /** oneOf, anyOf or not: checked by `build({ complete: true })`, otherwise by the server only. */
  readonly 'junctor-not-checked': 'import-diagnostic';
  /** CEL rules: checked by the server only. */
  readonly 'value-rule-not-checked': 'import-diagnostic';
  /** The API server refuses a CRD for its schema; the builders are written nevertheless, and the exit code is 2. */
  readonly 'definition-refused': 'import-diagnostic';
  /** The CRD marks a version as deprecated; its builders are marked as deprecated, too. */
  readonly 'version-deprecated': 'import-diagnostic';
  /** A version of a CRD is not served and has no builder. */
  readonly 'version-not-served': 'import-diagnostic';
}

/** Errors of the libraries: `fieldwise/deploy`, `fieldwise/ssa`, `fieldwise/embedded` and `fieldwise/controller`. */
export interface LibraryErrorCodes {
  /** `fieldwise/ssa`: the object has an apiVersion that the kind, as `readSchema` returned it, does not have. */
  readonly 'version-unknown': 'usage';
  /** `confirm` or `onEvent` threw an error, which is the `cause`. `confirm`: nothing was changed. `onEvent`: the run is complete, and the error has its `report`. */
  readonly 'callback-failed': 'usage';
  /** The cluster was closed before the call. */
  readonly 'cluster-closed': 'usage';
  /** An argument or option of a function has a wrong value, or no function has the option; the error names it, and nothing was sent. */
  readonly 'option-invalid': 'usage';
  /** The `url` or `kubeconfig` of an embedded API server that was started with `port: false`. */
  readonly 'server-without-socket': 'usage';
  /** The fields of a manager were applied in another apiVersion than that of the builder, or the object has another kind. */
  readonly 'extract-other-version': 'usage';
  /** Others wrote the object between read and write too often; its finalizers were not changed. */
  readonly 'finalizer-contended': 'resource';
  /** A status is applied to a kind without a status subresource. */
  readonly 'status-not-served': 'resource';
}
