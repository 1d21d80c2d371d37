import { readKubeconfig } from '../harness/kubeconfig.js';
import { RawConnection, requestText } from '../harness/raw-http.js';
import { largeRequests } from './large-bodies.js';

// Sends one of the large requests many times side by side, each on a connection of its own, and prints how often each status came.
const [kubeconfig, name, count] = process.argv.slice(2) as [string, string, string];
const connection = readKubeconfig(kubeconfig);
const found = largeRequests().find((request) => request.name === name);
if (found === undefined) throw new Error(`no request named ${name}`);
const { method, target, type, body } = found;
const authorization = `Bearer ${connection.token}`;
const sent = await Promise.all(
  Array.from({ length: Number(count) }, async (_, index) => {
    const raw = await RawConnection.open(connection);
    const [path, content] = [target, body].map((text) => text.replaceAll('#', String(index))) as [string, string];
    raw.write(requestText(method, path, { authorization, 'content-type': type }, content));
    const response = await raw.response(method, 300);
    raw.close();
    return response?.status ?? 0;
  }),
);
const statuses = [...new Set(sent)].toSorted((one, other) => one - other);
console.log(statuses.map((status) => `${status}: ${sent.filter((each) => each === status).length}`).join(', '));
