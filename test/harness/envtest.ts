import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { writeKubeconfig } from './kubeconfig.js';
import { type Daemon, startDaemon } from './process.js';

/** Starts envtest's etcd and kube-apiserver with RBAC and one administrator by token, as test/real-apiserver does in one process. */
export async function startEnvtest(assets: string, directory: string): Promise<{ kubeconfig: string; daemons: Daemon[] }> {
  const daemons: Daemon[] = [];
  try {
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    daemons.unshift(startDaemon(join(assets, 'etcd'), etcdArguments(directory, client, peer), join(directory, 'etcd.log')));
    const token = randomBytes(24).toString('hex');
    const apiserver = startDaemon(
      join(assets, 'kube-apiserver'),
      apiserverArguments(directory, client, port, token),
      join(directory, 'apiserver.log'),
    );
    daemons.unshift(apiserver);
    // With no certificate named, kube-apiserver makes a self-signed one for its bind address in --cert-dir.
    const certificate = join(directory, 'apiserver.crt');
    await apiserver.untilReady(() => existsSync(certificate) && answersReady(port, certificate), 90);
    const kubeconfig = join(directory, 'kubeconfig');
    writeKubeconfig(kubeconfig, { server: `https://127.0.0.1:${port}`, ca: readFileSync(certificate, 'utf8'), token });
    return { kubeconfig, daemons };
  } catch (error) {
    for (const daemon of daemons) await daemon.stop();
    throw error;
  }
}

function etcdArguments(directory: string, client: number, peer: number): string[] {
  const clientUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  return [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ];
}

function apiserverArguments(directory: string, etcd: number, port: number, token: string): string[] {
  const tokens = join(directory, 'tokens.csv');
  const signingKey = join(directory, 'service-account.key');
  writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(signingKey, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${directory}`,
    `--token-auth-file=${tokens}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${signingKey}`,
    `--service-account-key-file=${signingKey}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    '--endpoint-reconciler-type=none',
    '--disable-admission-plugins=ServiceAccount',
  ];
}

function answersReady(port: number, certificate: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', ca: readFileSync(certificate), timeout: 2000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

/** Returns a port on loopback that nothing used a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.on('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
