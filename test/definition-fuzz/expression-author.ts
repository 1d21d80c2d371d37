import type { Random } from '../corpus/random.js';
import type { Shape } from '../fuzz/fuzz-subject.js';

/** A type as the grammar knows it: `list(int)`, `optional(string)`, `kubernetes.URL`; of a struct, its shape. */
export type ExpressionType = string;

interface Known {
  readonly text: string;
  readonly type: ExpressionType;
}

/** A rule of the grammar: `$int` stands for an expression of a type, `$T` for one of the type that was chosen. */
type Production = readonly [type: ExpressionType, ...texts: readonly string[]];

const productions: readonly Production[] = [
  [
    'bool',
    'true',
    'false',
    '!$bool',
    '$bool && $bool',
    '$bool || $bool',
    '($bool ? $bool : $bool)',
    '$T == $T',
    '$T != $T',
    '$T in $list(T)',
  ],
  ['bool', '$int < $int', '$double <= $double', '$string > $string', '$int >= $double', '$uint < $int', '$duration < $duration'],
  [
    'bool',
    '$timestamp >= $timestamp',
    '$bytes < $bytes',
    '$bool < $bool',
    '$string in $map(string)',
    'type($T) == type($T)',
    'type($T) == string',
  ],
  [
    'bool',
    '$list(T).all(x, $bool)',
    '$list(int).exists(x, x > $int)',
    '$list(string).exists_one(x, x == $string)',
    '$map(string).all(k, k != $string)',
  ],
  [
    'bool',
    '$list(int).all(i, v, i < v)',
    '$map(string).exists(k, v, k == v)',
    '$list(string).existsOne(i, v, v == $string)',
    '$list(int).isSorted()',
  ],
  [
    'bool',
    '$string.contains($string)',
    '$string.startsWith($string)',
    '$string.endsWith($string)',
    "$string.matches('^[a-c]+$')",
    '$string.matches($string)',
  ],
  ['bool', 'sets.contains($list(string), $list(string))', 'sets.equivalent($list(int), $list(int))', 'sets.intersects($list(T), $list(T))'],
  ['bool', 'isURL($string)', 'isIP($string)', 'isCIDR($string)', 'isQuantity($string)', 'isSemver($string)', 'isSemver($string, $bool)'],
  [
    'bool',
    'ip.isCanonical($string)',
    '$net.IP.isLoopback()',
    '$net.IP.isUnspecified()',
    '$net.IP.isGlobalUnicast()',
    '$net.IP.isLinkLocalUnicast()',
  ],
  [
    'bool',
    '$net.CIDR.containsIP($net.IP)',
    '$net.CIDR.containsIP($string)',
    '$net.CIDR.containsCIDR($net.CIDR)',
    '$net.CIDR.containsCIDR($string)',
  ],
  [
    'bool',
    '$kubernetes.Quantity.isInteger()',
    '$kubernetes.Quantity.isGreaterThan($kubernetes.Quantity)',
    '$kubernetes.Quantity.isLessThan($kubernetes.Quantity)',
  ],
  [
    'bool',
    '$kubernetes.Semver.isLessThan($kubernetes.Semver)',
    '$kubernetes.Semver.isGreaterThan($kubernetes.Semver)',
    '$optional(T).hasValue()',
  ],
  [
    'bool',
    'bool($string)',
    "bool('true')",
    'format.dns1123Label().validate($string).hasValue()',
    'format.uuid().validate($string) == optional.none()',
  ],
  ['bool', 'dyn($T) == dyn($T)', 'dyn($int) < $double', "format.named('date').hasValue()", '$string.lowerAscii() == $string'],
  [
    'int',
    '0',
    '1',
    '2',
    '-1',
    '7',
    '9223372036854775807',
    '$int + $int',
    '$int - $int',
    '$int * $int',
    '$int / $int',
    '$int % $int',
    '-$int',
  ],
  [
    'int',
    '($bool ? $int : $int)',
    'int($double)',
    'int($string)',
    'int($uint)',
    'int($timestamp)',
    'int($duration)',
    'size($string)',
    '$list(T).size()',
  ],
  [
    'int',
    '$map(string).size()',
    '$bytes.size()',
    '$list(int).sum()',
    '$list(int).min()',
    '$list(int).max()',
    '$list(T).indexOf($T)',
    '$list(T).lastIndexOf($T)',
  ],
  [
    'int',
    '$string.indexOf($string)',
    '$string.indexOf($string, $int)',
    '$string.lastIndexOf($string)',
    '$string.lastIndexOf($string, $int)',
  ],
  [
    'int',
    '$duration.getSeconds()',
    '$duration.getHours()',
    '$duration.getMilliseconds()',
    '$timestamp.getFullYear()',
    '$timestamp.getMonth()',
  ],
  [
    'int',
    '$timestamp.getDayOfWeek()',
    '$timestamp.getDayOfYear()',
    '$timestamp.getDate()',
    "$timestamp.getHours('+02:30')",
    '$timestamp.getMinutes()',
  ],
  [
    'int',
    '$kubernetes.URL.getPort().size()',
    '$net.IP.family()',
    '$net.CIDR.prefixLength()',
    '$kubernetes.Quantity.asInteger()',
    '$kubernetes.Quantity.sign()',
  ],
  [
    'int',
    '$kubernetes.Quantity.compareTo($kubernetes.Quantity)',
    '$kubernetes.Semver.major()',
    '$kubernetes.Semver.patch()',
    '$optional(int).orValue($int)',
  ],
  [
    'int',
    '$kubernetes.Semver.compareTo($kubernetes.Semver)',
    '$optional(int).value()',
    '$list(int)[$int]',
    '$list(int).first().orValue($int)',
  ],
  ['uint', '1u', '0u', '5u', '$uint + $uint', '$uint - $uint', 'uint($int)', 'uint($string)', '$uint * $uint', '$uint % $uint'],
  [
    'double',
    '1.5',
    '0.0',
    '-2.25',
    '1e10',
    '$double + $double',
    '$double * $double',
    '$double / $double',
    'double($int)',
    'double($string)',
    '-$double',
  ],
  ['double', '$kubernetes.Quantity.asApproximateFloat()', '$list(double).sum()', '$list(double).max()', '($bool ? $double : $double)'],
  [
    'string',
    "'a'",
    "'b'",
    "''",
    "'abc'",
    "'é😀'",
    "'1.2.3'",
    "'10.0.0.1'",
    "'https://a.b:80/c?d=e'",
    "'1Gi'",
    "'[a-b]+'",
    '"q\\"\\n"',
    "r'\\d'",
  ],
  [
    'string',
    '$string + $string',
    '($bool ? $string : $string)',
    'string($int)',
    'string($double)',
    'string($bool)',
    'string($uint)',
    'string($duration)',
  ],
  [
    'string',
    'string($timestamp)',
    'string($bytes)',
    'string($net.IP)',
    'string($net.CIDR)',
    '$string.lowerAscii()',
    '$string.upperAscii()',
    '$string.trim()',
  ],
  [
    'string',
    '$string.charAt($int)',
    '$string.substring($int)',
    '$string.substring($int, $int)',
    '$string.replace($string, $string)',
    "$string.find('[a-b]+')",
  ],
  [
    'string',
    '$string.replace($string, $string, $int)',
    '$list(string).join()',
    "$list(string).join('-')",
    'strings.quote($string)',
    '$string.find($string)',
  ],
  [
    'string',
    "'%s'.format([$T])",
    "'%d-%s'.format([$int, $string])",
    "'%.2f'.format([$double])",
    "'%x'.format([$string])",
    "'%e'.format([$double])",
  ],
  ['string', "'%b'.format([$int])", "'%o'.format([$int])", "'%s'.format([$list(T)])", "'%s'.format([$map(string)])", "'%X'.format([$int])"],
  [
    'string',
    '$kubernetes.URL.getHost()',
    '$kubernetes.URL.getScheme()',
    '$kubernetes.URL.getEscapedPath()',
    '$kubernetes.URL.getHostname()',
  ],
  [
    'string',
    '$optional(string).orValue($string)',
    '$optional(string).value()',
    '$list(string)[$int]',
    "$map(string)['a']",
    '$map(string)[$string]',
  ],
  ['bytes', "b'ab'", "b'\\xff'", 'bytes($string)', '$bytes + $bytes'],
  [
    'duration',
    "duration('1h')",
    "duration('1m30s')",
    'duration($string)',
    '$duration + $duration',
    '$duration - $duration',
    '$timestamp - $timestamp',
  ],
  [
    'timestamp',
    "timestamp('2024-02-29T12:30:45.5Z')",
    'timestamp($int)',
    '$timestamp + $duration',
    '$timestamp - $duration',
    'timestamp($string)',
  ],
  ['kubernetes.URL', "url('https://a.b:80/c?d=e')", "url('/x')", 'url($string)'],
  ['net.IP', "ip('10.0.0.1')", "ip('fe80::1')", 'ip($string)', '$net.CIDR.ip()'],
  ['net.CIDR', "cidr('10.0.0.0/8')", "cidr('fe80::/10')", 'cidr($string)', '$net.CIDR.masked()'],
  ['kubernetes.Quantity', "quantity('1Gi')", "quantity('1.5')", 'quantity($string)', '$kubernetes.Quantity.add($kubernetes.Quantity)'],
  [
    'kubernetes.Quantity',
    '$kubernetes.Quantity.sub($int)',
    '$kubernetes.Quantity.add($int)',
    '$kubernetes.Quantity.sub($kubernetes.Quantity)',
  ],
  ['kubernetes.Semver', "semver('1.2.3-a')", "semver('v1.2', true)", 'semver($string)', 'semver($string, $bool)'],
  [
    'optional(T)',
    'optional.of($T)',
    'optional.none()',
    'optional.ofNonZeroValue($T)',
    '$optional(T).or($optional(T))',
    '$list(T)[?$int]',
    '$list(T).first()',
  ],
  ['optional(T)', '$list(T).last()', '$optional(T).optMap(o, o)', '$optional(T).optFlatMap(o, optional.of(o))'],
  ['optional(string)', "$map(string)[?'a']", '$map(string).?a'],
  [
    'list(T)',
    '[]',
    '[$T]',
    '[$T, $T]',
    '[?$optional(T), $T]',
    '$list(T) + $list(T)',
    '$list(T).filter(x, $bool)',
    '$list(T).map(x, x)',
    '$list(T).distinct()',
  ],
  [
    'list(T)',
    '$list(T).reverse()',
    '$list(T).slice($int, $int)',
    '[$list(T)].flatten()',
    '($bool ? $list(T) : $list(T))',
    '$list(T).transformList(i, v, v)',
  ],
  ['list(T)', '$list(T).map(x, $bool, $T)', '$list(T).sort()', '$list(T).sortBy(x, x)'],
  // A long range of constants takes the real server its memory when the rule is read, before any cost is counted.
  ['list(int)', 'lists.range($int % 7)', '[1, 2, 3]', '$list(string).map(x, x.size())', '$list(string).transformList(i, v, i)'],
  [
    'list(string)',
    "$string.split(',')",
    "$string.split('', $int)",
    '$map(string).map(k, k)',
    "$string.findAll('[a-b]')",
    '$map(string).transformList(k, v, k + v)',
  ],
  [
    'list(string)',
    "$kubernetes.URL.getQuery()['d']",
    "format.dns1123Label().validate('A').value()",
    "$string.findAll('[a-b]', $int)",
    "['a', 'b']",
  ],
  [
    'map(string)',
    "{'a': $string}",
    '{}',
    "{'a': $string, $string: $string}",
    '$map(string).transformMap(k, v, v + k)',
    "{?'a': $optional(string)}",
  ],
  [
    'map(string)',
    '$map(string).transformMapEntry(k, v, {v: k})',
    '$list(string).transformMap(i, v, v).transformList(k, v, v).transformMapEntry(i, v, {v: v})',
  ],
];

