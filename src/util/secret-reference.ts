import { FieldwiseError } from './error.js';

const environmentKey = 'fieldwise.dev/from-env';
const fileKey = 'fieldwise.dev/from-file';

declare const referenceBrand: unique symbol;

/**
 * A value of a Secret that is read at deploy time. Its type is text, so that builders and cdk8s constructs accept it in place of text. At
 * run time it is an object that only names the source of the value, and using it as text throws.
 */
export type SecretReference = string & { readonly [referenceBrand]: true };

/** The form of a reference in an assembly: an object where the schema requires text, so that a server rejects it unresolved. */
export type ReferenceObject = { readonly [environmentKey]: string } | { readonly [fileKey]: string };

/**
 * Returns a reference to the value that an environment variable has during diff or deploy, for `data` and `stringData` of a Secret. An
 * unset or empty variable is an error before any request.
 *
 * @throws FieldwiseError `reference-invalid` if the name is not a valid variable name.
 */
export function fromEnv(name: string): SecretReference {
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new FieldwiseError('reference-invalid', 'usage', `\`fromEnv\` got ${JSON.stringify(name)}, which names no environment variable`);
  }
  return reference({ [environmentKey]: name }, `fromEnv('${name}')`);
}

/**
 * Returns a reference to the bytes of a file during diff or deploy, for `data` and `stringData` of a Secret. A relative path is resolved
 * against the project: the directory of fieldwise.yaml, or the working directory.
 *
 * @throws FieldwiseError `reference-invalid` if the path is empty or contains a NUL character.
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

/** Returns true if a value is a reference, made by this or another copy of Fieldwise or read from an assembly. */
export function isSecretReference(value: unknown): value is ReferenceObject {
  if (typeof value !== 'object' || value === null) return false;
  const [name, ...others] = Object.keys(value);
  return others.length === 0 && isReferenceKey(name) && typeof (value as Record<string, unknown>)[name as string] === 'string';
}

/** Returns true if a member of this name makes an object a reference. */
export function isReferenceKey(name: string | undefined): boolean {
  return name === environmentKey || name === fileKey;
}

/** Returns the source that a reference names. */
export function sourceOfReference(object: ReferenceObject): { readonly environment: string } | { readonly file: string } {
  return environmentKey in object ? { environment: object[environmentKey] } : { file: object[fileKey] };
}
