import { LoaderCircle } from "lucide-react";

/** Decoration: say beside it, in words, what is waited for. */
export function Spinner({ size = 14 }: { readonly size?: number }) {
  return <LoaderCircle aria-hidden size={size} className="animate-spin" />;
}
