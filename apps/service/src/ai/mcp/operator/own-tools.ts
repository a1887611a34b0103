import { operation } from "../../../access/access.ts";
import type { Operation } from "../../../access/access.ts";
import { readers } from "../../../accounts/accounts.ts";
import { DOCS_SEARCH, PROPOSAL_STATUS } from "../../../actions/actions.ts";
import type { ScannedJson } from "../../../lib/lib.ts";
import { toolCallOf } from "../mcp-message.ts";
import type { Tool } from "../tools.ts";
import { OPS_READ } from "./operator-call.ts";

export type ListedTool = Omit<Tool, "outputSchema">;

/** An operator tool that is not an operation of the API. */
interface OwnTool {
  /** The operation that the access checks let a call in for. */
  readonly operation: Operation;
  readonly listed: ListedTool;
}

export const OPERATOR_OWN_TOOLS: Readonly<Record<string, OwnTool>> = {
  [PROPOSAL_STATUS]: {
    operation: reading("proposals.get"),
    listed: listed({
      name: PROPOSAL_STATUS,
      title: "Status of a proposal",
      description:
        "Returns what has become of a write in live that you requested. `state` is proposed while a person must still decide, at " +
        "`approve_url` if it is not null; this tool cannot approve. Then it is running, and executed or failed, with the result or the error in `run`; or " +
        "rejected (with the `reason`), expired or cancelled, and nothing has changed.",
      property: ["proposal_id", { type: "string", description: "The `proposal.id` that the write returned, prop_…" }],
    }),
  },
  [DOCS_SEARCH]: {
    operation: reading("docs.search"),
    listed: listed({
      name: DOCS_SEARCH,
      title: "Search the documentation",
      description: "Searches Junction's documentation, API reference and error codes.",
      property: [
        "query",
        { type: "string", maxLength: 200, description: "A few words, such as `verify a signature`." },
      ],
    }),
  },
};

/** Returns the name of the called tool if it is one of these. */
export function ownToolOf(scanned: ScannedJson | null | undefined): string | undefined {
  const name = toolCallOf(scanned?.value)?.name;
  return name !== undefined && Object.hasOwn(OPERATOR_OWN_TOOLS, name) ? name : undefined;
}

function reading(name: string): Operation {
  return { ...operation({ name, access: "read", callers: readers, tenants: true }), namedScope: OPS_READ };
}

interface OneArgument extends Pick<Tool, "name" | "title" | "description"> {
  /** The name and the schema of the only argument. */
  readonly property: readonly [name: string, schema: object];
}

function listed({ name, title, description, property: [argument, schema] }: OneArgument): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: {
      type: "object",
      properties: { [argument]: schema },
      required: [argument],
      additionalProperties: false,
    },
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}
