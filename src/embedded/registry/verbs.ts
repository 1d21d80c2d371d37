/** The verbs of a resource that can do everything, as discovery lists them. */
export const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
export const subresourceVerbs = ['get', 'patch', 'update'] as const;
