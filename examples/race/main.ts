import { App, Stack } from 'fieldwise';
import { configMap } from 'fieldwise/k8s/core/v1';

const settings = new Stack(new App(), 'settings');
settings.own(configMap('limits').withData({ burst: '20', rate: '10' }), { fields: { 'data.rate': { conflicts: 'fail' } } });
