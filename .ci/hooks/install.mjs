import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

// Run by `prepare`: sets the hooks of a clone that has none of its own. Outside of a clone, or without git, it does nothing.
const git = (...words) => {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};
const isOwnClone = git('rev-parse', '--show-prefix') === '' && git('ls-files', '.ci/hooks/install.mjs') !== '';
const hooks = git('rev-parse', '--git-path', 'hooks');
const hasHooks = hooks !== undefined && existsSync(hooks) && readdirSync(hooks).some((name) => !name.endsWith('.sample'));
if (isOwnClone && git('config', 'core.hooksPath') === undefined && !hasHooks) git('config', '--local', 'core.hooksPath', '.ci/hooks');