const elements = ['int', 'string', 'bool', 'double', 'uint', 'duration'];
const others = ['timestamp', 'bytes', 'net.IP', 'kubernetes.Quantity', 'list(int)', 'map(string)'];

/** Writes random expressions over the value that a shape describes, mostly of the right types. */
export class ExpressionAuthor {
  readonly #random: Random;
  readonly #known: readonly Known[];

  constructor(random: Random, shape: Shape, roots: readonly string[]) {
    this.#random = random;
    this.#known = roots.flatMap((root) => reachable(root, shape, 0));
  }

  /** An expression of a type; deeper ones have no more than the shortest forms. */
  expression(wanted: ExpressionType, depth = 0): string {
    const random = this.#random;
    const type = random.chance(0.004) ? random.pick([...elements, ...others]) : wanted;
    const known = this.#known.filter((each) => each.type === type);
    if (known.length > 0 && random.chance(depth === 0 ? 0.15 : 0.5)) return random.pick(known).text;
    const element = /^(?:list|optional)\((.*)\)$/.exec(type)?.[1] ?? random.pick(random.chance(0.8) ? elements : others);
    const texts = productions.flatMap(([of, ...list]) => (of === type || of === type.replace(`(${element})`, '(T)') ? list : []));
    if (texts.length === 0) return random.pick([...this.#known.map(({ text }) => text), '1', "'a'"]);
    const simple = texts.filter((text) => !text.includes('$'));
    const text =
      depth >= 3 || random.chance(0.1 * depth) ? random.pick(simple.length > 0 ? simple : texts.slice(0, 1)) : random.pick(texts);
    return this.#written(text, element, depth + 1);
  }

  /** An expression that does not parse or does not type. */
  broken(): string {
    const text = this.expression('bool');
    const at = this.#random.below(text.length);
    return text.slice(0, at) + this.#random.pick(['', ' ', ')', '.', '?', "'", '+', 'x', '1']) + text.slice(at + this.#random.below(2));
  }

  #written(text: string, element: string, depth: number): string {
    return text.replace(
      /\$((?:kubernetes|net)\.(?:URL|Quantity|Semver|IP|CIDR)|(?:list|optional|map)\(\w+\)|[a-z]+|T)/g,
      (_, found: string) => {
        const type = found === 'T' ? element : found.replace('(T)', `(${element})`);
        const inner = this.expression(type, depth);
        return /^[-!\d]|[ ?]/.test(inner) && !/^[[({'"]/.test(inner) ? `(${inner})` : inner;
      },
    );
  }
}

/** The expressions that reach the parts of a value, as a rule writes them, with their types. */
function reachable(text: string, shape: Shape, depth: number): readonly Known[] {
  const type = typeOf(shape);
  const own = type === undefined ? [] : [{ text, type }];
  if (depth > 3) return own;
  const inner = Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const escaped = name.replace(/-/g, '__dash__').replace(/\./g, '__dot__');
    const memberType = typeOf(member);
    return [
      { text: `has(${text}.${escaped})`, type: 'bool' },
      ...(memberType === undefined ? [] : [{ text: `${text}.?${escaped}`, type: `optional(${memberType})` }]),
      ...reachable(`${text}.${escaped}`, member, depth + 1),
    ];
  });
  const items = shape.type === 'array' && shape.items !== undefined ? reachable(`${text}[0]`, shape.items, depth + 2) : [];
  const values = shape.additionalProperties === undefined ? [] : reachable(`${text}['a']`, shape.additionalProperties, depth + 2);
  const generic = shape.type === 'array' ? [{ text: `${text}.all(x, ${text}.exists(y, x == y))`, type: 'bool' }] : [];
  return [...own, ...inner, ...items, ...values, ...generic, { text: `${text} == ${text}`, type: 'bool' }];
}

function typeOf(shape: Shape): ExpressionType | undefined {
  const { type, format, items, additionalProperties } = shape;
  if (shape['x-kubernetes-int-or-string'] === true) return undefined;
  if (type === 'string')
    return format === 'duration'
      ? 'duration'
      : format === 'date-time' || format === 'date'
        ? 'timestamp'
        : format === 'byte'
          ? 'bytes'
          : 'string';
  if (type === 'integer') return 'int';
  if (type === 'number') return 'double';
  if (type === 'boolean') return 'bool';
  const element = items ?? additionalProperties;
  const inner = element === undefined ? undefined : typeOf(element);
  if (type === 'array') return inner === undefined ? undefined : `list(${inner})`;
  return additionalProperties === undefined ? undefined : inner === 'string' ? 'map(string)' : undefined;
}
