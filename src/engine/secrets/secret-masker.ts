import type { ClusterClient } from '../../kubernetes/index.js';
import { isSecret } from '../../kubernetes/object.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ReadinessCause } from '../readiness/causes/cause.js';
import type { SettledReadiness } from '../readiness/state.js';
import type { DeployEvent } from '../report/events.js';
import type { ReportedError, RunDiagnostic } from '../report/run-diagnostic.js';

const masked = '***';
const secretFields = /^\.(data|stringData)(?=[.[]|$)|^\.metadata\.annotations\.kubectl\.kubernetes\.io\/last-applied-configuration$/;

/** Anything with the old and new value of one field. */
interface FieldValues {
  /** Path such as `.data.password`. */
  readonly field: string;
  readonly oldValue?: Json;
  readonly newValue?: Json;
}

/** Returns the field with its values hidden if it belongs to a Secret's content. Nothing that is printed or written may skip this. */
export function maskField<T extends FieldValues>(field: T, object: Json, hide: (value: Json) => Json = () => masked): T {
  if (!isSecret(object) || !secretFields.test(field.field)) return field;
  return {
    ...field,
    ...(field.oldValue === undefined ? {} : { oldValue: maskValue(field.oldValue, hide) }),
    ...(field.newValue === undefined ? {} : { newValue: maskValue(field.newValue, hide) }),
  };
}

/** Returns a whole object with its values hidden if it is a Secret. */
export function maskSecret(object: Json): Json {
  if (!isSecret(object)) return object;
  const { data, stringData, metadata, ...others } = object;
  const { annotations, ...rest } = isJsonObject(metadata) ? metadata : {};
  const hide = () => masked;
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const shown = isJsonObject(annotations) && lastApplied in annotations ? { ...annotations, [lastApplied]: masked } : annotations;
  return {
    ...others,
    metadata: { ...rest, ...(shown === undefined ? {} : { annotations: shown }) },
    ...(data === undefined ? {} : { data: maskValue(data, hide) }),
    ...(stringData === undefined ? {} : { stringData: maskValue(stringData, hide) }),
  };
}

/** Returns the shape of a value without its content. */
function maskValue(value: Json, hide: (value: Json) => Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => maskValue(item, hide));
  if (!isJsonObject(value)) return hide(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === undefined ? undefined : maskValue(member, hide)]),
  );
}

/** A shorter value is hidden only where it is quoted: `1` or `on` is in every message. */
const minUnquotedLength = 4;

/** A shorter line of a value is in every log. */
const minLineLength = 8;

/** The length of the shortest text: one character in quotes. */
const prefixLength = 3;

