import { durationText } from '../../util/duration-text.js';
import { FieldwiseError } from '../../util/error.js';
import { unknownAuthorityCodes } from '../../util/unknown-authority.js';
import type { ConnectionFacts } from '../connection.js';
import { isPlainAnswer } from '../plain-answer.js';
import { clockDifference, toleratedDifferenceMs } from './server-clock.js';

/** Returns true if a connection was ended because nobody vouches for the certificate of the server. */
export function isUntrusted(cause: unknown): boolean {
  const code = codeOf(cause);
  return unknownAuthorityCodes.has(code) || code === 'CERT_UNTRUSTED';
}

/** Returns the error for a server that cannot be reached: what failed, and the settings that decided the way to it. */
export function unreachableError(server: string, cause: unknown, facts: ConnectionFacts | undefined): FieldwiseError {
  const { what, next } = explain(cause, facts);
  return new FieldwiseError('cluster-unreachable', 'resource', what, {
    location: { ...fileOf(facts), server },
    next,
    cause,
  });
}

/** Returns true if a connection was ended because the certificate of the server is not valid at the time of this machine. */
export function isOutOfDate(cause: unknown): boolean {
  return ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].includes(codeOf(cause));
}

/** The times of this machine and of the server, in milliseconds since 1970. */
export interface TwoClocks {
  readonly now: number;
  /** Undefined where the server does not tell. */
  readonly serverDate: number | undefined;
}

/** Returns the error for a certificate that is not valid now: it is out of date, or the clock of this machine is wrong. */
export function outOfDateError(
  server: string,
  cause: unknown,
  facts: ConnectionFacts | undefined,
  { now, serverDate }: TwoClocks,
): FieldwiseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const here = secondsText(now);
  const ahead = serverDate === undefined ? undefined : (clockDifference(serverDate, now, now) ?? 0);
  const isWrong = ahead !== undefined && Math.abs(ahead) > toleratedDifferenceMs;
  const clock = isWrong
    ? `: this machine says that it is ${here}, and the server that it is ${secondsText(serverDate as number)}`
    : `; this machine says that it is ${here}${ahead === undefined ? '' : ', and so does the server'}`;
  const renew = 'renew the certificate of the server';
  const next = isWrong
    ? `Set the clock of this machine, which is ${durationText(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}. If it is right, ${renew}.`
    : ahead === undefined
      ? `If that time is wrong, set the clock of this machine; else ${renew}.`
      : 'Renew the certificate of the server.';
  const location = { ...fileOf(facts), server };
  return new FieldwiseError('cluster-unreachable', 'resource', `The certificate of the API server is not valid now: ${reason}${clock}`, {
    location,
    next,
    cause,
  });
}

function secondsText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Returns the kubeconfig as a location, if it is a file. */
export function fileOf(facts: ConnectionFacts | undefined): { readonly file?: string } {
  return facts?.file === undefined ? {} : { file: facts.file };
}

function explain(cause: unknown, facts: ConnectionFacts | undefined): { readonly what: string; readonly next: string } {
  const reason = cause instanceof Error ? cause.message || codeOf(cause) || cause.name : String(cause);
  const code = codeOf(cause);
  const way = wayText(facts, code);
  if (facts?.proxy !== undefined && reason.startsWith(`the proxy ${facts.proxy} `)) {
    const address = facts.proxySource === 'HTTPS_PROXY' || facts.proxySource === 'https_proxy' ? ', or name the host in NO_PROXY' : '';
    return { what: `The API server cannot be reached: ${reason}`, next: `${way} Check its address, user and password${address}.` };
  }
  if (isUntrusted(cause)) {
    const authority = facts === undefined ? 'certificate-authority' : `certificate-authority-data of the cluster ${facts.cluster}`;
    const next = facts?.hasAuthority
      ? `${authority} in the kubeconfig has not signed it: the server has another one, or another server answers. ${way}`
      : `Set ${authority} in the kubeconfig to the certificate of the authority that signed it. ${way}`;
    return { what: `The certificate of the API server is not trusted: ${reason}`, next: next.trim() };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const next =
      'Name the server as its certificate does, or set tls-server-name of the cluster in the kubeconfig to a name that is in it.';
    return { what: `The certificate of the API server is for another name: ${reason}`, next: `${next} ${way}`.trim() };
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return {
      what: `The certificate of the API server is not valid now: ${reason}`,
      next: 'Renew it, and check the clock of this machine.',
    };
  }
  if (isPlainAnswer(cause)) {
    const next = 'Check the port of the server in the kubeconfig, and whether it is one without TLS (http://).';
    return { what: 'The API server does not speak TLS: it answers in plain text', next: `${next} ${way}`.trim() };
  }
  return {
    what: `The API server does not answer: ${reason}`,
    next: `Check the server address in the kubeconfig, the network, and that the server runs. ${way}`.trim(),
  };
}

/** The codes of a host that this machine does not know, or does not reach. */
const unknownHostCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ETIMEDOUT']);

/** Tells by which way the server was sought, or which one there may be. */
function wayText(facts: ConnectionFacts | undefined, code = ''): string {
  if (facts !== undefined && facts.proxy === undefined && facts.exemption === undefined && unknownHostCodes.has(code)) {
    return `If only a proxy reaches it, set HTTPS_PROXY, or proxy-url of the cluster ${facts.cluster} in the kubeconfig.`;
  }
  if (facts?.proxy !== undefined) return `${facts.proxySource} is set and was used: ${facts.proxy}.`;
  return facts?.exemption === undefined ? '' : `HTTPS_PROXY is set and was not used, because NO_PROXY contains ${facts.exemption}.`;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error ? String((cause as NodeJS.ErrnoException).code ?? '') : '';
}
