import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Button, Card, ComboBox, fieldError, Form, StatusLight, TextField } from "../../../ui/ui.ts";

/** Tests the access checks for this key and an address, without calling anything. */
export function Trial({ id }: { readonly id: string }) {
  const [operation, setOperation] = useState("events.fire");
  const [ip, setIp] = useState("");
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  const test = useWrite("keys.test");
  const names = [...new Set(roles.data?.data.flatMap((role) => role.operations.map((one) => one.name)))].toSorted();
  const ask = (): void =>
    test.mutate({
      path: { id },
      body: { operation: operation.trim(), ...(ip.trim() === "" ? {} : { ip: ip.trim() }) },
    });
  return (
    <Card title="Test permissions" description="Checks access without running anything.">
      <Form onSubmit={ask} error={test.error} label="Test permissions">
        <div className="grid gap-4 sm:grid-cols-2">
          <ComboBox
            label="Operation or action"
            options={names.map((name) => ({ value: name, label: name }))}
            value={operation}
            onChange={setOperation}
            isRequired
            mono
            {...fieldError(test.error, "/operation")}
          />
          <TextField
            label="IP address"
            isRequired={false}
            placeholder="203.0.113.7"
            mono
            value={ip}
            onChange={setIp}
            {...fieldError(test.error, "/ip")}
          />
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" isPending={test.isPending}>
            Test permissions
          </Button>
          <div role="status">{test.data === undefined ? null : <Verdict result={test.data} />}</div>
        </div>
      </Form>
    </Card>
  );
}

function Verdict({ result }: { readonly result: wire.KeyTrialResult }) {
  if (result.allowed) return <StatusLight tone="good">Allowed</StatusLight>;
  return (
    <span className="flex flex-col">
      <StatusLight tone="bad">Denied: {result.code ?? "unknown"}</StatusLight>
      <span className="text-sm text-muted">{result.detail}</span>
    </span>
  );
}
