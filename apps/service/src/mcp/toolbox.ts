import { refuseForbidden } from "../gate/gate.ts";
import type { Gate, IdempotencyRef } from "../gate/gate.ts";
import { decodeCursor, encodeCursor, pointerOf, ServiceError } from "../kernel/kernel.ts";
import type { Uuid, Violation } from "../kernel/kernel.ts";
import type { Caller } from "../workspaces/workspaces.ts";
import type { Outcome } from "./result.ts";
import { isStatusTool, STATUS_TOOL_NAMES, STATUS_TOOL_VIEWS, STATUS_TOOLS, toolOf } from "./tools.ts";
import type { Offered, StatusToolName, Tool } from "./tools.ts";

/** A contract as it is offered, and its place in the list. */
export type OfferedContract = Offered & { readonly id: Uuid };

/** One call of a tool. */
export interface Use {
  readonly caller: Caller;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly ip: string;
  readonly requestId: string;
  readonly idempotency: IdempotencyRef | null;
}

/** The registry as this surface, `mcp`, sees it: contracts that do not list it are neither shown nor run. */
export interface Registry {
  /** Contracts that the caller may run from here, in the order of their ids, after the one named. */
  offered(caller: Caller, page: OfferPage): Promise<readonly OfferedContract[]>;
  /** What `POST /v1/actions/run` answers. That an AI is behind it is settled by the surface. */
  run(use: Use): Promise<Outcome>;
  /** JSON texts, as under /v1. */
  proposal(caller: Caller, id: string): Promise<string>;
  runState(caller: Caller, id: string): Promise<string>;
}

export interface OfferPage {
  readonly after: Uuid | undefined;
  readonly limit: number;
}

export interface ToolPage {
  readonly tools: readonly Tool[];
  readonly nextCursor: string | undefined;
}

export interface Toolbox {
  /** What the caller may call, in an order that stays. 400 `cursor_invalid`. */
  list(caller: Caller, cursor: string | undefined): Promise<ToolPage>;
  /** Throws the refusals that /v1 has, their pointers from the arguments on. */
  call(use: Use): Promise<Outcome>;
}

export interface ToolboxDeps {
  readonly gate: Pick<Gate, "operations">;
  readonly registry: Registry;
}

const PAGE_SIZE = 100;

export function createToolbox({ gate, registry }: ToolboxDeps): Toolbox {
  const mayAsk = ({ key }: Caller, name: StatusToolName): boolean => {
    const operation = gate.operations.get(STATUS_TOOLS[name].operation);
    return operation !== undefined && isAllowed(() => refuseForbidden(key, operation));
  };
  return {
    async list(caller, cursor) {
      const binding = [caller.scope.workspaceId, "tools"];
      const after = decodeCursor(cursor, binding);
      const found = await registry.offered(caller, { after, limit: PAGE_SIZE + 1 });
      const shown = found.slice(0, PAGE_SIZE);
      const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
      const own = after === undefined ? STATUS_TOOL_NAMES.filter((name) => mayAsk(caller, name)) : [];
      return {
        tools: [...own.map((name) => STATUS_TOOL_VIEWS[name]), ...shown.map(toolOf)],
        nextCursor: last === undefined ? undefined : encodeCursor(last.id, binding),
      };
    },
    async call(use) {
      if (!isStatusTool(use.name)) return await fromArguments(async () => await registry.run(use));
      const id = onlyArgument(use, STATUS_TOOLS[use.name].argument);
      const read = use.name === "junction_proposal_status" ? registry.proposal : registry.runState;
      return { status: 200, body: await read(use.caller, id) };
    },
  };
}

function isAllowed(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function onlyArgument({ arguments: given }: Use, wanted: string): string {
  const value = given[wanted];
  const errors: Violation[] = Object.keys(given)
    .filter((name) => name !== wanted)
    .map((name) => ({ pointer: pointerOf([name]), code: "unknown", message: "is not an argument of this tool" }));
  if (value === undefined) errors.push({ pointer: pointerOf([wanted]), code: "required", message: "is required" });
  else if (typeof value !== "string")
    errors.push({ pointer: pointerOf([wanted]), code: "type", message: "must be string" });
  if (typeof value !== "string" || errors.length > 0) throw new ServiceError("validation_failed", { errors });
  return value;
}

/** Under /v1 a contract's parameters lie below `/parameters`; here they are the arguments themselves. */
async function fromArguments<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.details.errors === undefined) throw error;
    const errors = error.details.errors.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/parameters/, "") }));
    throw new ServiceError(error.code, { ...error.details, errors });
  }
}
