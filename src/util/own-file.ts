import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownModule } from './own-module.js';

/** Returns a path relative to the directory of this module, or of a bundle, which lies as deep in `src`. It need not exist. */
export function ownFile(relative: string): string {
  return path.resolve(ownModule.startsWith('file:') ? fileURLToPath(ownModule) : ownModule, '..', relative);
}
