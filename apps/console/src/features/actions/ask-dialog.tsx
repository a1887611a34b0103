import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Button, Dialog, fieldError, Form, Select, Switch, TextField, toast } from "../../ui/ui.ts";
import { PreviewCard } from "./preview-card.tsx";
import { valueOf } from "./values.ts";

type Texts = Readonly<Record<string, string>>;

/** Fields by the contract's parameters; first what would come of it, then the call. */
export function AskDialog({
  contract,
  onClose,
}: {
  readonly contract: wire.ActionContract;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const [texts, setTexts] = useState<Texts>({});
  const [preview, setPreview] = useState<wire.Preview>();
  const run = useWrite("actions.run", { refreshes: ["proposals.", "runs.", "audit."] });
  const change = (name: string, text: string): void => {
    setPreview(undefined);
    setTexts((before) => ({ ...before, [name]: text }));
  };
  const parameters = Object.fromEntries(
    Object.entries(contract.params).flatMap(([name, parameter]) => {
      const text = texts[name] ?? "";
      return text === "" ? [] : [[name, valueOf(parameter.type, text)]];
    }),
  );
  const look = (): void =>
    run.mutate(
      { body: { action: contract.key, parameters, dry_run: true } },
      { onSuccess: (answer) => setPreview("preview" in answer ? answer.preview : undefined) },
    );
  const ask = (): void =>
    run.mutate(
      { body: { action: contract.key, parameters } },
      {
        onSuccess: (answer) => {
          onClose();
          const proposal = "proposal" in answer ? answer.proposal : undefined;
          toast(proposal === undefined ? "Action requested." : "Approval requested.");
          if (proposal !== undefined) void navigate({ to: paths.approval(proposal.id) });
          else if (answer.id !== undefined) void navigate({ to: paths.run(answer.id) });
        },
      },
    );
  return (
    <Dialog
      title={contract.label}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            type="submit"
            form="ask"
            variant={preview === undefined ? "primary" : "secondary"}
            isPending={run.isPending}
          >
            Preview action
          </Button>
          {preview === undefined ? null : (
            <Button variant="primary" isPending={run.isPending} onPress={ask}>
              {contract.requires_confirmation ? "Request approval" : "Run action"}
            </Button>
          )}
        </>
      }
    >
      <Form id="ask" judge="service" onSubmit={look} error={run.error}>
        {Object.entries(contract.params).map(([name, parameter]) => (
          <ParameterField
            key={name}
            name={name}
            parameter={parameter}
            text={texts[name] ?? ""}
            onChange={(text) => change(name, text)}
            error={run.error}
          />
        ))}
        {preview === undefined ? null : <PreviewCard preview={preview} isStep={false} />}
      </Form>
    </Dialog>
  );
}

interface ParameterFieldProps {
  readonly name: string;
  readonly parameter: wire.ActionParameter;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly error: unknown;
}

function ParameterField({ name, parameter, text, onChange, error }: ParameterFieldProps) {
  const problem = fieldError(error, `/parameters/${name}`);
  const described = parameter.description === undefined ? {} : { description: parameter.description };
  if (parameter.enum !== undefined) {
    const options = parameter.enum.map((value) => ({ value: String(value), label: String(value) }));
    return <Select label={name} options={options} value={text} onChange={onChange} {...described} {...problem} />;
  }
  if (parameter.type === "boolean") {
    return (
      <Switch isSelected={text === "true"} onChange={(isOn) => onChange(String(isOn))}>
        {name}
      </Switch>
    );
  }
  return (
    <TextField
      label={name}
      value={text}
      onChange={onChange}
      isRequired={parameter.required === true}
      autoComplete="off"
      {...(parameter.sensitive === true ? { type: "password" as const } : {})}
      {...described}
      {...problem}
    />
  );
}
