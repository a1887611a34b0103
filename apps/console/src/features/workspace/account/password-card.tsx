import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import { Button, Card, fieldError, Form, TextField, toast } from "../../../ui/ui.ts";
import { useStepUp } from "../../../shared/shared.ts";
import { AccountName } from "./account-name.tsx";

export function PasswordCard() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const stepUp = useStepUp();
  const change = useWrite("auth.password", { refreshes: ["auth.sessions."] });
  const save = (): void =>
    change.mutate(
      { body: { current, new: next } },
      {
        onSuccess: () => {
          toast("Password changed. Your other sessions were ended.");
          setCurrent("");
          setNext("");
        },
        onError: stepUp.orProve({ operation: "auth.password" }, () => save()),
      },
    );
  return (
    <Card
      title="Password"
      description="Changing the password ends your other sessions and the links of your Slack accounts."
    >
      <Form onSubmit={save} error={change.error} label="Password">
        <AccountName />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          isRequired
          value={current}
          onChange={setCurrent}
          {...fieldError(change.error, "/current")}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          isRequired
          minLength={12}
          description="At least 12 characters."
          value={next}
          onChange={setNext}
          {...fieldError(change.error, "/new")}
        />
        <div>
          <Button type="submit" isPending={change.isPending}>
            Change password
          </Button>
        </div>
      </Form>
      {stepUp.dialog}
    </Card>
  );
}
