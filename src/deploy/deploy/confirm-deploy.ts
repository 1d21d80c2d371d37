import type { StackManifest } from '../../assembly/types.js';
import type { Step } from '../../engine/graph/waves.js';
import { collateralQuestion } from '../../engine/object/collateral.js';
import { isSelected } from '../../engine/prepare/select-stacks.js';
import { unservedQuestion } from '../../engine/prepare/unserved-steps.js';
import { releaseCollateralQuestion } from '../../engine/release/release-collateral.js';
import { pruneQuestion } from '../../engine/removal/prune-question.js';
import { stacksQuestion } from '../../engine/removal/prune-stacks.js';
import { clearedQuestion } from '../../engine/repairs/cleared-objects.js';
import type { Question } from '../../engine/report/question.js';
import { answerTo } from '../../engine/run/answer.js';
import { askAll } from '../../engine/run/ask-all.js';
import { refusedFieldTransfers } from '../../engine/transfer/field-transfers.js';
import { firstDeployQuestions } from '../../engine/transfer/first-deploys.js';
import type { PreparedDeploy } from './prepare-deploy.js';
import { repairQuestions } from './repairs.js';

/** A deploy that a person, an option or a saved plan has agreed to. */
export interface ConfirmedDeploy extends PreparedDeploy {
  /** True if the fields of `before-first-apply` are released on objects whose managedFields were wiped. */
  readonly releasesInitialEntry: boolean;
}

/** The prepared parts of a deploy that its questions are about. */
export type QuestionedDeploy = Pick<
  PreparedDeploy,
  | 'repairs'
  | 'staleRemovals'
  | 'firstDeploys'
  | 'releases'
  | 'collateral'
  | 'approvedReleases'
  | 'prunableStates'
  | 'steps'
  | 'undeclaredStacks'
  | 'options'
  | 'unapplied'
  | 'predictions'
  | 'lifecycleTransfers'
  | 'unserved'
>;

/** Returns the questions that must be answered with yes before the deploy changes anything. */
export function questionsOf(deploy: QuestionedDeploy): readonly Question[] {
  const { options, steps, unapplied, predictions } = deploy;
  const { otherStacks } = deploy.lifecycleTransfers;
  const chosen = steps.filter((step) => isSelected(step, options));
  const questions = [
    unservedQuestion(deploy.unserved, chosen),
    ...repairQuestions(deploy.repairs, deploy.staleRemovals),
    ...firstDeployQuestions(deploy.firstDeploys),
    deploy.releases.question,
    collateralQuestion(deploy.collateral),
    releaseCollateralQuestion(deploy.approvedReleases),
    ...deploy.prunableStates.map((state) =>
      pruneQuestion(state.stack, state.before, [...state.steps, ...transferredFrom(state.stack, steps)], {
        options,
        otherStacks,
        unapplied,
        predictions,
      }),
    ),
    stacksQuestion(deploy.undeclaredStacks, { unapplied, otherStacks, predictions }),
  ];
  return questions.filter((question) => question !== undefined);
}

/**
 * Asks the questions of a deploy.
 *
 * @throws ConfirmationNeededError unless each is answered with yes.
 */
export async function confirmDeploy(deploy: PreparedDeploy): Promise<ConfirmedDeploy> {
  const { options, session, transfers, concurrency, host, repairs } = deploy;
  const questions = questionsOf(deploy);
  if (options.yes !== true && questions.length > 0) {
    for (const warning of await refusedFieldTransfers(session.cluster, transfers, concurrency)) host(warning);
  }
  await askAll(questions, options);
  const clearedOwners = clearedQuestion(repairs.cleared); // A no to this question does not stop the deploy.
  const releasesInitialEntry = clearedOwners !== undefined && (await answerTo(clearedOwners, options));
  return Object.freeze({ ...deploy, releasesInitialEntry });
}

/** Returns the steps to which whole objects of a stack are transferred: these objects are not removed. */
function transferredFrom({ manager }: StackManifest, steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ intent }) => intent.lifecycle === 'own' && intent.policy.transferFrom?.from === manager);
}
