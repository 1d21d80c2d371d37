/** One line of the bench: a figure, and where there is one its ratio to a floor or peer measured in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly ratio?: {
    readonly of: string;
    readonly value: number;
    readonly target?: { readonly atMost?: number; readonly atLeast?: number };
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function figureText({ name, value, ratio }: Figure): string {
  const parts = [name.padEnd(62), value.padStart(12)];
  if (ratio) {
    const { target } = ratio;
    const isWithin =
      target &&
      (target.atMost === undefined || ratio.value <= target.atMost) &&
      (target.atLeast === undefined || ratio.value >= target.atLeast);
    const goal = target
      ? ` (target ${target.atMost === undefined ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`}: ${isWithin ? 'met' : 'MISSED'})`
      : '';
    parts.push(`  ${ratio.value.toFixed(2)}× ${ratio.of}${goal}`);
  }
  return parts.join(' ');
}

export function perSecond(value: number): string {
  return `${Math.round(value)}/s`;
}
