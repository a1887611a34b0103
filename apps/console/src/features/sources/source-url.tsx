import { CopyButton } from "../../ui/ui.ts";

export function SourceUrl({ url }: { readonly url: string }) {
  return (
    <span className="inline-flex max-w-full items-start gap-1">
      <code className="text-sm break-all">{url}</code>
      <CopyButton text={url} label="Copy URL" />
    </span>
  );
}
