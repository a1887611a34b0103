import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, CodeBlock, ErrorNote, StatusLight, TextField } from "../../ui/ui.ts";
import type { wire } from "../../api/api.ts";
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
  const revealed = useReveal(endpointId, setSecret);
  const checks = useQuery({
    queryKey: ["signature", deliveryId, request.headers["X-Service-Timestamp"], secret],
    queryFn: async () => await checksOf(request, secret),
    enabled: secret !== "" && canCompute,
    gcTime: 0,
  });
  return (
    <Card
      title="Signature"
      description="Computes what a receiver computes, here in your browser. With the secret that your receiver uses you see whether it is the right one."
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
                label="Your receiver's secret"
                value={typed}
                onChange={setTyped}
                mono
                autoComplete="off"
                placeholder="whsec_…"
              />
            </div>
            <Button type="submit" isDisabled={typed.trim() === ""}>
              Check
            </Button>
            <Button isDisabled={!revealed.may} isPending={revealed.isPending} onPress={revealed.reveal}>
              Use the endpoint's secret
            </Button>
          </form>
          {revealed.may ? null : (
            <p className="text-xs text-muted">Only owners may look at an endpoint's secret; paste yours instead.</p>
          )}
          {revealed.error === null ? null : <ErrorNote error={revealed.error} />}
          {checks.data === undefined ? null : <Checks checks={checks.data} />}
        </div>
      ) : (
        <p className="text-muted">
          Your browser computes signatures only on a page that came by https, or from localhost. Open the console that
          way.
        </p>
      )}
    </Card>
  );
}

/** Asked for by a press alone, and never kept: who looks at a secret is audited. */
function useReveal(endpointId: string, onSecret: (secret: string) => void) {
  const may = useAccess().may("webhook_endpoints.secret");
  const [state, setState] = useState<{ isPending: boolean; error: unknown }>({ isPending: false, error: null });
  const reveal = async (): Promise<void> => {
    setState({ isPending: true, error: null });
    try {
      onSecret((await call("webhook_endpoints.secret", { path: { id: endpointId } })).secret);
      setState({ isPending: false, error: null });
    } catch (error) {
      setState({ isPending: false, error });
    }
  };
  return { may, ...state, reveal: () => void reveal() };
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
              ? "No signature matches: this is not the secret that signed it"
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
            <CodeBlock label={`What is signed: ${check.title}`} text={check.signed} maxHeight="5.5rem" />
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
              <dt className="text-muted">Computed</dt>
              <dd className="font-mono break-all">{check.computed}</dd>
              <dt className="text-muted">Sent</dt>
              <dd className="font-mono break-all">{check.sent === "" ? "nothing" : check.sent}</dd>
            </dl>
          </li>
        ))}
      </ol>
    </div>
  );
}
