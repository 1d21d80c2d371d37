import { connect } from 'fieldwise/controller';
import { runOperator } from './operator.js';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const cluster = await connect();
try {
  await runOperator(cluster, stop.signal);
} finally {
  cluster.close();
}
