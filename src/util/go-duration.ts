const form = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const nanoseconds: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 36e11 };

/** Returns the nanoseconds of a duration such as `1h30m`; undefined for another text. Source: Go, package time, ParseDuration. */
export function goDuration(text: string): number | undefined {
  if (!form.test(text)) return undefined;
  const parts = text.replace(/^[-+]/, '').split(/(?<=[a-zµμ])(?=[\d.])/);
  const sizes = parts.map((part) => Number.parseFloat(part) * (nanoseconds[part.replace(/^[\d.]+/, '')] ?? 0));
  const sum = sizes.reduce((total, size) => total + size, 0);
  return text.startsWith('-') ? -sum : sum;
}
