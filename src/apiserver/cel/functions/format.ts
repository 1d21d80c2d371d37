import { isDate, isDateTime } from '../../../util/dates.js';
import { labelValueErrors, nameTexts, qualifiedNameErrors } from '../../../util/name-text.js';
import { urlProblem } from '../../../util/url-parts.js';
import { listOf, opaqueType, optionalOf, stringType } from '../types/cel-type.js';
import { CelList, CelOpaque, CelOptional, emptyOptional } from '../values/value.js';
import { type Library, method, overload } from './overload.js';

type Check = (text: string) => readonly string[];

class Format extends CelOpaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly check: Check;
  /** The size of the longest expression that the format may need, by which the server counts its cost. */
  readonly regexSize: number;

  constructor(name: string, regexSize: number, check: Check) {
    super();
    this.name = name;
    this.regexSize = regexSize;
    this.check = check;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** Validates a name; as a prefix, it may end with a hyphen. */
const name = (kind: 'label' | 'label1035' | 'subdomain', isPrefix = false): Check => {
  const { pattern, text, length } = nameTexts[kind];
  return (value) => {
    const whole = isPrefix && value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value;
    return [...(whole.length > length ? [`must be no more than ${length} characters`] : []), ...(pattern.test(whole) ? [] : [text])];
  };
};

const test =
  (isValid: (text: string) => boolean, problem: string): Check =>
  (text) =>
    isValid(text) ? [] : [problem];
const isUuid = (text: string) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

function uriErrors(text: string): readonly string[] {
  const problem = urlProblem(text);
  return problem === undefined ? [] : [problem];
}

const formats: Readonly<Record<string, Format>> = Object.fromEntries(
  (
    [
      ['dns1123Label', 30, name('label')],
      ['dns1123Subdomain', 60, name('subdomain')],
      ['dns1035Label', 30, name('label1035')],
      ['qualifiedName', 60, qualifiedNameErrors],
      ['dns1123LabelPrefix', 30, name('label', true)],
      ['dns1123SubdomainPrefix', 60, name('subdomain', true)],
      ['dns1035LabelPrefix', 30, name('label1035', true)],
      ['labelValue', 40, labelValueErrors],
      ['uri', 1000, uriErrors],
      ['uuid', 100, test(isUuid, 'does not match the UUID format')],
      ['byte', 100, test(isBase64, 'invalid base64')],
      ['date', 150, test(isDate, 'invalid date')],
      ['datetime', 150, test(isDateTime, 'invalid datetime')],
    ] as const
  ).map(([key, size, check]) => [key, new Format(key, size, check)]),
);

function validate({ check }: Format, text: string): CelOptional {
  const errors = check(text);
  return errors.length === 0 ? emptyOptional : new CelOptional(new CelList(errors));
}

const formatType = opaqueType('kubernetes.NamedFormat');
const named = (key: string) => (Object.hasOwn(formats, key) ? new CelOptional(formats[key] as Format) : emptyOptional);

/** Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes format library". */
export const formatFunctions: Library = {
  'format.named': [overload('format-named', [stringType], optionalOf(formatType), named)],
  validate: [method('format-validate', [formatType, stringType], optionalOf(listOf(stringType)), validate)],
  ...Object.fromEntries(
    Object.entries(formats).map(([key, format]) => [`format.${key}`, [overload(`format.${key}`, [], formatType, () => format)]]),
  ),
};
