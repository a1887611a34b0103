import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { Button, Card, CodeBlock, ErrorNote, StatusLight, TextField } from "../../ui/ui.ts";
import { canCompute, checksOf } from "./signing.ts";
import type { Check } from "./signing.ts";

export interface SignatureCardProps {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly request: NonNullable<wire.DeliveryDetail["request"]>;
}

/** Computes the signatures again, step by step, with the endpoint's secret or with one that a receiver has. */
export function SignatureCard({ endpointId, deliveryId, request }: SignatureCardProps) {
  const [typed, setTyped] = useState("");
  const [secret, setSecret] = useState("");
  const mayReveal = useAccess().may("webhook_endpoints.secret");
  // Asked for by a press alone, and never kept: who looks at a secret is audited.
  const reveal = useMutation({
    mutationFn: async () => await call("webhook_endpoints.secret", { path: { id: endpointId } }),
    gcTime: 0,
    onSuccess: (answer) => setSecret(answer.secret),
  });
  const isPortal = usePortal() !== undefined;
  const checks = useQuery({
    queryKey: ["signature", deliveryId, request.headers["X-Service-Timestamp"], secret],
    queryFn: async () => await checksOf(request, secret),
    enabled: secret !== "" && canCompute,
    gcTime: 0,
  });
  return (
    <Card
      title="Signature"
      description="Computes the signatures in your browser, as a receiver does. Enter the secret that your receiver uses to check whether it is correct."
    >
      {canCompute ? (
        <div className="flex flex-col gap-4">
          <form
            className="flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              setSecret(typed.trim());
            }}
          >
            <div className="min-w-48 flex-1">
              <TextField
                label="Receiver secret"
                value={typed}
                onChange={setTyped}
                mono
                autoComplete="off"
                placeholder="whsec_…"
              />
            </div>
            <Button type="submit" isDisabled={typed.trim() === ""}>
              Check signatures
            </Button>
            <Button isDisabled={!mayReveal} isPending={reveal.isPending} onPress={() => reveal.mutate()}>
              Use endpoint secret
            </Button>
          </form>
          {mayReveal ? null : (
            <p className="text-xs text-muted">
              {isPortal ? "Paste" : "Only owners can show an endpoint's secret. Paste"} your secret instead.
            </p>
          )}
          {reveal.error === null ? null : <ErrorNote error={reveal.error} />}
          {checks.data === undefined ? null : <Checks checks={checks.data} />}
        </div>
      ) : (
        <p className="text-muted">
          Your browser can compute signatures only on pages from https or localhost. Open this page over https.
        </p>
      )}
    </Card>
  );
}

function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const good = checks.filter((check) => check.matches).length;
  return (
    <div className="flex flex-col gap-4">
      <p role="status">
        {good === checks.length ? (
          <StatusLight tone="good">All {checks.length} signatures match this secret</StatusLight>
        ) : (
          <StatusLight tone="bad">
            {good === 0
              ? "No signature matches: the request was signed with another secret"
              : `${good} of ${checks.length} match`}
          </StatusLight>
        )}
      </p>
      <ol className="flex flex-col gap-4">
        {checks.map((check, step) => (
          <li key={check.title} className="flex flex-col gap-2">
            <h3 className="flex flex-wrap items-center justify-between gap-2 text-sm font-semibold">
              <span>
                {step + 1}. {check.title}
              </span>
              <StatusLight tone={check.matches ? "good" : "bad"}>{check.matches ? "matches" : "differs"}</StatusLight>
            </h3>
            <p className="text-sm text-muted">{check.how}</p>
            <CodeBlock label={`Signed text: ${check.title}`} text={check.signed} maxHeight="5.5rem" />
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
              <dt className="text-muted">Computed</dt>
              <dd className="font-mono break-all">{check.computed}</dd>
              <dt className="text-muted">Sent</dt>
              <dd className="font-mono break-all">{check.sent === "" ? "none" : check.sent}</dd>
            </dl>
          </li>
        ))}
      </ol>
    </div>
  );
}
