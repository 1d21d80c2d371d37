import { isSecret, metadataOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { FormIndex, type FoundForm } from '../../util/form-index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { masked } from '../../util/masked.js';
import { formsOfValue } from '../../util/value-forms.js';
import type { DeployEvent, ObjectReport } from '../report/events.js';
import type { ReadinessCause } from '../report/readiness-cause.js';
import type { SettledReadiness } from '../report/readiness-state.js';
import type { ReleasedField } from '../report/released-field.js';
import type { ReportedError, RunDiagnostic } from '../report/run-diagnostic.js';
import { maskDecoded } from './mask-decoded.js';

/** The content of a Secret. Annotations belong to it: tools copy whole objects into them, each under a name of its own. */
const secretFields = /^\.(data|stringData|metadata\.annotations)(?=[.[]|$)/;

/** Anything with values of one field. */
interface FieldValues {
  /** Path such as `.data.password`. */
  readonly field: string;
  readonly oldValue?: Json;
  readonly newValue?: Json;
  readonly value?: Json;
  readonly declared?: Json;
  readonly live?: Json;
}

const valueNames = ['oldValue', 'newValue', 'value', 'declared', 'live'] as const;

/** Returns the field with its values hidden if it belongs to a Secret's content. Nothing that is printed or written may skip this. */
export function maskField<T extends FieldValues>(field: T, object: Json): T {
  return isHiddenField(field.field, object) ? mapValues(field, maskValue) : field;
}

/** Returns true for a field of the content of a Secret: nothing shows its values. */
export function isHiddenField(field: string, object: Json): boolean {
  return isSecret(object) && secretFields.test(field);
}

function mapValues<T extends FieldValues>(field: T, change: (value: Json) => Json): T {
  const changed: { -readonly [Name in (typeof valueNames)[number]]?: Json } = {};
  for (const name of valueNames) {
    const value = field[name];
    if (value !== undefined) changed[name] = change(value);
  }
  return { ...field, ...changed };
}

/** Returns a whole object with its values hidden if it is a Secret. */
export function maskSecret(object: Json): Json {
  if (!isSecret(object)) return object;
  const { data, stringData, metadata, ...others } = object;
  const { annotations, ...rest } = isJsonObject(metadata) ? metadata : {};
  return {
    ...others,
    metadata: { ...rest, ...(annotations === undefined ? {} : { annotations: maskValue(annotations) }) },
    ...(data === undefined ? {} : { data: maskValue(data) }),
    ...(stringData === undefined ? {} : { stringData: maskValue(stringData) }),
  };
}

/** Returns the shape of a value without its content. */
function maskValue(value: Json): Json {
  return mapScalars(value, () => masked);
}

function mapScalars(value: Json, change: (value: Exclude<Json, object>) => Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapScalars(item, change));
  if (!isJsonObject(value)) return change(value as Exclude<Json, object>);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === undefined ? undefined : mapScalars(member, change)]),
  );
}

/** Fields of other objects show a shorter value: `true` or a name may well be a value of a Secret. */
const minFieldLength = 8;

/**
 * The values of Secrets as they may occur in a text: plain, escaped, encoded, and in parts. Servers quote what they refuse, programs print
 * what they read, and objects repeat what a Secret contains. See docs/how-to/secrets.md for what is not found.
 */
export class SecretMasker {
  /** The values, in base64. */
  readonly #values = new Set<string>();
  #pending: Buffer[] = [];
  readonly #forms = new FormIndex();

  constructor(objects: readonly Json[]) {
    for (const object of objects) this.add(object);
  }

  /** Adds the values of an object if it is a Secret, and those of the Secrets that its annotations contain. */
  add(object: Json | undefined): void {
    if (!isSecret(object)) return;
    for (const value of valuesOf(object.data)) {
      const bytes = Buffer.from(value, 'base64');
      if (bytes.toString('base64') !== value) this.#addValue(Buffer.from(value, 'utf8')); // It is not base64: a server may quote it.
      this.#addValue(bytes);
    }
    for (const value of valuesOf(object.stringData)) this.#addValue(Buffer.from(value, 'utf8'));
    for (const value of valuesOf(metadataOf(object).annotations)) this.add(secretIn(value));
  }

  /** Returns a text with every known value hidden. */
  mask(text: string): string {
    return this.#mask(text, 0);
  }

  /** Returns a sentence of Fieldwise with every known value hidden, except where it is a name in one of its commands or in the field manager of a stack. */
  maskSentence(text: string): string {
    const names = namesIn(text);
    return names.length === 0 ? this.mask(text) : this.#mask(text, 0, names);
  }

  /** Returns the value of a field with every known value hidden. */
  maskJson(value: Json): Json {
    if (this.#values.size === 0) return value;
    return mapScalars(value, (scalar) => (typeof scalar === 'string' ? this.#mask(scalar, minFieldLength) : scalar));
  }

  /** Returns the field of an object with its values hidden as `maskField` hides them, and with every known value hidden in others. */
  maskField<T extends FieldValues>(field: T, object: Json): T {
    return isHiddenField(field.field, object) ? maskField(field, object) : mapValues(field, (value) => this.maskJson(value));
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
      text: this.maskSentence(text),
      objects: objects.map((one) => this.maskSentence(one)),
    }));
    return {
      ...error,
      message: this.maskSentence(error.message),
      ...(error.next === undefined ? {} : { next: this.maskSentence(error.next) }),
      ...(questions ? { questions } : {}),
    };
  }

