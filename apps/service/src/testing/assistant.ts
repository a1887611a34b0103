import { registerContract } from "./contracts.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** Turns the assistant on with these settings. */
export async function listen(service: TestService, provider: string, settings: Record<string, unknown>): Promise<void> {
  const on = await service.api("PATCH", "/v1/workspaces/current", { settings: { assistant: provider } });
  const set = await service.api("PATCH", "/v1/assistant", settings);
  if (on.status !== 200 || set.status !== 200) throw new Error(`no assistant: ${on.text} ${set.text}`);
}

/** Creates a contract that the assistant may request. */
export async function offered(service: TestService, more: Record<string, unknown> = {}): Promise<Parsed> {
  return await registerContract(service, {
    surface: ["api", "assistant"],
    roles: ["owner", "admin", "developer", "ai"],
    params: { note: { type: "string", required: true, max: 200 } },
    ...more,
  });
}

/** Returns the AI history entry about an event, once it has at least this number of results. */
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
    // The first change would insert a row and later ones update it, so the row is created first.
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
