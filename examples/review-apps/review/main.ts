import { App, Stack } from 'fieldwise';
import { listener, service, sharedGateway, sharedGatewaySpec } from '../imports/edge.example.com/v1.js';

// CI runs this program for every pull request: `fieldwise deploy -c review=42`. It declares one stack and knows no other review.
const app = new App();
const number = app.node.tryGetContext('review');
if (!number) throw new Error('which review is this? -c review=42');

const name = `review-${number}`;
const weight = Number(app.node.tryGetContext('weight') ?? 100);
const review = new Stack(app, name);

review.share(
  sharedGateway('public').withSpec(
    sharedGatewaySpec().withListeners(listener(443).withServices(service(name).withHost(`${name}.shop.example.com`).withWeight(weight))),
  ),
);
