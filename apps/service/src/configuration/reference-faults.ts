import type { Violation } from "../lib/lib.ts";
import { listOf, recordOf } from "./kinds/documents.ts";
import { fault } from "./file.ts";
import type { SentObject } from "./file.ts";
import type { Kind } from "./kinds/kind.ts";

/** The names that objects of a configuration can refer to: those of the workspace, and those of the file. */
interface KnownNames {
  readonly workflows: ReadonlySet<string>;
  readonly inboxes: ReadonlySet<string>;
}

/** Returns the references that lead nowhere. */
export function referenceFaults({ section }: Kind, wanted: readonly SentObject[], known: KnownNames): Violation[] {
  if (section === "rules") return wanted.flatMap((one) => ruleFaults(one, known));
  return section === "endpoints" ? wanted.flatMap((one) => endpointFaults(one, known)) : [];
}

function ruleFaults({ document, place }: SentObject, { workflows }: KnownNames): Violation[] {
  return listOf(document["then"]).flatMap((one, at): Violation[] => {
    const { type, workflow, workflow_id: id } = recordOf(one);
    if (type !== "start_workflow") return [];
    const to = [...place, "then", at];
    if (id !== undefined) return [fault([...to, "workflow_id"], "unknown", "must be omitted: name the `workflow`")];
    if (typeof workflow === "string" && workflows.has(workflow)) return [];
    return [fault([...to, "workflow"], "workflow_unknown", "must be the name of a workflow")];
  });
}

function endpointFaults({ document, place }: SentObject, { inboxes }: KnownNames): Violation[] {
  const { inbox, url } = document;
  if (inbox === undefined || inbox === null) return [];
  if (url !== undefined && url !== null)
    return [fault([...place, "inbox"], "conflict", "must not be used together with url: send only one of them")];
  return typeof inbox === "string" && inboxes.has(inbox)
    ? []
    : [fault([...place, "inbox"], "inbox_unknown", "must be the name of an inbox")];
}
