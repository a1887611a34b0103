import { EyeOff, RotateCcw, TriangleAlert } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { Badge, Card, labelOf } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

const TONES: Readonly<Record<string, Tone>> = { low: "neutral", medium: "warn", high: "bad" };

export function RiskBadge({ risk }: { readonly risk: string }) {
  return <Badge tone={TONES[risk] ?? "neutral"}>{labelOf(risk)} risk</Badge>;
}

/** Exactly what would happen, as the service says it; what is sensitive is masked there already. */
export function PreviewCard({ preview, isStep }: { readonly preview: wire.Preview; readonly isStep: boolean }) {
  return (
    <Card title="Preview" {...(isStep ? {} : { actions: <RiskBadge risk={preview.risk} /> })}>
      {isStep ? (
        <p className="pb-2 break-words whitespace-pre-wrap">
          <bdi>{preview.summary}</bdi>
        </p>
      ) : null}
      <dl className="flex flex-col divide-y divide-line">
        {preview.fields.map((field, at) => (
          <div
            key={`${at} ${field.name}`}
            className="grid grid-cols-[minmax(8rem,14rem)_1fr] gap-x-6 gap-y-0.5 py-2 max-sm:grid-cols-1"
          >
            <dt className="min-w-0">
              <code className="text-sm break-all">{field.name}</code>
              <p className="text-xs break-words text-muted">{field.description}</p>
            </dt>
            <dd className="min-w-0 self-center font-mono text-sm break-words whitespace-pre-wrap">
              {field.masked ? (
                <span className="inline-flex items-center gap-1.5 font-sans text-muted">
                  <EyeOff aria-hidden size={14} />
                  Hidden (sensitive value)
                </span>
              ) : (
                <bdi>{field.value}</bdi>
              )}
            </dd>
          </div>
        ))}
        {preview.fields.length === 0 ? <p className="py-2 text-sm text-muted">No parameters.</p> : null}
      </dl>
      {isStep ? null : <Nature preview={preview} />}
    </Card>
  );
}

/** The nature of an action, as the service describes it. */
function Nature({ preview }: { readonly preview: wire.Preview }) {
  return (
    <p className="mt-3 flex items-start gap-1.5 border-t border-line pt-3 text-sm">
      {preview.reversible ? (
        <RotateCcw aria-hidden size={14} className="mt-0.5 shrink-0 text-muted" />
      ) : (
        <TriangleAlert aria-hidden size={14} className="mt-0.5 shrink-0 text-warn" />
      )}
      <bdi className="min-w-0 wrap-anywhere">{preview.summary}</bdi>
    </p>
  );
}
