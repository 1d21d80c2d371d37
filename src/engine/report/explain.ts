import { type AdmissionDenial, ApiError, admissionDenialOf, type StatusCause } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { ErrorCode } from '../../util/error-codes.js';
import { adviceOnForbidden } from './forbidden.js';
import { causeText, saysImmutable } from './immutable.js';
import type { ReportedError } from './run-diagnostic.js';

/** Explains an error for a report: in Fieldwise's own words, with the server's facts, and what to do next. */
export function explain(error: unknown): ReportedError {
  if (error instanceof ApiError) {
    const { code, message, next } = explainRefusal(error);
    return { code, message, ...(next ? { next } : {}), status: { code: error.code, reason: error.reason } };
  }
  if (error instanceof FieldwiseError) return { code: error.code, message: describe(error), ...(error.next ? { next: error.next } : {}) };
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'internal', message: `Unexpected: ${message}`, next: 'This is a defect of Fieldwise; please report it.' };
}

function describe(error: FieldwiseError): string {
  const { server } = error.location;
  return server ? `${error.message} (${server})` : error.message;
}

interface Explanation {
  readonly code: ErrorCode;
  readonly message: string;
  readonly next?: string;
}

function explainRefusal(error: ApiError): Explanation {
  const typed = /^failed to create typed patch object \(.*?\): (.*)$/s.exec(error.message);
  if (typed) return explainSchema(typed[1] ?? '');
  const denial = admissionDenialOf(error);
  const namesFields = error.code === 422 && error.causes.some(({ field }) => field !== ''); // A webhook may, as validation does.
  if (denial !== undefined && !namesFields) return explainDenial(denial);
  if (error.code === 403) {
    const terminating = error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
    if (terminating)
      return { code: 'namespace-terminating', message: error.message, next: 'Wait until the namespace is deleted, then deploy again.' };
    return { message: error.message, ...adviceOnForbidden(error.message, error.method) };
  }
  const namespace = error.code === 404 ? /^namespaces "([^"]+)" not found/.exec(error.message)?.[1] : undefined;
  if (namespace !== undefined) {
    return {
      code: 'namespace-missing',
      message: `Namespace ${namespace} does not exist`,
      next: 'Create it, or declare it: a Namespace is applied before the objects in it. With documents, add it by another `-f`, such as `-f namespace.yaml -f -`.',
    };
  }
  const version = error.code === 500 ? /^request to convert CR to an invalid group\/version: (\S+)$/.exec(error.message)?.[1] : undefined;
  if (version !== undefined) {
    return {
      code: 'version-removed',
      message: `managedFields of the object names ${version}, a version that its CustomResourceDefinition no longer has, and the server refuses every apply`,
      next: 'Run `fieldwise adopt --stale`, which rewrites these entries to a served version; every owner keeps its fields.',
    };
  }
  const mistyped = error.code === 500 ? /^failed to create typed live object \(.*?\): (.*)$/s.exec(error.message)?.[1] : undefined;
  if (mistyped !== undefined) return explainMistyped(mistyped, error.path);
  if (error.code === 422) return explainInvalid(error);
  if (error.code === 500 && /conversion webhook for \S+, Kind=\S+ failed/.test(error.message)) {
    return {
      code: 'conversion-failed',
      message: error.message,
      next: `Repair the webhook that \`spec.conversion\` of the CustomResourceDefinition ${crdNameOf(error.path)} names, then run again: completed work is detected and skipped.`,
    };
  }
  if (error.code === 404) return { code: 'not-found', message: error.message };
  if (error.code === 400) return { code: 'rejected', message: error.message };
  if (error.code >= 500 || error.code === 429)
    return { code: 'server-error', message: error.message, next: 'Deploy again: completed work is detected and skipped.' };
  return { code: 'rejected', message: error.message };
}

function explainDenial({ by, name, binding, object, message }: AdmissionDenial): Explanation {
  const why = message === '' ? ', without explanation' : `: ${message}`;
  if (by === 'webhook') {
    const next = 'Change the program, or have the webhook changed by those who keep it.';
    return { code: 'admission-denied', message: `The admission webhook ${name} denies the request${why}`, next };
  }
  return {
    code: 'admission-denied',
    message: `The admission policy ${name}${binding === undefined || binding === name ? '' : ` (binding ${binding})`} denies the request for ${object}${why}`,
    next: 'Change the program, run with credentials that the policy lets pass, or have the policy changed by those who keep it (docs/policies.md).',
  };
}

