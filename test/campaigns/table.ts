/** What a campaign needs besides Node and npm. */
const needs = {
  server: 'a real API server: in the cache, or built with Go',
  kubectl: 'kubectl',
  managers: 'a real controller manager: in the cache, or built with Go',
  go: 'Go',
  registry: 'the npm registry',
  chromium: 'Chromium, if there is one',
  history: 'the commits of the repository',
} as const;

/** A run in CI: small, and the same each time. */
export interface Sample {
  /** The stage of `.ci/run`; by default the name of the campaign. */
  readonly stage?: string;
  /** Words of a shell. `$seed` follows from the commit, `$corpus` is directories of CRDs. */
  readonly words: string;
  /** A directory beside the checkout without which the sample is left out. */
  readonly beside?: string;
}

/** A run that takes longer than a test may, or that needs what a machine may lack. */
export interface Campaign {
  readonly name: string;
  /** The npm script that it was before there were campaigns; by default that of its name. */
  readonly formerly?: string;
  /** A script, or files of tests with their projects. */
  readonly runs: string | { readonly projects: readonly string[]; readonly files: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  /** A script that runs first. */
  readonly first?: string;
  /** False if it runs the sources, so that nothing has to be built before. */
  readonly builds?: false;
  readonly does: string;
  readonly needs: readonly (keyof typeof needs)[];
  /** Minutes with the default flags, on two cores. */
  readonly minutes: number;
  readonly samples: readonly Sample[];
}

const cluster = (...files: readonly string[]) => ({ projects: ['cluster'], files: files.map((file) => `test/cluster/${file}.test.ts`) });

/** All campaigns, in the order in which CI runs their samples: the longest first. */
export const campaigns: readonly Campaign[] = [
  {
    name: 'fuzz',
    runs: 'test/fuzz/main.ts',
    builds: false,
    does: 'sends random applies, updates, patches, deletions and creations to a real server and to the embedded one; the responses must be the same',
    needs: ['server'],
    minutes: 1,
    samples: [{ words: '--seconds 75 --scenarios 40 --seed 1' }],
  },
  {
    name: 'node-versions',
    runs: 'test/node-versions.ts',
    does: 'runs the quickstart and the unit tests on other versions of Node',
    needs: ['registry'],
    minutes: 10,
    // The unit tests in which a version of Node makes a difference; all of them run by .github/workflows/ci.yml.
    samples: [{ words: 'test/unit/app/' }],
  },
  {
    name: 'kubectl',
    runs: 'test/kubectl/main.ts',
    does: 'runs a table of kubectl commands on a real server and on the embedded one; output and exit code must be the same',
    needs: ['server', 'kubectl'],
    minutes: 2,
    samples: [{ words: '--sample 6' }],
  },
  {
    name: 'kubeconfigs',
    runs: 'test/kubeconfigs/main.ts',
    does: 'sends a table of kubeconfigs through kubectl and through Fieldwise; verdicts and credentials must be the same',
    needs: ['kubectl'],
    minutes: 1,
    samples: [{ words: '' }],
  },
  {
    name: 'fuzz:http',
    runs: 'test/http-fuzz/main.ts',
    does: 'sends damaged requests to the embedded server, which must answer with errors that a real server has, and go on',
    needs: [],
    minutes: 15,
    samples: [{ words: '--requests 800 --seed 1' }],
  },
  {
    name: 'fuzz:definitions',
    runs: 'test/definition-fuzz/main.ts',
    builds: false,
    does: 'makes random CustomResourceDefinitions with rules on both servers, and writes objects between their changes',
    needs: ['server'],
    minutes: 1,
    samples: [{ words: '--seconds 75 --scenarios 12 --seed 6' }],
  },
  {
    name: 'fuzz:attributes',
    runs: 'test/attributes-fuzz/main.ts',
    builds: false,
    does: 'sends random requests of a user without rights to both servers, which must refuse each for the same attributes',
    needs: ['server'],
    minutes: 1,
    samples: [{ words: '--requests 600 --seed 1' }],
  },
  {
    name: 'corpus',
    runs: 'test/corpus/main.ts',
    does: 'measures the generator on directories of CRDs. `objects`: generates, compiles and builds each CRD with its examples; `names`: types whose name contradicts their uses; `sizes`: modules against those of `cdk8s import`; `suggestions`: lists with keys; `mistakes`: what compilers say about typical mistakes, with our types and with those of peers (from npm, kept in the temporary directory)',
    needs: ['registry'],
    minutes: 5,
    samples: [{ words: '--only objects $corpus' }],
  },
  {
    name: 'docs:browser',
    first: 'test/site/build-site.ts',
    runs: 'test/site/browse-site.ts',
    builds: false,
    does: 'builds the site of the documentation, and checks its links, and the site in Chromium',
    needs: ['chromium'],
    minutes: 3,
    samples: [{ words: '' }],
  },
  {
    name: 'pages:browser',
    runs: 'test/pages/main.ts',
    does: 'writes the pages in the format `html`, and checks them in Chromium',
    needs: ['chromium'],
    minutes: 2,
    samples: [{ words: '' }],
  },
  {
    name: 'prove:reconcile',
    runs: 'test/reconcile/main.ts',
    builds: false,
    does: 'applies random objects to a real server; every intent that `reconcile: changed` skips is sent all the same, and must change nothing',
    needs: ['server'],
    minutes: 45,
    samples: [{ words: '--states 200 --seed 1' }],
  },
  {
    name: 'prove:policies',
    runs: 'test/policies/main.ts',
    builds: false,
    does: 'sends random changes to both servers with the same ValidatingAdmissionPolicies; status, message, details and warnings must be the same',
    needs: ['server'],
    minutes: 2,
    samples: [{ words: '--changes 60 --seed 1' }],
  },
  {
    name: 'concurrency',
    runs: 'test/concurrency/main.ts',
    does: 'deploys eight stacks at once that share objects of somebody else, who writes to them, too',
    needs: ['server'],
    minutes: 10,
    samples: [{ words: '--seed 1 --rounds 3' }, { stage: 'concurrency:dynamic', words: '--seed 1 --rounds 3 --strategy dynamic' }],
  },
  {
    name: 'kills',
    runs: 'test/kills/main.ts',
    does: 'kills the embedded server at random moments, also during its start; no acknowledged write may be lost',
    needs: [],
    minutes: 4,
    samples: [{ words: '--kills 10 --seed 1' }],
  },
  {
    name: 'simulate',
    runs: 'test/simulator/main.ts',
    does: 'plays random histories of runs, other writers and faults under one scheduler, and checks what always holds; with `--processes N`, with real processes that are stopped and killed',
    needs: ['server'],
    minutes: 1,
    samples: [
      { words: '--seconds 120 --seed $seed' },
      // Some planted errors by their recorded histories.
      { stage: 'simulate:breaks', words: '--breaks --sample 8 --seed $seed' },
      // All interleavings of a few pairs of runs.
      { stage: 'simulate:faults', words: '--faults 1 --sample 3 --seconds 60 --seed $seed' },
      // On a real API server, too, in real time: the stories must be the same.
      { stage: 'simulate:real', words: '--real --sample 8 --seed $seed' },
      // Each kind of fault once.
      { stage: 'simulate:processes', words: '--processes 15 --seed $seed' },
    ],
  },
  {
    name: 'pairs',
    runs: 'test/pairs/main.ts',
    does: 'does two deeds to one object, in both orders, and compares plan, record, values and owners with a table of rules',
    needs: ['server'],
    minutes: 6,
    // Random pairs, and a few rows of the table broken.
    samples: [{ words: '--pairs 24 --seed 1' }, { stage: 'pairs:break', words: '--break --pairs 6 --seed 1' }],
  },
  {
    name: 'versions',
    runs: 'test/versions/main.ts',
    does: 'deploys one stack by the command line before records had a format and by this one, in turns and at once',
    needs: ['history'],
    minutes: 8,
    // Skipped where the clone has not got that commit.
    samples: [{ words: '--lives 3 --seed 1' }],
  },
  {
    name: 'broken-workloads',
    runs: 'test/broken-workloads/main.ts',
    does: 'deploys workloads that do not become ready; the failure must name the cause and the line of the program',
    needs: ['server', 'managers'],
    minutes: 2,
    samples: [{ words: '--sample' }],
  },
  {
    name: 'programs',
    runs: 'test/programs/main.ts',
    does: 'runs programs as users of cdk8s write them by plain node and by the command line; the objects must be the same',
    needs: [],
    minutes: 12,
    samples: [{ words: '--runs 1' }],
  },
  {
    name: 'simulated',
    runs: 'test/simulated/main.ts',
    builds: false,
    does: 'lets workloads live with a real controller manager, and with the simulated controllers; each state must be the same',
    needs: ['server', 'managers'],
    minutes: 2,
    samples: [{ words: '--sample' }],
  },
  {
    name: 'control-plane',
    runs: 'test/control-plane/main.ts',
    does: 'lets a real controller manager and a real scheduler work beside a real server and beside the embedded one',
    needs: ['server', 'managers'],
    minutes: 2,
    samples: [{ words: '--sample' }],
  },
  {
    name: 'tables',
    runs: 'test/tables/main.ts',
    builds: false,
    does: 'creates objects of every kind on both servers, and compares Tables, discovery and conversions',
    needs: ['server'],
    minutes: 1,
    samples: [{ words: '' }],
  },
  {
    name: 'fuzz:codegen',
    runs: 'test/corpus/mutate.ts',
    does: 'runs the generator on damaged CRDs',
    needs: [],
    minutes: 4,
    samples: [{ words: '--count 50 --seed 1' }],
  },
  {
    name: 'vectors',
    runs: 'test/vectors/main.ts',
    builds: false,
    does: 'replays recorded requests and responses of a real server against the embedded one, or another one (`--server URL --token T`)',
    needs: [],
    minutes: 1,
    samples: [{ words: '../shared/vectors', beside: '../shared/vectors' }],
  },
  {
    name: 'vectors:engine',
    runs: 'test/vectors-engine/main.ts',
    builds: false,
    does: 'replays the same against the merge engine alone',
    needs: [],
    minutes: 1,
    samples: [{ words: '', beside: '../shared/vectors' }],
  },
  {
    name: 'corpus:cluster',
    runs: cluster('codegen'),
    environment: { CORPUS: '../shared/corpus' },
    does: 'sends the objects of all CRDs beside the checkout to a real server; CI sends those of a few with its tests',
    needs: ['server'],
    minutes: 10,
    samples: [],
  },
  {
    name: 'openapi',
    runs: {
      projects: ['unit', 'apiserver'],
      files: ['test/unit/schema/differential.test.ts', 'test/apiserver/unit/patch-strategies.test.ts'],
    },
    environment: { OPENAPI: '../shared/openapi/v1.36' },
    does: 'compares the schema of the package with the OpenAPI documents beside the checkout; the tests have a sample of them',
    needs: [],
    minutes: 1,
    samples: [],
  },
  {
    name: 'fairness',
    runs: 'test/fairness/main.ts',
    does: 'sends the largest bodies side by side to the embedded server, and measures how long another client waits',
    needs: [],
    minutes: 5,
    samples: [],
  },
  {
    name: 'projects',
    runs: 'test/projects/main.ts',
    does: 'creates the projects that cdk8s-cli, projen and pnpm make, and installs the packed package there',
    needs: ['registry'],
    minutes: 5,
    samples: [],
  },
  {
    name: 'charts',
    runs: 'test/charts/main.ts',
    does: 'deploys the rendered manifests of public charts to a real server, and plans them again; nothing may change',
    needs: ['server'],
    minutes: 10,
    samples: [],
  },
  {
    name: 'charts:documents',
    runs: 'test/charts/documents.ts',
    does: 'pipes the same manifests to `fieldwise deploy -f -`, each on a fresh server',
    needs: ['server'],
    minutes: 15,
    samples: [],
  },
  {
    name: 'large-inventory',
    runs: cluster('large-inventory'),
    environment: { LARGE_INVENTORY: '20000x40' },
    does: 'deploys, repeats, prunes and destroys one stack of 20,000 Deployments with 40 environment variables each; the tests have fewer',
    needs: ['server'],
    minutes: 15,
    samples: [],
  },
  {
    name: 'side-by-side',
    runs: cluster('side-by-side'),
    environment: { SIDE_BY_SIDE_ROUNDS: '50' },
    does: 'runs three deploys at a time from one directory with different contexts, 50 rounds; each must apply exactly what its own program declared',
    needs: ['server'],
    minutes: 5,
    samples: [],
  },
  {
    name: 'processes',
    formerly: 'test:processes',
    runs: cluster('side-by-side', 'lock', 'inventory', 'review-apps'),
    environment: { FIELDWISE_TEST_PROCESSES: '1' },
    does: 'runs the tests of deploys at once with a process for each deploy',
    needs: ['server'],
    minutes: 5,
    samples: [],
  },
  {
    name: 'telling',
    runs: cluster('one-telling'),
    environment: { HISTORIES: '2000' },
    does: 'plans and deploys random histories; the plan, the record and an observer must say the same; the tests play few',
    needs: ['server'],
    minutes: 150,
    samples: [],
  },
  {
    name: 'forks',
    runs: 'test/forked-plans.ts',
    does: 'runs the tests on the embedded server, and plans each of their deploys before, on another server with the same state: the plan, the record and an observer must say the same. `forked-plans.json` lists where they do not, and why',
    needs: [],
    minutes: 15,
    samples: [{ words: '--shard=$((seed % 12 + 1))/12' }],
  },
  {
    name: 'reconciles',
    formerly: 'test:reconciles',
    runs: cluster('operator'),
    environment: { RECONCILES: '1000' },
    does: 'reconciles an operator a thousand times; the tests do it less often',
    needs: ['server'],
    minutes: 5,
    samples: [],
  },
  {
    name: 'planned-programs',
    runs: cluster('planned-programs'),
    environment: { PLANNED_PROGRAMS: '200' },
    does: 'plans and deploys 200 random programs with the printed rights; nothing that a deploy does may be called blocked. The tests have fewer',
    needs: ['server'],
    minutes: 8,
    samples: [],
  },
  {
    name: 'responses',
    formerly: 'test:responses',
    runs: { projects: ['embedded'], files: ['test/cluster/malformed-responses.test.ts'] },
    environment: { ALL_RESPONSES: '1' },
    does: 'sends every malformed response to every verb; the tests send some',
    needs: [],
    minutes: 5,
    samples: [],
  },
  {
    name: 'smd:record',
    runs: 'test/smd/record.ts',
    builds: false,
    does: "records what structured-merge-diff's own tests call; the unit tests replay it",
    needs: ['go'],
    minutes: 1,
    samples: [],
  },
  {
    name: 'conflict-messages',
    runs: 'test/conflict-messages/record.ts',
    builds: false,
    does: 'records what tools print about conflicts on a real server; the unit tests read it',
    needs: ['server', 'go'],
    minutes: 5,
    samples: [],
  },
];

/** Returns what a campaign needs, as a sentence of a table. */
export function needsText({ needs: named }: Campaign): string {
  return named.map((need) => needs[need]).join('; ');
}

/** Returns the programs of a campaign with their words; flags belong to the last one. */
export function commandsOf({ first, runs }: Campaign): readonly (readonly [tool: 'tsx' | 'vitest', ...words: string[]])[] {
  if (typeof runs === 'string') return [...(first === undefined ? [] : [['tsx', first] as const]), ['tsx', runs]];
  return [['vitest', 'run', '--config', 'test/vitest.config.ts', ...runs.projects.flatMap((name) => ['--project', name]), ...runs.files]];
}

/** A stage of `.ci/run`, on what has been built before. */
export interface Stage {
  readonly name: string;
  readonly command: string;
  readonly beside: string | undefined;
}

/** Returns the stages of `.ci/run`, one for each sample. */
export function stages(): readonly Stage[] {
  return campaigns.flatMap((campaign) =>
    campaign.samples.map(({ stage = campaign.name, words, beside }) => ({
      name: stage,
      command: `${commandsOf(campaign)
        .map((command) => ['npx', ...command].join(' '))
        .join(' && ')} ${words}`.trim(),
      beside,
    })),
  );
}
