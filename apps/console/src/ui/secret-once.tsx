import { TriangleAlert } from "lucide-react";
import { CopyButton } from "./copy.tsx";

export interface SecretOnceProps {
  /** Name of the secret: "API key", "Signing secret". */
  readonly label: string;
  readonly secret: string;
}

/** A secret that the service shows in one answer and never again. */
export function SecretOnce({ label, secret }: SecretOnceProps) {
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-warn bg-warn-soft p-3">
      <p className="flex items-start gap-2 text-sm text-warn">
        <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
        <span>Copy the value now. It is shown only once and can't be retrieved later.</span>
      </p>
      <SecretText label={label} secret={secret} />
    </div>
  );
}

/** A secret to copy. Its owner can look it up again. */
export function SecretText({ label, secret }: SecretOnceProps) {
  return (
    <div className="flex items-center gap-1 rounded-md border border-line bg-surface py-1 pr-1 pl-2.5">
      <code aria-label={label} className="min-w-0 flex-1 text-sm break-all select-all">
        {secret}
      </code>
      <CopyButton text={secret} label={`Copy: ${label}`} />
    </div>
  );
}
