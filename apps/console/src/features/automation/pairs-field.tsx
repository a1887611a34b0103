import { Plus, X } from "lucide-react";
import { useId } from "react";
import { TemplateField } from "../../shared/shared.ts";
import type { ProblemAt, Offer } from "../../shared/shared.ts";
import { Button, IconButton, TextField } from "../../ui/ui.ts";
import type { PairDraft } from "./item-kind.ts";
import { newPair } from "./item-members.ts";

export interface PairsFieldProps {
  /** "Headers" */
  readonly label: string;
  /** "Header" */
  readonly one: string;
  readonly pairs: readonly PairDraft[];
  readonly onChange: (pairs: readonly PairDraft[]) => void;
  readonly offers: readonly Offer[];
  /** Problems at pointers from the member on. */
  readonly problems: ProblemAt;
  /** True for a list, whose order and names are free. */
  readonly isList?: boolean;
}

/** Edits names and their texts, such as headers. */
export function PairsField({ label, one, pairs, onChange, offers, problems, isList = false }: PairsFieldProps) {
  const heading = useId();
  const noun = one.toLowerCase();
  const pointerOf = ({ name }: PairDraft, at: number): string => (isList ? `/${at}` : memberPointer(name));
  const whole = pairs.some((pair, at) => problems(pointerOf(pair, at)) !== undefined) ? undefined : problems("");
  return (
    <div role="group" aria-labelledby={heading} className="flex min-w-0 flex-col gap-2">
      <p id={heading} className="text-sm font-medium">
        {label}
      </p>
      {whole === undefined ? null : (
        <p role="alert" className="text-xs text-bad">
          {whole}
        </p>
      )}
      {pairs.map((pair, at) => (
        <div key={pair.key} role="group" aria-label={`${one} ${at + 1}`} className="flex items-start gap-2">
          <div className="grid min-w-0 flex-1 items-start gap-2 @md:grid-cols-[2fr_3fr]">
            <TextField
              label={`${one} ${isList ? "label" : "name"}`}
              mono
              value={pair.name}
              onChange={(name) => onChange(pairs.with(at, { ...pair, name }))}
            />
            <TemplateField
              label={`${one} value`}
              value={pair.value}
              offers={offers}
              onChange={(value) => onChange(pairs.with(at, { ...pair, value }))}
              error={problems(pointerOf(pair, at))}
            />
          </div>
          <IconButton size="sm" label={`Remove ${noun} ${at + 1}`} onPress={() => onChange(pairs.toSpliced(at, 1))}>
            <X aria-hidden size={15} />
          </IconButton>
        </div>
      ))}
      <div>
        <Button size="sm" icon={<Plus aria-hidden size={14} />} onPress={() => onChange([...pairs, newPair()])}>
          Add {noun}
        </Button>
      </div>
    </div>
  );
}

function memberPointer(name: string): string {
  return `/${name.trim().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
