import { WebhooksResource as Generated } from "./generated/resources.ts";
import { isEvent, sign, verify } from "./verification.ts";
import { expressWebhook, fastifyWebhook, nextWebhook } from "./receivers.ts";

/**
 * Functions for a receiver of deliveries. They require neither an API key nor a client.
 *
 * `verify` and `sign` work with every framework. `express`, `fastify` and `next` are receivers for these frameworks. `next`
 * also works with every framework that uses a web `Request` and `Response`.
 */
export const webhooks = {
  verify,
  sign,
  isEvent,
  express: expressWebhook,
  fastify: fastifyWebhook,
  next: nextWebhook,
};

/** `junction.webhooks`: the tester, and the functions for a receiver. */
export class WebhooksResource extends Generated {
  readonly verify = verify;
  readonly sign = sign;
  readonly isEvent = isEvent;
}
