import type { IConstruct } from 'constructs';
import { hasBrand } from '../../util/has-brand.js';
import { stackBrand } from '../brand.js';

/** The part of a stack that a policy needs. */
interface NamedStack extends IConstruct {
  readonly manager: string;
}

/** The previous owner of fields that are transferred to an intent. */
export interface TransferFrom {
  /**
   * A stack of the program, its name or its former name (`renamedFrom`), or the name of a field manager, such as `argocd-controller` or the
   * manager of a stack of another program.
   */
  readonly from: NamedStack | string;
  /**
   * Paths of the transferred fields, such as `spec.replicas`; a path covers everything below it.
   *
   * @default all fields that the intent declares
   */
  readonly fields?: readonly string[] | undefined;
}

/** A `TransferFrom` whose previous owner is a text, and field paths with a leading dot. */
export interface ResolvedTransferFrom {
  readonly from: string;
  readonly fields?: readonly string[];
}

/** Parses the policy `transferFrom`: returns it frozen, or an issue as the rest of a sentence. */
export function parseTransferFrom(value: unknown): { readonly value: ResolvedTransferFrom } | { readonly issue: string } {
  if (typeof value !== 'object' || value === null)
    return { issue: "must be an object such as { from: otherStack, fields: ['spec.replicas'] }" };
  const { from, fields, ...others } = value as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return { issue: `has an unknown member ${unknown}; its members are \`from\` and \`fields\`` };
  const manager = hasBrand(from, stackBrand) ? (from as NamedStack).manager : from;
  if (typeof manager !== 'string' || manager === '') return { issue: 'needs `from`: a Stack, its name, or the name of a field manager' };
  if (fields === undefined) return { value: Object.freeze({ from: manager }) };
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every((field) => typeof field === 'string' && field !== ''))
    return { issue: 'needs a list of field paths such as spec.replicas as `fields`' };
  const paths = (fields as string[]).map((field) => (field.startsWith('.') ? field : `.${field}`));
  return { value: Object.freeze({ from: manager, fields: Object.freeze(paths) }) };
}
