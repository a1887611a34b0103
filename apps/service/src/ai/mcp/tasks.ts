import { requesterOf } from "../../accounts/accounts.ts";
import type { Admitted, Caller } from "../../accounts/accounts.ts";
import { askerOf } from "../../actions/actions.ts";
import type { Proposals, RequestContext, Runs } from "../../actions/actions.ts";
import { ServiceError } from "../../lib/lib.ts";
import { taskOf } from "./task-view.ts";
import type { Task, TaskWire } from "./task-view.ts";
import { isOwnTool } from "./tools.ts";

/** The tasks of a caller. Nothing is kept in memory, so that every node knows every task. */
export interface Tasks {
  /** Returns undefined for an unknown task and for that of another caller. */
  get(caller: Caller, wire: TaskWire, id: string): Promise<Task | undefined>;
  /** Withdraws the request. Returns false if it can no longer be withdrawn. Undefined for an unknown task. */
  cancel(withdrawal: Withdrawal): Promise<boolean | undefined>;
  /** Returns false for a tool whose calls run at once. */
  mayWait(caller: Caller, tool: string): Promise<boolean>;
}

export interface Withdrawal {
  readonly caller: Admitted;
  readonly id: string;
  readonly request: RequestContext;
}

export interface TasksDeps {
  readonly runs: Pick<Runs, "follow" | "mayWait" | "keyOfTool">;
  readonly proposals: Pick<Proposals, "cancel">;
}

/** The refusals of a request that ended in the meantime. */
const TOO_LATE: ReadonlySet<string> = new Set(["already_decided", "proposal_expired", "proposal_changed"]);

export function createTasks({ runs, proposals }: TasksDeps): { readonly tasks: Tasks } {
  const find = async ({ key, scope }: Caller, id: string) =>
    await runs.follow({ scope, author: requesterOf(key), surface: "mcp" }, id);
  return {
    tasks: {
      async get(caller, wire, id) {
        const proposal = await find(caller, id);
        return proposal === undefined ? undefined : taskOf(wire, id, proposal);
      },
      async cancel({ caller, id, request }) {
        const proposal = await find(caller, id);
        if (proposal === undefined) return undefined;
        if (proposal.state !== "proposed") return false;
        const asker = { ...askerOf(caller, { ip: caller.ip, display: null }), surface: "mcp", isAi: true } as const;
        try {
          await proposals.cancel({ asker, isPerson: false }, { id: proposal.id, request });
          return true;
        } catch (error) {
          if (error instanceof ServiceError && TOO_LATE.has(error.code)) return false;
          throw error;
        }
      },
      mayWait: async ({ scope }, tool) =>
        !isOwnTool(tool) && (await runs.mayWait(scope, await runs.keyOfTool(scope, tool))),
    },
  };
}
