import { App, Stack } from 'fieldwise';
import { listener, sharedGateway, sharedGatewaySpec } from '../imports/edge.example.com/v1.js';

// The program of the platform team. It owns the gateway and does not know the services behind it.
const app = new App();
const gateway = new Stack(app, 'gateway');

gateway.own(
  sharedGateway('public').withSpec(
    sharedGatewaySpec().withClass('nginx').withListeners(listener(80).withProtocol('HTTP'), listener(443).withProtocol('HTTPS')),
  ),
);
