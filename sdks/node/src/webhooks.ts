import { WebhooksResource as Generated } from "./generated/resources.ts";
import { isEvent, sign, verify } from "./verification.ts";
import { expressWebhook, fastifyWebhook, nextWebhook } from "./receivers.ts";

/**
 * What a receiver of deliveries needs; no key, no client.
 *
 * `verify` and `sign` are below; `express`, `fastify` and `next` are receivers for those frameworks, and `next` is one for
 * whatever gives a web `Request` and takes a `Response`.
 */
export const webhooks = {
  verify,
  sign,
  isEvent,
  express: expressWebhook,
  fastify: fastifyWebhook,
  next: nextWebhook,
};

/** `junction.webhooks`: the tester, and beside it what a receiver needs. */
export class WebhooksResource extends Generated {
  readonly verify = verify;
  readonly sign = sign;
  readonly isEvent = isEvent;
}
