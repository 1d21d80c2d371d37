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

/** Reads a version of Semantic Versioning 2.0; returns the problem of another text. */
function parseSemver(text: string): Semver | string {
  const [withoutBuild = '', ...builds] = text.split('+');
  const dash = withoutBuild.indexOf('-');
  const core = (dash < 0 ? withoutBuild : withoutBuild.slice(0, dash)).split('.');
  const prerelease = dash < 0 ? [] : withoutBuild.slice(dash + 1).split('.');
  if (text === '') return 'Version string empty';
  if (core.length !== 3) return 'No Major.Minor.Patch elements found';
  const names = ['major', 'minor', 'patch'];
  const wrong = core.findIndex((part) => !number.test(part) || BigInt(part) > maxNumber);
  if (wrong >= 0) {
    const part = core[wrong] ?? '';
    const isZero = /^\d+$/.test(part) && part.startsWith('0') && part.length > 1;
    const name = names[wrong] ?? '';
    if (isZero) return `${name.charAt(0).toUpperCase()}${name.slice(1)} number must not contain leading zeroes "${part}"`;
    return `Invalid character(s) found in ${name} number "${part}"`;
  }
  const build = builds.length === 0 ? [] : builds.join('+').split('.');
  const unfit = [...prerelease, ...build].find((part) => !identifier.test(part));
  if (unfit !== undefined) return unfit === '' ? 'Prerelease is empty' : `Invalid character(s) found in prerelease "${unfit}"`;
  const leading = prerelease.find((part) => /^\d+$/.test(part) && !number.test(part));
  if (leading !== undefined) return `Numeric PreRelease version must not contain leading zeroes "${leading}"`;
  return new Semver(core.map(BigInt), prerelease);
}

/** Adds what a version lacks, and removes a leading `v` and leading zeros. */
function normalized(text: string): string {
  const trimmed = text.trim().replace(/^v/, '');
  const end = trimmed.search(/[-+]/);
  const core = (end < 0 ? trimmed : trimmed.slice(0, end)).split('.');
  const rest = end < 0 ? '' : trimmed.slice(end);
  if (core.length > 3) return trimmed;
  const parts = core.map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  return `${parts.join('.')}${rest}`;
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

function read(text: string): Semver {
  const parsed = parseSemver(text);
  if (typeof parsed === 'string') throw new EvaluationError(parsed);
  return parsed;
}

const semverType = opaqueType('kubernetes.Semver');
const s = semverType;
const isSemver = (text: string) => typeof parseSemver(text) !== 'string';
const textOf = (text: string, isNormalized: boolean) => (isNormalized ? normalized(text) : text);
const part =
  (index: number) =>
  ({ numbers }: Semver) =>
    numbers[index] as bigint;

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes semver library". */
export const semvers: Library = {
  semver: [
    overload('string_to_semver', [stringType], s, read),
    overload('string_bool_to_semver', [stringType, boolType], s, (text: string, flag: boolean) => read(textOf(text, flag))),
  ],
  isSemver: [
    overload('is_semver_string', [stringType], boolType, isSemver),
    overload('is_semver_string_bool', [stringType, boolType], boolType, (text: string, flag: boolean) => isSemver(textOf(text, flag))),
  ],
  isGreaterThan: [method('semver_is_greater_than', [s, s], boolType, (left: Semver, right: Semver) => orderOf(left, right) > 0)],
  isLessThan: [method('semver_is_less_than', [s, s], boolType, (left: Semver, right: Semver) => orderOf(left, right) < 0)],
  compareTo: [method('semver_compare_to', [s, s], intType, (left: Semver, right: Semver) => BigInt(orderOf(left, right)))],
  major: [method('semver_major', [s], intType, part(0))],
  minor: [method('semver_minor', [s], intType, part(1))],
  patch: [method('semver_patch', [s], intType, part(2))],
};
