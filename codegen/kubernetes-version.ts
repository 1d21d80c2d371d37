/** The Kubernetes whose API ships as `fieldwise/k8s/…`. */
export const kubernetesVersion = '1.36';
