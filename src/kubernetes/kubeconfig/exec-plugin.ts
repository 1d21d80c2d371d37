import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Credential, CredentialSettings, CredentialSource } from './credential.js';
import { credentialsError } from './credentials-error.js';
import type { ClusterEntry } from './kube-config.js';
import { type ExecEntry, interactiveModeOf } from './select-context.js';

/** A credential of a plugin, and its end in milliseconds since 1970. */
interface PluginCredential extends Credential {
  readonly expiresAt: number;
}

/**
 * A command that prints credentials, such as `aws eks get-token`. It runs once, again when its credential expires, and once more when the
 * server refuses the credential. Its standard error is shown as it comes, because it may tell how to log in.
 * Source: Kubernetes documentation "client-go credential plugins"; client-go, `plugin/pkg/client/auth/exec`.
 */
export class ExecPlugin implements CredentialSource {
  readonly #settings: CredentialSettings;
  readonly #exec: ExecEntry;
  #running: Promise<PluginCredential> | undefined;
  #credential: PluginCredential | undefined;
  #refused: string | undefined;

  constructor(settings: CredentialSettings) {
    this.#settings = settings;
    this.#exec = settings.selected.user.exec as ExecEntry;
  }

  async current(): Promise<Credential> {
    if (this.#credential !== undefined && this.#settings.machine.wall() <= this.#credential.expiresAt) return this.#credential;
    return this.#run();
  }

  async renew(refused: string | undefined): Promise<boolean> {
    const before = this.#credential;
    if (before?.authorization !== refused) return true; // Another request has renewed it.
    if (refused !== undefined && this.#refused === refused) return false; // The command has printed it again.
    const { authorization, certificate } = await this.#run();
    if (authorization === refused) this.#refused = refused;
    return authorization !== refused || certificate?.cert !== before?.certificate?.cert;
  }

  #run(): Promise<PluginCredential> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #read(): Promise<PluginCredential> {
    const interactive = this.#isInteractive();
    const printed = await this.#print(interactive);
    this.#credential = this.#credentialOf(await parsed(printed));
    return this.#credential;
  }

  #isInteractive(): boolean {
    const mode = interactiveModeOf(this.#exec);
    const isTerminal = process.stdin.isTTY === true;
    if (mode !== 'Always' || isTerminal) return mode !== 'Never' && isTerminal;
    throw this.#error(
      `the command ${this.#exec.command} asks questions (interactiveMode: Always), and the standard input is not a terminal`,
      'Run the command at a terminal, or use credentials for machines, such as those of a ServiceAccount.',
    );
  }

  #print(interactive: boolean): Promise<string> {
    const { command = '', args, env, installHint } = this.#exec;
    const variables = Object.fromEntries((env ?? []).map(({ name = '', value = '' }) => [name, value]));
    const environment = { ...process.env, ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(this.#execInfo(interactive)) };
    return new Promise((resolve, reject) => {
      const child = spawn(command, args ?? [], { env: environment, stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const hint = installHint?.trim() ? hintText(installHint.trim()) : 'Install it, or name its full path as command of the user.';
        if (error.code === 'ENOENT') return reject(this.#error(`the command ${command} of the kubeconfig is not installed`, hint, error));
        return reject(this.#error(`the command ${command} cannot be run: ${error.message}`, 'Check that the file may be executed.', error));
      });
      child.once('close', (code, signal) => {
        if (code === 0) return resolve(printed);
        const end = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
        return reject(this.#error(`the command ${command} ${end}`, 'It wrote the reason above. Run the login command of your cluster.'));
      });
    });
  }

  #execInfo(interactive: boolean): JsonObject {
    const { apiVersion = '', provideClusterInfo } = this.#exec;
    const cluster = provideClusterInfo ? { cluster: clusterInfo(this.#settings.selected.cluster, this.#settings.server) } : {};
    return { kind: 'ExecCredential', apiVersion, spec: { ...cluster, interactive } };
  }

  #credentialOf(output: unknown): PluginCredential {
    const { apiVersion, command } = this.#exec;
    const fail = (what: string) => this.#error(`the command ${command} ${what}`, 'Update the command, or write its kubeconfig again.');
    if (!isJsonObject(output)) throw fail('prints no credential: the content is neither JSON nor YAML with members');
    if (output.apiVersion !== apiVersion || output.kind !== 'ExecCredential') {
      const kind = output.kind === undefined ? 'no kind' : `${String(output.kind)} ${String(output.apiVersion)}`;
      throw fail(`prints ${kind}, and the kubeconfig asks for ExecCredential ${apiVersion}`);
    }
    const {
      token,
      clientCertificateData: cert,
      clientKeyData: key,
      expirationTimestamp,
    } = isJsonObject(output.status) ? output.status : {};
    const texts = { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp };
    const wrong = Object.entries(texts).find(([, value]) => value !== undefined && value !== null && typeof value !== 'string');
    if (wrong) throw fail(`prints a ${wrong[0]} that is not a text`);
    if (!token && !cert && !key) throw fail('prints neither a token nor a certificate');
    if (!cert !== !key) throw fail('prints only one of certificate and key');
    const end = expirationTimestamp ? Date.parse(String(expirationTimestamp)) : Number.POSITIVE_INFINITY;
    if (Number.isNaN(end)) throw fail('prints an expirationTimestamp that is not a time');
    return {
      ...(token ? { authorization: `Bearer ${String(token)}` } : {}),
      ...(cert && key ? { certificate: { cert: String(cert), key: String(key) } } : {}),
      expiresAt: end,
    };
  }

  #error(what: string, next: string, cause?: unknown): Error {
    return credentialsError(this.#settings, what, next, cause);
  }
}

/** Source: Kubernetes, client-go, `rest`, ConfigToExecCluster: a proxy of the environment is not in it. */
function clusterInfo(cluster: ClusterEntry, server: string): JsonObject {
  const { tlsServerName, skipTLSVerify, caData, caFile, proxyUrl, execConfig } = cluster;
  const ca = caData || (caFile ? readFileSync(caFile).toString('base64') : undefined);
  return {
    server,
    ...(tlsServerName ? { 'tls-server-name': tlsServerName } : {}),
    ...(skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca ? { 'certificate-authority-data': ca.replace(/\s/g, '') } : {}),
    ...(proxyUrl ? { 'proxy-url': proxyUrl } : {}),
    config: (execConfig ?? null) as JsonObject | null,
  };
}

/** A hint of several lines, such as commands to run, keeps them. */
function hintText(said: string): string {
  const lines = said.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.length === 1
    ? `The kubeconfig says: "${said}"`
    : `Run the command again once it is; the kubeconfig says:\n${lines.join('\n')}`;
}

/** Reads JSON, and YAML where no brace is first. Source: Kubernetes, apimachinery, `runtime/serializer/recognizer`. */
async function parsed(text: string): Promise<unknown> {
  try {
    if (/^[\t\n\v\f\r ]*\{/.test(text)) return JSON.parse(text);
    const { parsedYaml } = await import('./kube-config.js');
    return parsedYaml(text);
  } catch {
    return undefined; // The error would quote the output, which may contain a token.
  }
}
