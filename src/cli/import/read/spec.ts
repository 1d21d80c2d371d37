import { FieldwiseError } from '../../../util/error.js';
import { shownSpec } from './url.js';

/** The source of builders that one argument of the command line, or one item of `imports`, names. */
export type ImportSpec = {
  /** The spec as written, without credentials and tokens of an address; a key of the lock file. */
  readonly text: string;
  /** `NAME` of `NAME:=SPEC`: a prefix of the written directories, so that two sources can contain the same API group. */
  readonly name: string;
} & (
  | { readonly kind: 'k8s'; readonly version?: string }
  | { readonly kind: 'stdin' }
  /** `url` may contain a password or a token, and must not appear in messages. */
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'github'; readonly owner: string; readonly repo: string; readonly ref: string; readonly path: string }
  /** The name of a CRD, an API group or a group-version of a cluster; `wanted` is empty for every CRD. */
  | { readonly kind: 'cluster'; readonly wanted: string }
  | { readonly kind: 'path'; readonly path: string }
);

/**
 * Reads `[NAME:=]SPEC`.
 *
 * @param fromCluster plain names are names in a cluster, not files.
 * @throws FieldwiseError `spec-invalid`.
 */
export function parseSpec(text: string, fromCluster: boolean): ImportSpec {
  const mark = text.indexOf(':=');
  const name = mark < 0 ? '' : text.slice(0, mark);
  const source = mark < 0 ? text : text.slice(mark + 2);
  if (mark >= 0 && !/^[A-Za-z0-9][\w.-]*$/.test(name)) {
    throw invalid(
      text,
      `${JSON.stringify(name)} cannot be part of the name of a directory`,
      'Write NAME:=SPEC with a NAME of letters, digits, dots, - and _.',
    );
  }
  if (source === '') throw invalid(text, 'it does not name a source', 'Write a file, a directory, a URL, - or k8s.');
  const base = { text: shownSpec(text), name };
  const k8s = /^k8s(?:@v?(.+))?$/.exec(source);
  if (k8s !== null) return { ...base, kind: 'k8s', ...(k8s[1] === undefined ? {} : { version: k8s[1] }) };
  if (source === '-') return { ...base, kind: 'stdin' };
  if (/^https?:\/\//i.test(source)) return { ...base, kind: 'url', url: checkedUrl(source, text) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source))
    throw invalid(text, 'URLs of this scheme cannot be read', 'Write an http:// or https:// URL, or download the file and pass its path.');
  if (source.startsWith('github:')) return { ...base, kind: 'github', ...githubParts(source.slice('github:'.length), text) };
  if (source.startsWith('cluster:')) return { ...base, kind: 'cluster', wanted: source.slice('cluster:'.length) };
  if (fromCluster) return { ...base, text: `${mark < 0 ? '' : `${name}:=`}cluster:${source}`, kind: 'cluster', wanted: source };
  return { ...base, kind: 'path', path: source };
}

function checkedUrl(source: string, text: string): string {
  if (URL.canParse(source)) return source;
  throw invalid(text, 'it is not a valid URL', 'Write http:// or https://, a host and a path.');
}

/** Parses `OWNER/REPO[@REF][/PATH]`; a `/` inside REF is written as `%2F`. */
function githubParts(source: string, text: string) {
  const match = /^([\w.-]+)\/([\w.-]+)(?:@([^/]+))?(?:\/(.*))?$/.exec(source);
  const [, owner = '', repo = '', ref = 'HEAD', path = ''] = match ?? [];
  const decoded = /%2f/i.test(ref) ? ref.replace(/%2f/gi, '/') : ref;
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  const odd = [owner, repo, ...decoded.split('/'), ...steps].some((step) => step === '..' || step === '.');
  if (match === null || odd || !/^[\w./+-]+$/.test(decoded)) {
    throw invalid(
      text,
      'it is not a GitHub repository',
      'Write github:OWNER/REPO@REF, or github:OWNER/REPO@REF/PATH for a file or directory in the repository.',
    );
  }
  return { owner, repo, ref: decoded, path: steps.join('/') };
}

function invalid(text: string, what: string, next: string): FieldwiseError {
  return new FieldwiseError('spec-invalid', 'usage', `The source ${JSON.stringify(shownSpec(text))} is invalid: ${what}`, { next });
}

/**
 * Returns each spec once. Rejects different addresses with the same key in the lock file, which contains no tokens.
 *
 * @throws FieldwiseError `spec-twice`.
 */
export function distinctSpecs(specs: readonly ImportSpec[]): readonly ImportSpec[] {
  const known = new Map<string, ImportSpec>();
  for (const spec of specs) {
    const before = known.get(spec.text) ?? spec;
    known.set(spec.text, before);
    if (before.kind !== 'url' || spec.kind !== 'url' || before.url === spec.url) continue;
    throw new FieldwiseError('spec-twice', 'usage', `Two URLs differ only in parts that the lock file omits: ${spec.text}`, {
      next: 'Separate them with NAME:=SPEC.',
    });
  }
  return [...known.values()];
}
