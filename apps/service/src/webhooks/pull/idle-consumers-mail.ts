import { objectMail } from "../../accounts/accounts.ts";
import type { ObjectMailDeps } from "../../accounts/accounts.ts";
import { timeText, wireId } from "../../lib/lib.ts";
import type { MailComposer } from "../../platform/mail/mail.ts";
import { labelOf } from "../endpoints/endpoint-mail.ts";
import { toldConsumers } from "./idle-consumers.store.ts";

/** Writes one e-mail about all consumers that have not pulled for eleven months. */
export function idleConsumersMail(deps: ObjectMailDeps): MailComposer {
  return objectMail(deps, {
    one: "A consumer of a pull endpoint is idle",
    many: "Consumers of pull endpoints are idle",
    text: "These consumers have not pulled for eleven months. A consumer that has not pulled for a year is ended: its position is lost, and if it pulls again, it starts as a new one. To keep a consumer, let it pull. Delete the others.",
    none: "The consumers have pulled again, or were deleted.",
    all: { label: "All endpoints", path: "/endpoints" },
    async read(query, { bucket, tag }, { tenant }, limit) {
      const found = await toldConsumers(query, { bucket, tag, tenant }, limit);
      return found.map((consumer) => ({
        label: `${consumer.name} of ${labelOf(consumer)}, last pull ${timeText(consumer.last_pulled_at).slice(0, 10)}`,
        path: `/endpoints/${wireId("ep", tag, consumer.endpoint_id)}?tab=consumers`,
      }));
    },
  });
}
