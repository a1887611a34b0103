import { unsigned } from "../../../apps/service/src/testing/signature.ts";
import type { WebhookHit } from "../facts.ts";
import type { Predicate } from "./predicate.ts";

export const bodies: Predicate = {
  name: "bodies",
  promise: "Every attempt of a delivery has the same body, with the data that was fired, and its event was fired",
  broken({ hits, events }) {
    const sent = new Map(events.map((fired) => [fired.sent.n, fired.sent]));
    const firsts = new Map<string, string>();
    return hits.flatMap((hit) => {
      const { before } = unsigned(hit.body);
      const first = firsts.get(hit.delivery) ?? before;
      firsts.set(hit.delivery, first);
      return [
        ...(first === before ? [] : [`delivery ${hit.delivery} was sent with two bodies`]),
        ...faultsOfData(hit, sent.get(hit.data.n)),
      ];
    });
  },
};

function faultsOfData(
  { delivery, event, data }: WebhookHit,
  sent: (WebhookHit["data"] & { event: string }) | undefined,
): string[] {
  if (sent === undefined) return [`delivery ${delivery} is of event ${data.n}, which nobody fired`];
  const isSame = event === sent.event && data.tenant === sent.tenant && data.f === sent.f && data.lane === sent.lane;
  return isSame ? [] : [`delivery ${delivery} has other data than event ${data.n}`];
}

export const once: Predicate = {
  name: "once",
  promise: "The calls with one idempotency key have one effect: an event happens once, under one id",
  broken({ hits, events, effects }) {
    const ids = new Map<number, Set<string>>();
    const note = (n: number, id: string): void => void ids.set(n, (ids.get(n) ?? new Set()).add(id));
    for (const { body, data } of hits) note(data.n, (JSON.parse(body) as { id: string }).id);
    for (const { sent, id } of events) if (id !== undefined) note(sent.n, id);
    const twice = [...ids].filter(([, found]) => found.size > 1);
    const unlike = effects.filter(({ calls }) => {
      const answers = calls.filter(({ status }) => status !== null && status < 300).map(({ body }) => body?.["id"]);
      return new Set(answers).size > 1;
    });
    return [
      ...twice.map(([n, found]) => `event ${n} happened ${found.size} times`),
      ...unlike.map(({ calls }) => `the key ${calls[0]?.key} was answered with two objects`),
    ];
  },
};
