import { FieldwiseError } from './error.js';

const environmentKey = 'fieldwise.dev/from-env';
const fileKey = 'fieldwise.dev/from-file';

declare const referenceBrand: unique symbol;

/**
 * A value of a Secret that is read when the stack is deployed. To the type checker it is text, so that builders and cdk8s constructs
 * take it where they take text; in fact it is an object that only says where the value is, and using it as text throws.
 */
export type SecretReference = string & { readonly [referenceBrand]: true };

/** What a reference is in an assembly: an object where the schema wants text, so that a server refuses it unresolved. */
export type ReferenceObject = { readonly [environmentKey]: string } | { readonly [fileKey]: string };

/**
 * The value of an environment variable at the time of diff or deploy, for `data` and `stringData` of a Secret. Unset or empty is an
 * error before any request.
 *
 * @throws FieldwiseError `reference-invalid`.
 */
export function fromEnv(name: string): SecretReference {
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new FieldwiseError('reference-invalid', 'usage', `\`fromEnv\` got ${JSON.stringify(name)}, which names no environment variable`);
  }
  return reference({ [environmentKey]: name }, `fromEnv('${name}')`);
}

/**
 * The content of a file at the time of diff or deploy, byte by byte, for `data` and `stringData` of a Secret. A relative path belongs
 * to the project: the directory of fieldwise.yaml, else the working directory.
 *
 * @throws FieldwiseError `reference-invalid`.
 */
export function fromFile(path: string): SecretReference {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw new FieldwiseError('reference-invalid', 'usage', `\`fromFile\` got ${JSON.stringify(path)}, which names no file`);
  }
  return reference({ [fileKey]: path }, `fromFile('${path}')`);
}

function reference(object: ReferenceObject, text: string): SecretReference {
  const refuse = () => {
    throw new FieldwiseError('reference-misplaced', 'usage', `${text} is used as text, and its value is known only at deploy`, {
      next: 'Give it as a whole value of data or stringData of a Secret.',
    });
  };
  for (const name of ['toString', 'valueOf', Symbol.toPrimitive]) Object.defineProperty(object, name, { value: refuse });
  return Object.freeze(object) as unknown as SecretReference;
}

/** Whether a value is a reference, be it made by this copy of Fieldwise, by another or read from an assembly. */
export function isSecretReference(value: unknown): value is ReferenceObject {
  if (typeof value !== 'object' || value === null) return false;
  const [name, ...others] = Object.keys(value);
  return others.length === 0 && isReferenceKey(name) && typeof (value as Record<string, unknown>)[name as string] === 'string';
}

/** Whether a member of this name makes an object a reference. */
export function isReferenceKey(name: string | undefined): boolean {
  return name === environmentKey || name === fileKey;
}

/** What a reference points to. */
export function sourceOfReference(object: ReferenceObject): { readonly environment: string } | { readonly file: string } {
  return environmentKey in object ? { environment: object[environmentKey] } : { file: object[fileKey] };
}
