import type { Unit } from './import-run.js';

export function printReport(_units: readonly Unit[], _json: boolean, _host: { stdout: (text: string) => void }): void {}