/** The values of Secrets as they may occur in a text: plain, in base64, escaped in quotes. Servers quote what they refuse. */
export class SecretMasker {
  readonly #texts = new Set<string>();
  /** The texts by their first characters, the longest first. A regular expression of them all can be too large. */
  #byStart: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(objects: readonly Json[]) {
    for (const object of objects) this.add(object);
  }

  /** Adds the values of an object if it is a Secret. */
  add(object: Json | undefined): void {
    if (!isSecret(object)) return;
    for (const value of valuesOf(object.data)) {
      this.#addText(value);
      this.#addText(Buffer.from(value, 'base64').toString('utf8'));
    }
    for (const value of valuesOf(object.stringData)) {
      this.#addText(value);
      this.#addText(Buffer.from(value, 'utf8').toString('base64'));
    }
    const annotations = isJsonObject(object.metadata) && isJsonObject(object.metadata.annotations) ? object.metadata.annotations : {};
    for (const value of valuesOf({ value: annotations['kubectl.kubernetes.io/last-applied-configuration'] })) this.#addText(value);
  }

  /** Returns a text with every known value hidden. */
  mask(text: string): string {
    return this.#texts.size === 0 ? text : this.#hide(text);
  }

  /**
   * Returns a log with every known value hidden, also the single lines of a value of several lines: a log may begin or end within it.
   */
  maskLog(text: string): string {
    const lines = new SecretMasker([]);
    for (const value of this.#texts) {
      if (!value.includes('\n')) continue;
      for (const line of value.split('\n')) if (line.trim().length >= minLineLength) lines.#addText(line.trim());
    }
    return lines.mask(this.mask(text));
  }

  /** Returns a readiness with every known value hidden in the texts that a controller, a kubelet or a container wrote. */
  maskReadiness<T extends SettledReadiness>(readiness: T): T {
    const { cause } = readiness;
    return {
      ...readiness,
      message: this.mask(readiness.message),
      ...(cause === undefined ? {} : { cause: this.#maskCause(cause) }),
      ...(readiness.notLookedAt ? { notLookedAt: readiness.notLookedAt.map((note) => this.mask(note)) } : {}),
    };
  }

  #maskCause(cause: ReadinessCause): ReadinessCause {
    const { event, log } = cause;
    return {
      ...cause,
      message: this.mask(cause.message),
      ...(event ? { event: { ...event, message: this.mask(event.message) } } : {}),
      ...(log ? { log: log.map((line) => this.mask(line)) } : {}),
    };
  }

  /** Returns an error with every known value hidden. */
  maskError(error: ReportedError): ReportedError {
    const questions = error.questions?.map(({ text, objects }) => ({
      text: this.mask(text),
      objects: objects.map((one) => this.mask(one)),
    }));
    return {
      ...error,
      message: this.mask(error.message),
      ...(error.next === undefined ? {} : { next: this.mask(error.next) }),
      ...(questions ? { questions } : {}),
    };
  }

  /** Returns a warning with every known value hidden. */
  maskWarning(warning: RunDiagnostic): RunDiagnostic {
    const { message, next } = warning;
    return { ...warning, message: this.mask(message), ...(next === undefined ? {} : { next: this.mask(next) }) };
  }

  /** Returns an event with every known value hidden in texts that quote a server. Values of fields are masked by `maskField`. */
  maskEvent(event: DeployEvent): DeployEvent {
    if (this.#texts.size === 0) return event;
    if (event.event === 'summary') return { ...event, errors: event.errors.map((error) => this.maskError(error)) };
    if (event.event === 'warning') return this.maskWarning(event);
    if (event.event === 'refused') return { ...event, error: this.maskError(event.error) };
    if (event.event === 'readiness') return { ...event, readiness: this.maskReadiness(event.readiness) };
    if (event.event !== 'object') return event;
    return {
      ...event,
      ...(event.readiness === undefined ? {} : { readiness: this.maskReadiness(event.readiness) }),
      warnings: event.warnings.map((warning) => this.mask(warning)),
      ...(event.released ? { released: event.released.map((field) => this.#maskReason(field)) } : {}),
      ...(event.reason === undefined ? {} : { reason: this.mask(event.reason) }),
      ...(event.error === undefined ? {} : { error: this.maskError(event.error) }),
    };
  }

  #maskReason<T extends { readonly reason?: string }>(field: T): T {
    return field.reason === undefined ? field : { ...field, reason: this.mask(field.reason) };
  }

  #addText(text: string): void {
    for (const form of [text, JSON.stringify(text).slice(1, -1)]) {
      const wanted = form.length < minUnquotedLength ? `"${form}"` : form;
      if (form === '' || this.#texts.has(wanted)) continue;
      this.#texts.add(wanted);
      this.#byStart = undefined;
    }
  }

  #hide(text: string): string {
    this.#byStart ??= byStart(this.#texts);
    const shown: string[] = [];
    let kept = 0;
    for (let at = 0; at < text.length; ) {
      const known = this.#byStart.get(text.slice(at, at + prefixLength))?.find((candidate) => text.startsWith(candidate, at));
      if (known === undefined) {
        at += 1;
        continue;
      }
      shown.push(text.slice(kept, at), masked);
      at += known.length;
      kept = at;
    }
    return shown.join('') + text.slice(kept);
  }
}

function byStart(texts: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const text of [...texts].sort((left, right) => right.length - left.length)) {
    const start = text.slice(0, prefixLength);
    const others = found.get(start);
    if (others) others.push(text);
    else found.set(start, [text]);
  }
  return found;
}

function valuesOf(members: Json | undefined): string[] {
  if (!isJsonObject(members)) return [];
  return Object.values(members).flatMap((value) => {
    if (value === undefined || value === null) return [];
    return [typeof value === 'object' ? stringifyExactJson(value) : String(value)];
  });
}

/** Returns a view of the cluster that adds the Secrets in the responses to `apply`, `get`, `tryGet` and `replace` to the masker. */
export function withSecretMasking(cluster: ClusterClient, secrets: SecretMasker): ClusterClient {
  const learn = <T extends JsonObject | undefined>(object: T): T => {
    secrets.add(object);
    return object;
  };
  return {
    ...cluster,
    async apply(address, body, options) {
      const response = await cluster.apply(address, body, options);
      secrets.add(response.object);
      return response;
    },
    get: async (address) => learn(await cluster.get(address)),
    tryGet: async (address) => learn(await cluster.tryGet(address)),
    replace: async (address, body, manager) => learn(await cluster.replace(address, body, manager)),
    withContext: (context) => withSecretMasking(cluster.withContext(context), secrets),
  };
}
