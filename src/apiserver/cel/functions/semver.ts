import { quote } from '../../../util/quote.js';
import { boolType, intType, opaqueType, stringType } from '../types/cel-type.js';
import { CelOpaque, EvaluationError } from '../values/value.js';
import { type Library, method, overload } from './overload.js';

class Semver extends CelOpaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Semver && orderOf(this, other) === 0;
  }
}

const number = /^(0|[1-9]\d*)$/;
const identifier = /^[0-9A-Za-z-]+$/;
const maxNumber = 2n ** 64n - 1n;

/** Reads a version of Semantic Versioning 2.0; returns the problem of another text, in the words of the server's library. */
function parseSemver(text: string): Semver | string {
  if (text === '') return 'Version string empty';
  const [major, minor, rest] = threeParts(text);
  if (major === undefined || minor === undefined || rest === undefined) return 'No Major.Minor.Patch elements found';
  const plus = rest.indexOf('+');
  const withoutBuild = plus < 0 ? rest : rest.slice(0, plus);
  const dash = withoutBuild.indexOf('-');
  const core = { major, minor, patch: dash < 0 ? withoutBuild : withoutBuild.slice(0, dash) };
  const prerelease = dash < 0 ? [] : withoutBuild.slice(dash + 1).split('.');
  const build = plus < 0 ? [] : rest.slice(plus + 1).split('.');
  const problem =
    Object.entries(core).flatMap(([name, part]) => numberProblem(name, part))[0] ??
    prerelease.flatMap(prereleaseProblem)[0] ??
    build.flatMap(buildProblem)[0];
  return problem ?? new Semver(Object.values(core).map(BigInt), prerelease);
}

/** Splits at the first two dots. */
function threeParts(text: string): readonly string[] {
  const [first = '', second, ...others] = text.split('.');
  if (second === undefined) return [first];
  return others.length === 0 ? [first, second] : [first, second, others.join('.')];
}

function numberProblem(name: string, part: string): readonly string[] {
  if (!/^\d*$/.test(part)) return [`Invalid character(s) found in ${name} number ${quote(part)}`];
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (part.length > 1 && part.startsWith('0')) return [`${title} number must not contain leading zeroes ${quote(part)}`];
  if (part === '') return [`strconv.ParseUint: parsing ${quote(part)}: invalid syntax`];
  return BigInt(part) > maxNumber ? [outOfRange(part)] : [];
}

const outOfRange = (part: string) => `strconv.ParseUint: parsing ${quote(part)}: value out of range`;

function prereleaseProblem(part: string): readonly string[] {
  if (part === '') return ['Prerelease is empty'];
  if (/^\d+$/.test(part)) {
    if (!number.test(part)) return [`Numeric PreRelease version must not contain leading zeroes ${quote(part)}`];
    return BigInt(part) > maxNumber ? [outOfRange(part)] : [];
  }
  return identifier.test(part) ? [] : [`Invalid character(s) found in prerelease ${quote(part)}`];
}

function buildProblem(part: string): readonly string[] {
  if (part === '') return ['Build meta data is empty'];
  return identifier.test(part) ? [] : [`Invalid character(s) found in build meta data ${quote(part)}`];
}

/** Reads a version that may lack parts, and have a leading `v` and leading zeros. */
function parseTolerant(text: string): Semver | string {
  const parts = threeParts(text.replace(/^v/, '')).map((part) =>
    Buffer.byteLength(part) > 1 ? part.replace(/^0*(?=\d)/, '').replace(/^0*(?=\D|$)/, '0') : part,
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return 'short version cannot contain PreRelease/Build meta data';
  while (parts.length < 3) parts.push('0');
  return parseSemver(parts.join('.'));
}

function orderOf(left: Semver, right: Semver): number {
  for (const [index, part] of left.numbers.entries()) {
    const other = right.numbers[index] as bigint;
    if (part !== other) return part < other ? -1 : 1;
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) return Math.sign(right.prerelease.length - left.prerelease.length);
  for (let index = 0; index < Math.max(left.prerelease.length, right.prerelease.length); index++) {
    const order = identifierOrder(left.prerelease[index], right.prerelease[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function identifierOrder(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
  const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isLeft && isRight) return BigInt(left) < BigInt(right) ? -1 : 1;
  if (isLeft !== isRight) return isLeft ? -1 : 1;
  return left < right ? -1 : 1;
}

function read(text: string, isTolerant = false): Semver {
  const parsed = isTolerant ? parseTolerant(text) : parseSemver(text);
  if (typeof parsed === 'string') throw new EvaluationError(parsed);
  return parsed;
}

const semverType = opaqueType('kubernetes.Semver');
const s = semverType;
const isSemver = (text: string, isTolerant = false) => typeof (isTolerant ? parseTolerant(text) : parseSemver(text)) !== 'string';
const part =
  (index: number) =>
  ({ numbers }: Semver) =>
    BigInt.asIntN(64, numbers[index] as bigint); // from 2^63 on negative. Source: observed.

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes semver library". */
export const semvers: Library = {
  semver: [
    overload('string_to_semver', [stringType], s, (text: string) => read(text)),
    overload('string_bool_to_semver', [stringType, boolType], s, read),
  ],
  isSemver: [
    overload('is_semver_string', [stringType], boolType, (text: string) => isSemver(text)),
    overload('is_semver_string_bool', [stringType, boolType], boolType, isSemver),
  ],
  isGreaterThan: [method('semver_is_greater_than', [s, s], boolType, (left: Semver, right: Semver) => orderOf(left, right) > 0)],
  isLessThan: [method('semver_is_less_than', [s, s], boolType, (left: Semver, right: Semver) => orderOf(left, right) < 0)],
  compareTo: [method('semver_compare_to', [s, s], intType, (left: Semver, right: Semver) => BigInt(orderOf(left, right)))],
  major: [method('semver_major', [s], intType, part(0))],
  minor: [method('semver_minor', [s], intType, part(1))],
  patch: [method('semver_patch', [s], intType, part(2))],
};
