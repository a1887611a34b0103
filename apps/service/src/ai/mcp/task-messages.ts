import type { Exchange } from "./exchange.ts";
import { writeRequest } from "./exchange.ts";
import { taskIdOf } from "./mcp-message.ts";
import { finalMembers, taskMembers } from "./task-view.ts";
import type { Task, TaskWire } from "./task-view.ts";

/** The codes of JSON-RPC. */
const INVALID_PARAMS = -32602;

/** Returns the whole response to `tasks/get`. */
export async function getTask(exchange: Exchange): Promise<string> {
  return await withTask(exchange, (task, wire) => exchange.question.frame(taskMembers(wire, task)));
}

/**
 * Returns the whole response to `tasks/result`. Connections do not wait for people: before the end, the response is an error that
 * says when to ask again.
 */
export async function taskResult(exchange: Exchange): Promise<string> {
  return await withTask(exchange, (task) =>
    task.status === "working"
      ? refused(exchange, "The task is still working. Poll tasks/get until it ends, and then request its result.")
      : exchange.question.frame(finalMembers(task)),
  );
}

/** Returns the whole response to `tasks/update`. No task asks for input, so each response to one is ignored. */
export async function updateTask(exchange: Exchange): Promise<string> {
  return await withTask(exchange, () => exchange.question.frame(""));
}

/** Returns the whole response to `tasks/cancel`. In the extension it only acknowledges the request. */
export async function cancelTask(exchange: Exchange): Promise<string> {
  const { mcp, question, caller, message } = exchange;
  const id = taskIdOf(message);
  const isCancelled = await mcp.tasks.cancel({ caller, id, request: writeRequest(exchange) });
  if (isCancelled === undefined) return unknown(exchange, id);
  if (wireOf(exchange) === "extension") return question.frame("");
  if (!isCancelled) return refused(exchange, "The task cannot be cancelled: its action is running or has ended.");
  return await getTask(exchange);
}

async function withTask(exchange: Exchange, respond: (task: Task, wire: TaskWire) => string): Promise<string> {
  const { mcp, caller, message } = exchange;
  const id = taskIdOf(message);
  const wire = wireOf(exchange);
  const task = await mcp.tasks.get(caller, wire, id);
  return task === undefined ? unknown(exchange, id) : respond(task, wire);
}

export function wireOf({ question }: Pick<Exchange, "question">): TaskWire {
  return question.isLegacy ? "2025-11-25" : "extension";
}

function unknown(exchange: Exchange, id: string): string {
  return refused(exchange, `Unknown task: ${JSON.stringify(id.slice(0, 100).toWellFormed())}`);
}

function refused({ question }: Exchange, message: string): string {
  return question.fail({ code: INVALID_PARAMS, message });
}