  /** Returns a warning with every known value hidden. */
  maskWarning(warning: RunDiagnostic): RunDiagnostic {
    const { message, next } = warning;
    return { ...warning, message: this.maskSentence(message), ...(next === undefined ? {} : { next: this.maskSentence(next) }) };
  }

  /** Returns an event with every known value hidden. The fields of Secrets are masked before, by `maskField`. */
  maskEvent(event: DeployEvent): DeployEvent {
    if (this.#values.size === 0) return event;
    if (event.event === 'summary') return { ...event, errors: event.errors.map((error) => this.maskError(error)) };
    if (event.event === 'warning') return this.maskWarning(event);
    if (event.event === 'refused') return { ...event, error: this.maskError(event.error) };
    if (event.event === 'readiness') return { ...event, readiness: this.maskReadiness(event.readiness) };
    return event.event === 'object' ? this.#maskReport(event) : event;
  }

  #maskReport(report: ObjectReport): ObjectReport {
    const {
      forcedConflicts,
      yielded,
      conflicts,
      warnings,
      collateral,
      released,
      changed,
      overwritten,
      rewritten,
      replaced,
      readiness,
      reason,
      error,
    } = report;
    return {
      ...report,
      forcedConflicts: this.#maskValues(forcedConflicts),
      yielded: this.#maskValues(yielded),
      conflicts: this.#maskValues(conflicts),
      warnings: warnings.map((warning) => this.mask(warning)),
      ...(collateral ? { collateral: this.#maskValues(collateral) } : {}),
      ...(released ? { released: released.map((field) => this.#maskReleased(field)) } : {}),
      ...(changed ? { changed: this.#maskValues(changed) } : {}),
      ...(overwritten ? { overwritten: this.#maskValues(overwritten) } : {}),
      ...(rewritten ? { rewritten: this.#maskValues(rewritten) } : {}),
      ...(replaced ? { replaced: this.maskJson(replaced) as JsonObject } : {}),
      ...(readiness === undefined ? {} : { readiness: this.maskReadiness(readiness) }),
      ...(reason === undefined ? {} : { reason: this.maskSentence(reason) }),
      ...(error === undefined ? {} : { error: this.maskError(error) }),
    };
  }

  #maskValues<T extends FieldValues>(fields: readonly T[]): readonly T[] {
    return fields.map((field) => mapValues(field, (value) => this.maskJson(value)));
  }

  #maskReleased(field: ReleasedField): ReleasedField {
    return {
      ...mapValues(field, (value) => this.maskJson(value)),
      ...(field.reason === undefined ? {} : { reason: this.mask(field.reason) }),
      ...(field.collateral ? { collateral: this.#maskValues(field.collateral) } : {}),
    };
  }

  #addValue(bytes: Buffer): void {
    const key = bytes.toString('base64');
    if (this.#values.has(key)) return;
    this.#values.add(key);
    this.#pending.push(bytes);
  }

  #mask(text: string, minLength: number, names: readonly FoundForm[] = []): string {
    if (this.#values.size === 0) return text;
    for (const bytes of this.#pending) for (const form of formsOfValue(bytes)) this.#forms.add(form);
    this.#pending = [];
    const isName = ({ start, end }: FoundForm) => names.some((name) => name.start === start && name.end === end);
    return maskDecoded(text, (one) => this.#forms.replace(one, minLength, masked, one === text ? isName : undefined));
  }
}

/** Returns the places of the names in the commands of Fieldwise in a text, and in the field managers of stacks. */
function namesIn(text: string): readonly FoundForm[] {
  return [...text.matchAll(/`fieldwise [^`\n]+`|(?<![\w./:@-])fieldwise\/[^\s/`'"]+\/[^\s/`'"]+\/[^\s/`'",;]+/g)].flatMap(
    ({ 0: whole, index }) =>
      [...whole.matchAll(/(?<=[\s/:`'])[\w.-]+(?=[\s/:`']|$)/g)].map((name) => {
        const start = index + name.index;
        return { start, end: start + name[0].length };
      }),
  );
}

/** Returns the Secret that a text contains in JSON. */
function secretIn(text: string): Json | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function valuesOf(members: Json | undefined): string[] {
  if (!isJsonObject(members)) return [];
  return Object.values(members).flatMap((value) => {
    if (value === undefined || value === null) return [];
    return [typeof value === 'object' ? stringifyExactJson(value) : String(value)];
  });
}

/** Returns true for a part of a history: revisions contain no values of Secrets, and names in them, such as that of a user, stay readable. */
function isOwnRecord(object: JsonObject | undefined): boolean {
  return object?.type === 'fieldwise.dev/history' && String(metadataOf(object).name).startsWith('fieldwise-history.');
}

/** Returns a view of the cluster that adds the Secrets in the responses to `apply`, `get`, `tryGet` and `replace` to the masker. */
export function withSecretMasking(cluster: ClusterClient, secrets: SecretMasker): ClusterClient {
  const learn = <T extends JsonObject | undefined>(object: T): T => {
    if (!isOwnRecord(object)) secrets.add(object);
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
