import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { call } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Card, messageOf } from "../../ui/ui.ts";
import { EXTRACTED } from "./extracted.ts";
import { trialOf } from "./payloads.ts";
import type { Payload } from "./payloads.ts";
import { ReceiptLight } from "./receipt-states.tsx";

export interface ResultsProps {
  readonly source: wire.InboundEndpoint;
  readonly payloads: readonly Payload[];
  readonly mapping: wire.InboundTrialMapping;
}

/** Shows the results of the current mapping for each of the last payloads, without saving anything. */
export function Results({ source, payloads, mapping }: ResultsProps) {
  const tried = useDeferredValue(mapping);
  const answers = useQueries({
    queries: payloads.map((payload) => ({
      queryKey: ["inbound_endpoints.preview", { id: payload.id, source: source.id, tried }],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
        await call(
          "inbound_endpoints.preview",
          { path: { id: source.id }, body: { ...trialOf(payload, tried), mapping: tried } },
          { signal },
        ),
      placeholderData: keepPreviousData,
      retry: false,
      staleTime: Infinity,
    })),
  });
  if (payloads.length === 0) return null;
  return (
    <Card title="Preview" description="The result of the mapping above for recent receipts." flush>
      <div className="overflow-x-auto" role="region" aria-label="Mapping results" tabIndex={0}>
        {/* On a phone, each row is a list: its columns are far wider than the screen. */}
        <table className="w-full border-collapse text-left text-sm max-md:block">
          <thead className="max-md:sr-only">
            <tr className="border-b border-line text-muted">
              <th scope="col" className="px-4 py-2 font-medium">
                Receipt
              </th>
              <th scope="col" className="px-4 py-2 font-medium">
                State
              </th>
              {EXTRACTED.map(([name, label]) => (
                <th key={name} scope="col" className="px-4 py-2 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="max-md:block">
            {payloads.map((payload, index) => (
              <ResultRow key={payload.id} payload={payload} answer={answers[index]} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

const CELL = "px-4 py-2 max-md:block max-md:py-0.5";

interface ResultRowProps {
  readonly payload: Payload;
  readonly answer: { readonly data?: wire.InboundPreview | undefined; readonly error: unknown } | undefined;
}

function ResultRow({ payload, answer }: ResultRowProps) {
  const { data, error } = answer ?? { data: undefined, error: null };
  return (
    <tr className="border-b border-line last:border-0 max-md:block max-md:py-2">
      <th scope="row" className={`${CELL} font-normal md:whitespace-nowrap`}>
        <bdi>{payload.label}</bdi>
      </th>
      {data === undefined ? (
        <td colSpan={EXTRACTED.length + 1} className={`${CELL} text-muted`}>
          {error === null ? "Loading…" : messageOf(error)}
        </td>
      ) : (
        <>
          <td className={CELL}>
            <ReceiptLight result={data} />
            {data.items === null ? null : <p className="text-xs text-muted">{countOf(data.items.length)}</p>}
            {data.event === null ? null : (
              <p className="max-w-64 font-mono text-xs break-all text-muted">{data.event}</p>
            )}
            {data.reason === null ? null : <p className="max-w-64 text-xs break-words text-muted">{data.reason}</p>}
          </td>
          {EXTRACTED.map(([name, label]) => (
            <td key={name} className={`${CELL} align-top break-words md:max-w-48`}>
              <span className="text-xs text-muted md:hidden">{label}: </span>
              {data.extracted[name] === null ? (
                <span className="text-muted">–</span>
              ) : (
                <bdi>{String(data.extracted[name])}</bdi>
              )}
            </td>
          ))}
        </>
      )}
    </tr>
  );
}

function countOf(elements: number): string {
  return elements === 1 ? "A list of 1 event" : `A list of ${elements} events`;
}
