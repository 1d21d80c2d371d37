import { runExample } from './run.js';

// `npm run quickstart`: the first example for a new user. It uses an API server in this checkout, one shared object, and a program per team.
if (await runExample('review-apps')) {
  process.stdout.write(`
That was examples/review-apps, on the embedded API server of Fieldwise (docs/embedded.md). Read its two programs:
  examples/review-apps/gateway/main.ts
  examples/review-apps/review/main.ts
More of them: npm run example
The same on a real Kubernetes API server: npm run quickstart -- --real (built once with Go), or with KUBECONFIG_TEST
`);
}
