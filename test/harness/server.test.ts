import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync as readdir, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildBinaries, cacheDirectory, controllerManager, type Environment, kubernetesVersion, operator } from './binaries.js';
import { poll } from './poll.js';
import { startServer } from './server.js';
import { chooseServer } from './server-choice.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fieldwise-choice-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function executable(path: string, script = '#!/bin/sh\nexit 0\n'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

/** An environment that offers the named sources and nothing of this machine. */
function offering(...sources: ('KUBECONFIG_TEST' | 'KUBEBUILDER_ASSETS' | 'cache' | 'go')[]): Environment {
  const environment: Record<string, string> = { HOME: home, PATH: join(home, 'bin') };
  for (const source of sources) {
    if (source === 'KUBECONFIG_TEST') environment.KUBECONFIG_TEST = executable(join(home, 'kubeconfig'));
    if (source === 'KUBEBUILDER_ASSETS') {
      environment.KUBEBUILDER_ASSETS = dirname(executable(join(home, 'assets/etcd')));
      executable(join(home, 'assets/kube-apiserver'));
    }
    if (source === 'cache') executable(join(cacheDirectory(environment), 'apiserver'));
    if (source === 'go') executable(join(home, 'bin/go'));
  }
  return environment;
}

describe('order', () => {
  test.each([
    [['KUBECONFIG_TEST', 'KUBEBUILDER_ASSETS', 'cache', 'go'], 'KUBECONFIG_TEST'],
    [['KUBEBUILDER_ASSETS', 'cache', 'go'], 'KUBEBUILDER_ASSETS'],
    [['cache', 'go'], 'cache'],
    [['go'], 'build'],
  ] as const)('%j → %s', (sources, chosen) => {
    expect(chooseServer(offering(...sources)).from).toBe(chosen);
  });

  test('none: an error that lists the four, and no server', async () => {
    const failure = startServer(offering());
    await expect(failure).rejects.toThrow(/1\. KUBECONFIG_TEST[\s\S]*2\. KUBEBUILDER_ASSETS[\s\S]*3\. The cache[\s\S]*4\. A build/);
    await expect(failure).rejects.toThrow(cacheDirectory(offering()));
  });
});

describe('what a person names must be there', () => {
  test('KUBECONFIG_TEST', () => {
    const environment = { ...offering('cache', 'go'), KUBECONFIG_TEST: join(home, 'absent') };
    expect(() => chooseServer(environment)).toThrow(/KUBECONFIG_TEST names .*absent, which does not exist/);
  });

  test('KUBEBUILDER_ASSETS', () => {
    const environment = { ...offering('cache', 'go'), KUBEBUILDER_ASSETS: home };
    expect(() => chooseServer(environment)).toThrow(/no executable etcd and no kube-apiserver/);
  });
});

