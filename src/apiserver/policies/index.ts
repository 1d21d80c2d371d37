export { AuthorizerValue } from '../cel/functions/authorizer.js';
export { compileExpression } from './compile-expression.js';
export { annotationTypes, compilePolicy, compileVariables } from './compile-policy.js';
export { type BoundPolicy, boundPolicies, decide, denialText, type PolicyDecision, type PolicyFinding, warningText } from './decide.js';
export { compileWebhookCondition, evaluateMatchConditions, webhookConditions } from './match-conditions.js';
export { NotKnownError, type ParamStore, type PolicyRequest, type PolicySurroundings, type VersionedResource } from './request.js';
