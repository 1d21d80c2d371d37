/** Returns a program of charts with ConfigMaps, which runs with Fieldwise and with cdk8s alone: only the import of App differs. */
export function synthProgram(library: 'fieldwise' | 'cdk8s', objects: number, charts: number): string {
  return `import { App } from '${library}';
import { ApiObject, Chart } from 'cdk8s';

const app = new App({ outdir: 'dist-${library}' });
for (let number = 0; number < ${charts}; number++) {
  const chart = new Chart(app, 'chart-' + number);
  for (let index = number; index < ${objects}; index += ${charts}) {
    const name = 'settings-' + index;
    const metadata = { name, namespace: 'shop', labels: { app: name } };
    new ApiObject(chart, name, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { level: 'info', region: 'north' } });
  }
}
app.synth();
`;
}
