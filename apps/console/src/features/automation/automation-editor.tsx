import { useState } from "react";
import { EditorForm, problemAt, problemsOf } from "../../shared/shared.ts";
import type { Fault } from "../../shared/shared.ts";
import { bindFields, Button } from "../../ui/ui.ts";
import type { Automation, AutomationKind, Definition } from "./automation-kind.ts";

export interface AutomationEditorProps<Item extends Automation, Draft extends object> {
  readonly kind: AutomationKind<Item, Draft>;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onSave: (body: Definition["body"]) => void;
  readonly onReset: () => void;
  readonly saveLabel: string;
  readonly isPending: boolean;
  readonly maySave: boolean;
  readonly error: unknown;
}

/** The whole of a rule or workflow as a form; sent only where no fault is found here. */
export function AutomationEditor<Item extends Automation, Draft extends object>(
  props: AutomationEditorProps<Item, Draft>,
) {
  const { kind, draft, onChange, onSave, onReset, error } = props;
  const [found, setFound] = useState<readonly Fault[]>([]);
  const faults = problemsOf(found, error);
  const problems = problemAt(faults);
  const fields = bindFields({ value: draft, change: onChange, problem: problems });
  const changeRows = (part: Partial<Draft>, isSame: boolean): void => {
    if (!isSame) {
      setFound([]);
      onReset();
    }
    onChange({ ...draft, ...part });
  };
  const save = (): void => {
    const { body, faults: now } = kind.definitionOf(draft);
    setFound(now);
    onReset();
    if (now.length === 0) onSave(body);
  };
  return (
    <EditorForm label={kind.heading} onSubmit={save} error={error} faults={faults}>
      <kind.Fields draft={draft} fields={fields} changeRows={changeRows} problems={problems} />
      <div className="flex items-center gap-3">
        <Button type="submit" variant="primary" isPending={props.isPending} isDisabled={!props.maySave}>
          {props.saveLabel}
        </Button>
        {props.maySave ? null : <p className="text-sm text-muted">Your role can't change {kind.area}.</p>}
      </div>
    </EditorForm>
  );
}
