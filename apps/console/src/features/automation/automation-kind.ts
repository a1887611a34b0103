import type { ReactNode } from "react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import type { Fault, ProblemAt } from "../../shared/shared.ts";
import type { WireFields } from "../../ui/ui.ts";

/** A rule or a workflow. The same pages list, create, edit and test both. */
export type Automation = wire.Rule | wire.Workflow;

/** A definition as the API accepts it, and the faults that prevent sending it. */
export interface Definition {
  readonly body: wire.NewRule | wire.NewWorkflow;
  readonly faults: readonly Fault[];
}

export interface DefinitionFieldsProps<Draft extends object> {
  readonly draft: Draft;
  readonly fields: WireFields<Draft>;
  /** Changes rows. Moved or removed rows take their faults with them. */
  readonly changeRows: (part: Partial<Draft>, isSame: boolean) => void;
  readonly problems: ProblemAt;
}

/** The names of rules or of workflows. */
export interface AutomationNames {
  /** The beginning of the operations' names. */
  readonly area: "rules" | "workflows";
  readonly noun: "rule" | "workflow";
  /** The noun as a heading. */
  readonly heading: string;
  readonly list: { readonly to: string; readonly label: string };
  readonly pathOf: (id: string) => string;
}

export const RULE_NAMES: AutomationNames = {
  area: "rules",
  noun: "rule",
  heading: "Rule",
  list: { to: paths.rules, label: "Rules" },
  pathOf: paths.rule,
};

export const WORKFLOW_NAMES: AutomationNames = {
  area: "workflows",
  noun: "workflow",
  heading: "Workflow",
  list: { to: paths.workflows, label: "Workflows" },
  pathOf: paths.workflow,
};

/** The differences between rules and workflows in the editor. `Draft` is a definition as it stands in the form. */
export interface AutomationKind<Item extends Automation, Draft extends object> extends AutomationNames {
  readonly newDraft: () => Draft;
  readonly draftOf: (item: Item) => Draft;
  readonly definitionOf: (draft: Draft) => Definition;
  readonly Fields: (props: DefinitionFieldsProps<Draft>) => ReactNode;
}
