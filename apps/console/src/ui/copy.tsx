import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";

const SHOWN_MS = 1600;

/** Copies a text; says so for a moment. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      size="sm"
      label={copied ? "Copied" : label}
      onPress={() => void copyText(text).then(() => setCopied(true))}
    >
      {copied ? <Check aria-hidden size={14} className="text-good" /> : <Copy aria-hidden size={14} />}
    </IconButton>
  );
}

/** Shows an ID with a button that copies it. `what` names the object: "event". */
export function CopiedId({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span className="inline-flex max-w-full items-start gap-1">
      <code className="min-w-0 text-xs leading-6 break-all">{id}</code>
      <CopyButton text={id} label={`Copy ${what} ID`} />
    </span>
  );
}

/** Copies a text. The browser's clipboard API exists only on https and localhost, so other pages use the older way. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
