import type { TestProject } from 'vitest/node';
import { provideServer } from './global-setup.js';
import { startEmbedded } from './server.js';

/** One embedded API server for all files of a run. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideServer(project, startEmbedded);
}
