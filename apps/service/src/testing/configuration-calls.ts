import { absentId, tagOfId } from "./keys.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

let made = 0;

function configuration(): Args {
  made += 1;
  return { version: 1, inboxes: [{ name: `configured-${made}` }] };
}

async function freshPlan(service: TestService): Promise<Args> {
  const { body } = await service.api("POST", "/v1/configuration/plans", { configuration: configuration() });
  return { id: body["id"] };
}

const wrong = (): Args => ({ configuration: { version: 2 } });

/** The rows of testing/calls.ts for configuration as code. */
export const configurationCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "configuration.get": { good: () => ({}), bad: () => ({ nothing: 1 }) },
  "configuration.drift": { good: () => ({ configuration: configuration() }), bad: wrong },
  "configuration.plan": { good: () => ({ configuration: configuration() }), bad: wrong },
  "configuration.apply": {
    good: freshPlan,
    bad: async (service) => ({ id: absentId({ tag: tagOfId((await service.fire()).id) }, "pln") }),
  },
};
