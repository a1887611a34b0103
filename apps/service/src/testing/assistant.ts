import { registerContract } from "./contracts.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** Switches it on for some events. */
export async function listen(service: TestService, provider: string, settings: Record<string, unknown>): Promise<void> {
  const on = await service.api("PATCH", "/v1/workspaces/current", { settings: { assistant: provider } });
  const set = await service.api("PATCH", "/v1/assistant", settings);
  if (on.status !== 200 || set.status !== 200) throw new Error(`no assistant: ${on.text} ${set.text}`);
}

/** A contract that the assistant may ask for. */
export async function offered(service: TestService, more: Record<string, unknown> = {}): Promise<Parsed> {
  return await registerContract(service, {
    surface: ["api", "assistant"],
    roles: ["owner", "admin", "developer", "ai"],
    params: { note: { type: "string", required: true, max: 200 } },
    ...more,
  });
}

/** The exchange about an event, once it and all that came of it are written down. */
export async function exchangeAbout(service: TestService, eventId: string, results = 0): Promise<Parsed> {
  const page = await service.until(
    `/v1/ai-history?event_id=${eventId}`,
    ({ data }) => data.length > 0 && data[0].results.length >= results,
  );
  return page.data[0];
}

type Make = (service: TestService) => Promise<Record<string, unknown>> | Record<string, unknown>;

/** The rows of testing/calls.ts for the assistant. */
export const assistantCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "assistant.get": { good: () => ({}), bad: () => ({ of: "another" }) },
  "assistant.update": {
    // What is there already is changed: the first time would be another effect than the second.
    good: async (service) => {
      await listen(service, "off", { instructions: "" });
      return { instructions: "Be brief." };
    },
    bad: () => ({ base_url: "http://10.0.0.1/v1" }),
  },
  "assistant.test": {
    good: async (service) => {
      await listen(service, "scripted", { script: [{ say: "Nothing to do." }] });
      return { event: "ticket.created", data: {} };
    },
    bad: () => ({ event: "a..b", data: {} }),
  },
};