describe('cache', () => {
  test.each([
    [{ FIELDWISE_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a/fieldwise/apiserver/'],
    [{ XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/fieldwise/apiserver/'],
    [{ HOME: '/c' }, '/c/.cache/fieldwise/apiserver/'],
  ])('%j → %s', (environment, directory) => {
    expect(cacheDirectory(environment).startsWith(directory)).toBe(true);
  });

  test('is keyed by version, sources and platform', () => {
    const key = new RegExp(`/${kubernetesVersion()}-[0-9a-f]{12}-${process.platform}-${process.arch}$`);
    expect(cacheDirectory({ HOME: home })).toMatch(key);
  });

  test('the version comes from go.mod', () => {
    expect(kubernetesVersion('require (\n\tk8s.io/kubernetes v1.99.7\n)\n')).toBe('v1.99.7');
    expect(kubernetesVersion()).toMatch(/^v1\.\d+\.\d+$/);
  });

  test('the controller manager is of the same version, in a directory of its own', () => {
    const directory = cacheDirectory({ HOME: home }, controllerManager);
    expect(directory).toContain(`/controller-manager/${kubernetesVersion()}-`);
  });
});

describe('build', () => {
  // A stand-in for the compiler: writes the binaries where `-o` says, as slowly as told.
  const compiler = (seconds: number) =>
    `#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nsleep ${seconds}\nprintf '#!/bin/sh\\n' > "$2/apiserver"\nchmod +x "$2/apiserver"\n`;

  /** A compiler that notes when it starts and ends. */
  function loggingCompiler(seconds = 1) {
    const log = join(home, 'log');
    const [shebang, ...lines] = compiler(seconds).split('\n');
    const script = [shebang, `printf 'start ' >> ${log}`, ...lines, `printf 'end ' >> ${log}\n`].join('\n');
    return { go: executable(join(home, 'bin/go'), script), target: join(home, 'cache/key'), log };
  }

  const started = (log: string) => poll('the compiler has started', async () => existsSync(log));

  function inOtherProcess(go: string, target: string) {
    const binaries = JSON.stringify(fileURLToPath(new URL('./binaries.ts', import.meta.url)));
    const script = `import(${binaries}).then(({ buildBinaries }) => buildBinaries(${JSON.stringify(go)}, ${JSON.stringify(target)}, () => {}))`;
    const child = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: 'inherit' });
    const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
    return { ended, kill: () => child.kill('SIGKILL') };
  }

  test('two builders at once: one result, nothing left over', async () => {
    const go = executable(join(home, 'bin/go'), compiler(0.2));
    const target = join(home, 'cache/key');
    await Promise.all([buildBinaries(go, target, () => {}), buildBinaries(go, target, () => {})]);
    expect(readdir(target)).toEqual(['apiserver']);
    expect(readdir(dirname(target))).toEqual(['key']);
  });

  test('of two builders, the second waits and uses the result of the first', async () => {
    const { go, target, log } = loggingCompiler();
    const said: string[] = [];
    await Promise.all([inOtherProcess(go, target).ended, started(log).then(() => buildBinaries(go, target, (line) => said.push(line)))]);
    expect(readFileSync(log, 'utf8')).toBe('start end ');
    expect(said).toEqual([expect.stringMatching(/^waiting for process \d+( and \d+)?, which builds the API server \(.*key\.lock\)$/)]);
    expect([readdir(target), readdir(dirname(target))]).toEqual([['apiserver'], ['key']]);
  });

  test('if the first builder is killed, the next one builds when the compiler of the first has ended', async () => {
    const { go, target, log } = loggingCompiler();
    const first = inOtherProcess(go, target);
    await started(log);
    await poll('the lock names the compiler', async () => JSON.parse(readFileSync(`${target}.lock`, 'utf8')).pids.length === 2);
    first.kill();
    await first.ended;
    await Promise.all([0, 1, 2].map(() => buildBinaries(go, target, () => {})));
    expect(readFileSync(log, 'utf8')).toBe('start end start end ');
    expect([readdir(target), readdir(dirname(target))]).toEqual([['apiserver'], ['key']]);
  });

  test('a lock whose processes have ended, or of another form, stops nobody', async () => {
    const { go, target, log } = loggingCompiler(0);
    mkdirSync(dirname(target), { recursive: true });
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    for (const text of [JSON.stringify({ pids: [ended], id: 'a' }), '', String(ended)]) {
      writeFileSync(`${target}.lock`, text);
      rmSync(target, { recursive: true, force: true });
      await buildBinaries(go, target, () => {});
    }
    expect(readFileSync(log, 'utf8')).toBe('start end '.repeat(3));
  });

  test('a failed build says what the compiler said and leaves nothing', async () => {
    const go = executable(join(home, 'bin/go'), '#!/bin/sh\necho "no such module" >&2\nexit 1\n');
    const target = join(home, 'cache/key');
    await expect(buildBinaries(go, target, () => {})).rejects.toThrow(/go build of test\/real-apiserver failed \(1\):\nno such module/);
    expect(readdir(dirname(target))).toEqual([]);
  });

  test('files of the module are kept beside its binaries, and can be written, as the module cache cannot', async () => {
    const sources = join(home, 'sources');
    for (const path of operator.copied ?? []) {
      mkdirSync(join(sources, path, 'more'), { recursive: true });
      writeFileSync(join(sources, path, 'one.yaml'), path, { mode: 0o444 });
    }
    const script = compiler(0).replaceAll('/apiserver', '/operator').replace('\n', `\n[ "$1" = list ] && echo ${sources} && exit\n`);
    const target = join(home, 'cache/key');
    await buildBinaries(executable(join(home, 'bin/go'), script), target, () => {}, operator);
    const kept = (operator.copied ?? []).map((path) => join(target, path));
    expect(kept.map((directory) => [readdir(directory), readFileSync(join(directory, 'one.yaml'), 'utf8')])).toEqual(
      operator.copied?.map((path) => [['one.yaml'], path]),
    );
    for (const directory of kept) writeFileSync(join(directory, 'one.yaml'), 'written');
  });

  test('progress goes to the caller', async () => {
    const go = executable(join(home, 'bin/go'), compiler(0));
    const said: string[] = [];
    await buildBinaries(go, join(home, 'cache/key'), (line) => said.push(line));
    expect(said).toEqual([
      expect.stringContaining(`building the API server ${kubernetesVersion()}`),
      expect.stringContaining(join(home, 'cache/key')),
    ]);
  });
});

test('a server that ends at once: an error with the end of its log', async () => {
  const environment = offering('cache');
  executable(join(cacheDirectory(environment), 'apiserver'), '#!/bin/sh\necho "port in use" >&2\nexit 1\n');
  await expect(startServer(environment)).rejects.toThrow(/apiserver ended before it was ready:\nport in use/);
});
