import { useMutation } from "@tanstack/react-query";
import { Button, Card, ErrorNote } from "../ui/ui.ts";
import { shortUrl } from "./endpoint-names.tsx";
import { SecretLine } from "./secret-line.tsx";

/** The headers of one receiver, with their values. */
interface ShownHeaders {
  /** Undefined where there is one receiver only. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HeadersCardProps {
  readonly mayReveal: boolean;
  readonly reveal: () => Promise<readonly ShownHeaders[]>;
}

/** Values of headers, which only owners see. */
export function HeadersCard({ mayReveal, reveal }: HeadersCardProps) {
  const { data: shown, error, isPending, mutate, reset } = useMutation({ mutationFn: reveal, gcTime: 0 });
  return (
    <Card
      title="Header values"
      description="Values are encrypted and hidden. Each time an owner shows them is recorded in the audit log."
    >
      <div className="flex flex-col gap-3">
        {shown?.map((one, at) => (
          <HeaderLines key={at} {...one} />
        ))}
        {error === null ? null : <ErrorNote error={error} />}
        <div>
          {shown === undefined ? (
            <Button isDisabled={!mayReveal} isPending={isPending} onPress={() => mutate()}>
              Show header values
            </Button>
          ) : (
            <Button onPress={reset}>Hide header values</Button>
          )}
        </div>
        {mayReveal ? null : <p className="text-sm text-muted">Only owners can show header values.</p>}
      </div>
    </Card>
  );
}

function HeaderLines({ url, headers }: ShownHeaders) {
  const lines = Object.entries(headers);
  return (
    <>
      {url === undefined ? null : <p className="text-sm break-all text-muted">{shortUrl(url)}</p>}
      {lines.length === 0 ? <p className="text-sm text-muted">No headers.</p> : null}
      {lines.map(([name, value]) => (
        <SecretLine key={name} label={name} secret={value} />
      ))}
    </>
  );
}
