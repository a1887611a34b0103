import { operation } from "../../access/access.ts";
import type { Operation } from "../../access/access.ts";
import type { ServiceError } from "../../lib/lib.ts";
import { operators, writers } from "../../accounts/accounts.ts";
import { authorRefusal } from "../definitions/author.ts";
import type { AuthorColumns } from "../definitions/author.ts";
import type { Step } from "./definition.ts";
import type { WorkflowsDeps } from "./deps.ts";

/** The permissions that the workflow's author needs at the time of the step: to write workflows, and to call what the step calls. */
const WRITING = operation({ name: "workflows.update", access: "write", callers: writers });
const OPERATIONS: Readonly<Partial<Record<Step["type"], Operation>>> = {
  fire_event: operation({ name: "events.fire", access: "write", callers: writers }),
  webhook: operation({ name: "webhook_endpoints.create", access: "write", callers: writers }),
  action: operation({ name: "actions.run", access: "write", callers: operators }),
  http: operation({ name: "http_calls.test", access: "write", callers: writers }),
};

/** Returns the reason why the author may not run this step now. Undefined if the author may. */
export async function stepRefusal(
  deps: WorkflowsDeps,
  workflow: AuthorColumns,
  { type }: Step,
): Promise<ServiceError | undefined> {
  const needed = OPERATIONS[type];
  return await authorRefusal(deps, "workflow", workflow, needed === undefined ? [WRITING] : [WRITING, needed]);
}
