/** Writes a double as Go's format `g` does. Source: Go's package strconv, FormatFloat. */
export function goDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value === 0 || (exponent >= -4 && exponent < 6)) return plain(value, exponent);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** JavaScript writes small numbers with an exponent where Go does not. */
function plain(value: number, exponent: number): string {
  return exponent < 0 ? value.toFixed(Math.min(100, digitsBehindPoint(value, exponent))) : String(value);
}

function digitsBehindPoint(value: number, exponent: number): number {
  const [digits = ''] = value.toExponential().split('e');
  return digits.replace(/[-.]/g, '').length - 1 - exponent;
}

/** Writes a number with up to 100 digits behind the point: of two that are equally near, the even one. Source: Go's package strconv, FormatFloat. */
export function goFixed(value: number, digits: number): string {
  const sign = value < 0 ? '-' : ''; // A zero has none. Source: observed.
  return `${sign}${fixedSize(Math.abs(value), digits)}`;
}

function fixedSize(size: number, digits: number): string {
  if (size >= 2 ** 53) return `${BigInt(size)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`;
  const [whole = '', fraction = ''] = size.toFixed(100).split('.');
  const kept = fraction.slice(0, digits);
  const isHalf = /^50*$/.test(fraction.slice(digits));
  const isEven = Number(`${whole}${kept}`.at(-1)) % 2 === 0;
  return isHalf && isEven ? `${whole}${digits === 0 ? '' : `.${kept}`}` : size.toFixed(digits);
}
