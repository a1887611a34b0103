import type { Option } from "../../ui/ui.ts";
import type { ConditionDraft } from "../../shared/shared.ts";

/** One member of an action or a step. A name such as `auth/header` is a member of the member `auth`. */
export interface FieldSpec {
  readonly name: string;
  readonly label: string;
  /** `way`: the next step of a run. `pairs`: an object of texts. `rows`: a list of labels and texts. `value`: any JSON. `choice`: one of `options`. `flag`: true, or left out. */
  readonly kind:
    | "text"
    | "long"
    | "whole"
    | "json"
    | "value"
    | "pairs"
    | "rows"
    | "tags"
    | "way"
    | "choice"
    | "flag"
    | "condition";
  readonly hint?: string;
  /** True to send the member even when it is empty, so that the service says what is missing. */
  readonly required?: boolean;
  readonly suggest?: "events" | "actions" | "workflows" | "roles" | "secrets";
  readonly options?: readonly Option[];
  /** One entry of `pairs` or `rows`: "Header". */
  readonly one?: string;
  /** Names of the members of which a choice selects one. The choice itself is not sent. */
  readonly selects?: readonly string[];
  /** The field is shown and sent only for these values of another field. */
  readonly only?: { readonly field: string; readonly values: readonly string[] };
  /** True if the member can contain values, which the form offers to insert. */
  readonly takesValues?: boolean;
  /** True if the condition is about a response. */
  readonly isAboutResponse?: boolean;
  /** True to show the field next to another one. */
  readonly isShort?: boolean;
  /** Heading above the field and those after it. */
  readonly section?: string;
  /** The name of a way among the ways of a step: "If met". The way without one is the usual one. */
  readonly branch?: string;
  /** Another name of the member, which is read and not written. */
  readonly alias?: string;
  /** Destination of a way that is left out: the step below, or the end. Without it, there is no such way. */
  readonly absent?: "below" | "end";
}

/** A kind of action or step, with its fields. */
export interface ItemKind {
  readonly type: string;
  readonly label: string;
  readonly does: string;
  readonly fields: readonly FieldSpec[];
  /** The first texts of a new item. */
  readonly begins?: Readonly<Record<string, string>>;
}

/** An action or a step as it stands in the form. A value without a form is JSON. */
export interface ItemDraft {
  readonly key: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly json: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly pairs: Readonly<Record<string, readonly PairDraft[]>>;
  readonly conditions: Readonly<Record<string, ConditionDraft>>;
}

/** A name and its text, such as a header. */
export interface PairDraft {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}
