import { isEventName } from "../../events/events.ts";
import { ServiceError } from "../../lib/lib.ts";
import { callerOf, keepers, live, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Assistant } from "./assistant.ts";
import * as shapes from "./assistant.schemas.ts";

export function assistantRoutes(app: App, assistant: Assistant): void {
  route(app, "GET /v1/assistant", {
    config: { operation: "assistant.get", callers: readers },
    operationId: "getAssistant",
    summary: "Show the assistant",
    description: "Returns the settings, and the settings that are missing before the assistant receives events.",
    response: { 200: shapes.AssistantShape },
    handler: async (request) => await assistant.show(callerOf(request).scope),
  });

  route(app, "PATCH /v1/assistant", {
    config: {
      operation: "assistant.update",
      callers: live(keepers),
      // They decide where a secret is sent.
      doesWith: { secret_ref: "secrets.put", base_url: "secrets.put" },
      audit: "workspace",
      errors: ["url_blocked"],
    },
    operationId: "updateAssistant",
    summary: "Change the assistant",
    description:
      "Only the members in the request change. The provider is not one of them: it is the workspace setting `assistant` (`PATCH /v1/workspaces/current`), which is `off` by default.",
    body: shapes.AssistantPatch,
    response: { 200: shapes.AssistantShape },
    handler: async (request) => await assistant.change(callerOf(request).scope, request.body),
  });

  route(app, "POST /v1/assistant/test", {
    config: { operation: "assistant.test", callers: writers, remote: true, errors: ["conflict"] },
    operationId: "testAssistant",
    summary: "Test the assistant",
    description:
      "Sends the model an event that was not fired, and returns the calls that the model would propose. Nothing is proposed. The request counts toward the assistant's budgets.",
    body: shapes.TrialBody,
    response: { 200: shapes.TrialShape },
    handler: async (request) => {
      const { event } = request.body;
      if (!isEventName(event))
        throw new ServiceError("validation_failed", {
          errors: [{ pointer: "/event", code: "event_name", message: "must be an event name such as order.created" }],
        });
      const data = request.scanned?.slice(["data"]) ?? "{}";
      return await assistant.test(callerOf(request).scope, { event, data });
    },
  });
}
