import { call } from "../../api/api.ts";

const KEY = "getting_started.greet";

/** The call of the sample action. A user's program would make the same call. */
export const SAMPLE_CALL = { action: KEY, parameters: { name: "Ada" } };

/** Registers an action with the built-in inbox as its backend, unless it exists, and requests it. The request waits for approval. */
export async function askForSample(): Promise<void> {
  const inbox = await call("inboxes.put", { path: { name: "getting-started" } });
  const { data } = await call("action_contracts.list", { query: { limit: 100 } });
  if (!data.some(({ key }) => key === KEY)) await call("action_contracts.create", { body: contractOn(inbox.url) });
  await call("actions.run", { body: SAMPLE_CALL });
}

function contractOn(endpoint: string) {
  return {
    key: KEY,
    label: "Send a greeting",
    surface: ["api" as const, "console" as const],
    roles: ["owner" as const, "admin" as const, "developer" as const, "operator" as const],
    requires_confirmation: true,
    audit: true,
    risk: "low" as const,
    params: { name: { type: "string" as const, required: true, max: 80 } },
    endpoint,
  };
}
