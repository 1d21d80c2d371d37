import { App, Stack } from 'fieldwise';
import { namespace } from 'fieldwise/k8s/core/v1';

const app = new App({ name: 'ns-try' });
const web = new Stack(app, 'web');
web.own(namespace('tryns'));
web.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'tryns' }, data: { a: 'b' } });
