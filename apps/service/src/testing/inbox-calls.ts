import { absentId, tagOfId } from "./keys.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;

async function ours(service: TestService): Promise<Args> {
  await service.api("PUT", "/v1/inboxes/ours");
  return { name: "ours" };
}

let names = 0;

/** Returns a new name, because a name can be created only once. */
function newName(): string {
  names += 1;
  return `called-${names}`;
}

export const inboxCalls = {
  "inboxes.list": { good: () => ({ limit: 1 }), bad: () => ({ limit: 0 }) },
  "inboxes.delete": {
    good: async (service: TestService) => {
      const name = newName();
      await service.api("PUT", `/v1/inboxes/${name}`);
      return { name };
    },
    bad: () => ({ name: "none" }),
  },
  "inboxes.put": { good: () => ({ name: newName() }), bad: () => ({ name: "No such name!" }) },
  "inboxes.messages": { good: ours, bad: () => ({ name: "none" }) },
  "inboxes.take": {
    good: async (service: TestService) => ({
      ...(await ours(service)),
      ids: [absentId({ tag: tagOfId((await service.fire()).id) }, "inb")],
    }),
    bad: async (service: TestService) => ({ ...(await ours(service)), ids: ["inb_1"] }),
  },
};
