import { CopyButton } from "../ui/ui.ts";

/** A secret that may be looked at again, by owners. */
export function SecretLine({ label, secret }: { readonly label: string; readonly secret: string }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="text-sm font-medium">{label}</span>
      <div className="flex items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
        <code aria-label={label} className="min-w-0 flex-1 text-sm break-all select-all">
          {secret}
        </code>
        <CopyButton text={secret} label={`Copy: ${label}`} />
      </div>
    </div>
  );
}
