import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { nearestWith } from '../../util/nearest-with.js';
import type { PackageManifest } from './package-manifest.js';

/** The package manager of a project, and its commands. */
export interface PackageManager {
  readonly lockFile: string;
  readonly install: string;
  /** The command in front of the name of a package to install. */
  readonly add: string;
  /** The steps of a workflow that install exactly what the lock file says. */
  readonly steps: string;
  /** Returns the command that runs a script with words. */
  readonly run: (script: string, words?: string) => string;
}

/**
 * Returns the package manager of a project by `packageManager` of its package.json, else by the nearest lock file: that of a workspace is above its
 * packages.
 */
export function packageManagerOf(directory: string, manifest: PackageManifest | undefined): PackageManager {
  const named = typeof manifest?.packageManager === 'string' ? manifest.packageManager.split('@')[0] : undefined;
  const depth = (name: string) => nearestWith(directory, name)?.length ?? 0;
  const locks = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'].sort((one, other) => depth(other) - depth(one));
  const lockFile = named === undefined ? locks[0] : lockFiles[named];
  if (lockFile === 'pnpm-lock.yaml') return pnpm(named !== undefined, lockText(directory, lockFile));
  if (lockFile === 'yarn.lock') return yarn(manifest?.packageManager, lockText(directory, lockFile));
  return npm;
}

const lockFiles: Readonly<Record<string, string>> = { pnpm: 'pnpm-lock.yaml', yarn: 'yarn.lock' };

function lockText(directory: string, name: string): string {
  const file = path.join(nearestWith(directory, name) ?? directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8').slice(0, 1_000) : '';
}

const npm: PackageManager = {
  lockFile: 'package-lock.json',
  install: 'npm install',
  add: 'npm install',
  steps: `${setupNode('npm')}      - run: npm ci\n`,
  run: (script, words = '') => `npm run ${script}${words === '' ? '' : ` -- ${words}`}`,
};

/** @param isNamed true if package.json names the version, which the action reads then. */
function pnpm(isNamed: boolean, lock: string): PackageManager {
  const format = /^lockfileVersion: '?(\d+)/m.exec(lock)?.[1];
  const version = format === '5' ? 7 : format === '6' ? 8 : 10;
  const setup = `      - uses: pnpm/action-setup@v4\n${isNamed ? '' : `        with: { version: ${version} }\n`}`;
  return {
    lockFile: 'pnpm-lock.yaml',
    install: 'pnpm install',
    add: 'pnpm add',
    steps: `${setup}${setupNode('pnpm')}      - run: pnpm install --frozen-lockfile\n`,
    run: (script, words = '') => `pnpm run ${script}${words === '' ? '' : ` ${words}`}`,
  };
}

/** Yarn from 2 on comes by corepack, has another flag, and makes node_modules only with a setting. */
function yarn(version: unknown, lock: string): PackageManager {
  const isClassic = typeof version === 'string' ? /^yarn@[01]\./.test(version) : lock.includes('# yarn lockfile v1') || lock === '';
  const note = '      # The action below is in node_modules: .yarnrc.yml needs `nodeLinker: node-modules`.\n';
  return {
    lockFile: 'yarn.lock',
    install: 'yarn install',
    add: 'yarn add',
    steps: isClassic
      ? `${setupNode('yarn')}      - run: yarn install --frozen-lockfile\n`
      : `      - run: corepack enable\n${setupNode('yarn')}${note}      - run: yarn install --immutable\n`,
    run: (script, words = '') => `yarn run ${script}${words === '' ? '' : ` ${words}`}`,
  };
}

function setupNode(cache: string): string {
  return `      - uses: actions/setup-node@v4\n        with: { node-version: 22, cache: ${cache} }\n`;
}

/** Returns the command that runs a script, without the word `run` where people leave it out. */
export function scriptCall({ run }: PackageManager, script: string): string {
  return script === 'test' ? run(script).replace(' run ', ' ') : run(script);
}
