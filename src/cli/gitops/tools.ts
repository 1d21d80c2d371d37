/** The tools for which `synth --for` writes documents. */
export const gitopsTools = ['argocd', 'flux'] as const;

export type GitopsTool = (typeof gitopsTools)[number];
