import { runExample } from './run.js';

// `npm run quickstart`: the first thing a newcomer sees. A real API server, one shared object, a program per team.
if (await runExample('review-apps')) {
  process.stdout.write(`
That was examples/review-apps, on a real Kubernetes API server. Read its two programs:
  examples/review-apps/gateway/main.ts
  examples/review-apps/review/main.ts
More of them: npm run example
`);
}
