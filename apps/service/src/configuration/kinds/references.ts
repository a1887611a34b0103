/** The names by which objects refer to each other. They grow while objects are written. */
export interface References {
  /** Ids of workflows by their names: those of the caller's environment first. */
  readonly workflows: Map<string, string>;
  /** Names of workflows by their ids. */
  readonly workflowNames: Map<string, string>;
  /** URLs of inboxes by their names. */
  readonly inboxes: Map<string, string>;
}

export function newReferences(): References {
  return { workflows: new Map(), workflowNames: new Map(), inboxes: new Map() };
}
