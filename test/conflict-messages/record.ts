import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOrBuild, peers } from '../harness/binaries.js';
import { startServer } from '../harness/server.js';

// Records what tools print about conflicts on a real API server, into test/conflict-messages/recorded: `npm run campaign -- conflict-messages`.
// Helm 4 and the program of test/peers/flux are built once; HELM3 names Helm 3. Texts of programs that are not there stay as they are.

type Program = 'kubectl' | 'helm3' | 'helm4' | 'flux';

interface Recording {
  /** The file to write; absent for a preparation. */
  readonly name?: string;
  readonly program: Program;
  readonly words: string;
}

/** In this order: each builds on the former ones. */
const recordings: readonly Recording[] = [
  { program: 'kubectl', words: 'create namespace shop' },
  { program: 'kubectl', words: 'apply --server-side --field-manager=kustomize-controller -f web.yaml' },
  { program: 'kubectl', words: 'scale -n shop deployment/web --replicas=5' },
  { program: 'kubectl', words: `apply --server-side --field-manager=say-"hi"-\\ -f settings.yaml` },
  { name: 'kubectl-one', program: 'kubectl', words: 'apply --server-side -f web-replicas.yaml' },
  { name: 'kubectl-several', program: 'kubectl', words: 'apply --server-side -f web-changed.yaml' },
  { name: 'kubectl-two-objects', program: 'kubectl', words: 'apply --server-side -f two-changed.yaml' },
  { name: 'kubectl-diff', program: 'kubectl', words: 'diff --server-side -f web-changed.yaml' },
  { name: 'flux-one', program: 'flux', words: 'conflict web-replicas.yaml' },
  { name: 'flux-several', program: 'flux', words: 'conflict web-changed.yaml' },
  { name: 'helm3-exists', program: 'helm3', words: 'install web chart -n shop' },
  { name: 'helm4-exists', program: 'helm4', words: 'install web chart -n shop --set replicas=2' },
  { name: 'helm4-take-ownership', program: 'helm4', words: 'install web chart -n shop --set replicas=2 --take-ownership' },
  { program: 'kubectl', words: 'create namespace market' },
  { program: 'helm4', words: 'install web chart -n market' },
  { program: 'kubectl', words: 'scale -n market deployment/web --replicas=5' },
  { program: 'kubectl', words: 'set image -n market deployment/web web=nginx:1.28' },
  { name: 'helm4-upgrade', program: 'helm4', words: 'upgrade web chart -n market --set replicas=2' },
  { name: 'helm4-other-release', program: 'helm4', words: 'install other chart -n market' },
  { name: 'helm3-other-release', program: 'helm3', words: 'install other chart -n market' },
  { program: 'helm4', words: 'install reader cluster-chart -n market' },
  { program: 'kubectl', words: 'apply --server-side --force-conflicts -f role.yaml' },
  { name: 'helm4-cluster-scoped', program: 'helm4', words: 'upgrade reader cluster-chart -n market --set verb=list' },
];

const directory = import.meta.dirname;
const server = await startServer();
const home = mkdtempSync(join(tmpdir(), 'fieldwise-messages-'));
try {
  const built = await findOrBuild(peers, process.env, (line) => process.stderr.write(`peers: ${line}\n`));
  const program = (name: string) => (built === undefined ? undefined : join(built, name));
  const programs = { kubectl: server.kubectl, helm3: process.env.HELM3, helm4: program('helm'), flux: program('flux') };
  mkdirSync(join(directory, 'recorded'), { recursive: true });
  for (const { name, program, words } of recordings) {
    const command = programs[program];
    if (command === undefined) continue;
    const { stdout, stderr } = spawnSync(command, words.split(' '), {
      cwd: join(directory, 'objects'),
      env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: server.kubeconfig },
      encoding: 'utf8',
    });
    if (name !== undefined) writeFileSync(join(directory, 'recorded', `${name}.txt`), `${stdout}${stderr}`);
  }
} finally {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