/**
 * Explains why every apply to an object is refused: a CustomResourceDefinition has changed the type of a field, and the object has a value of the
 * former one. An update and a merge patch are not typed. Source: observed.
 */
function explainMistyped(text: string, path: string): Explanation {
  const field = /^(\.[\w.-]+): /.exec(text)?.[1];
  const [, , group = '', , ...rest] = path.split('/');
  const [namespace, plural, name] = rest[0] === 'namespaces' ? [rest[1], rest[2], rest[3]] : [undefined, rest[0], rest[1]];
  const body = (field?.slice(1).split('.') ?? []).reduceRight((inner, key) => `{"${key}":${inner}}`, '…');
  const place = `${plural}.${group} ${name}${namespace === undefined ? '' : ` --namespace ${namespace}`}`;
  const command = field === undefined ? '' : `, such as \`kubectl patch ${place} --type merge --patch '${body}'\``;
  return {
    code: 'live-value-mistyped',
    message: `A live value no longer fits the schema of its kind, so the server refuses every apply to the object: ${text}`,
    next: `The definition of the kind has changed the type of the field. Write the value in the new type by another request than an apply${command}; then deploy again.`,
  };
}

/** Returns `widgets.example.com` for `/apis/example.com/v1/namespaces/shop/widgets/w`. */
function crdNameOf(path: string): string {
  const [, , group, , ...rest] = path.split('/');
  return `${rest[0] === 'namespaces' && rest.length > 2 ? rest[2] : rest[0]}.${group}`;
}

/** Explains a schema error of the typed apply, which is plain text: `.spec.x: field not declared in schema`. */
function explainSchema(text: string): Explanation {
  const field = /^(\.\S*): /.exec(text)?.[1];
  if (field && text.includes('field not declared in schema')) {
    return {
      code: 'field-unknown',
      message: `The server's schema has no field ${field}`,
      next: 'Correct the name, or import the builders again from the CRD or API version that the server runs.',
    };
  }
  const says = ': duplicate entries for key ';
  const repeated = text.split('\n').flatMap((line) => {
    const at = line.indexOf(says);
    return at < 0 ? [] : [`${line.slice(0, at).trim()} has ${line.slice(at + says.length)} twice`];
  });
  if (repeated.length > 0) {
    return {
      code: 'list-key-duplicate',
      message: `Items of a list are identified by their keys, and ${[...new Set(repeated)].join('; ')}`,
      next: 'Declare one item for each key.',
    };
  }
  return {
    code: 'schema-mismatch',
    message: `The intent does not match the server's schema: ${text}`,
    next: 'Correct the field named above.',
  };
}

function explainInvalid(error: ApiError): Explanation {
  const causes = error.causes.length > 0 ? error.causes : [{ field: '', reason: '', message: error.message }];
  const unnamedPorts = causes.filter((cause) => /^spec\.ports\[\d+\]\.name$/.test(cause.field) && cause.reason === 'FieldValueRequired');
  if (unnamedPorts.length > 0 && unnamedPorts.length === causes.length) {
    const names = unnamedPorts.map((cause) => `.${cause.field}`);
    return {
      code: 'port-unnamed',
      message: `A Service with more than one port needs a name on each: ${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing`,
      next: 'Give every port a name where it is declared. `fieldwise owners` shows the owners of a port that the program does not declare, or no longer declares.',
    };
  }
  if (error.causes.length > 0 && causes.every(isRepeatedPort)) {
    return {
      code: 'port-duplicate',
      message: `Ports would share a name or a port of the host: ${list(causes)}`,
      next: 'Give each port its own name and hostPort. A port is identified by its number and protocol, so one with another number is a new port beside it. Where another owner keeps the old one (`fieldwise owners` shows the owner), declare the old number first, take over the port, and change the number then.',
    };
  }
  const immutable = causes.filter(saysImmutable);
  if (immutable.length > 0) {
    return {
      code: 'field-immutable',
      message: `The server does not let these fields change: ${list(immutable)}`,
      next: 'Keep the old value, or set the policy `replace: true`, which deletes the object and creates it again if nobody else owns any of its fields.',
    };
  }
  return { code: 'invalid', message: `The server considers the object invalid: ${list(causes)}`, next: 'Correct the fields named above.' };
}

function isRepeatedPort({ field, reason }: StatusCause): boolean {
  return reason === 'FieldValueDuplicate' && /(^|\.)ports\[\d+\]\.(name|hostPort)$/.test(field);
}

function list(causes: readonly StatusCause[]): string {
  return causes.map(causeText).join('; ');
}
