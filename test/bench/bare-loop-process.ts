import { readFileSync } from 'node:fs';
import { type BareRequest, bareLoop, type Connection } from './bare-loop.js';

// A bare loop as a process of its own. The arguments are files: the connection, and the requests, one JSON text per line.
const [connection, requests] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const lines = requests!.split('\n').filter((line) => line !== '');
await bareLoop(
  JSON.parse(connection!) as Connection,
  lines.map((line) => JSON.parse(line) as BareRequest),
);
