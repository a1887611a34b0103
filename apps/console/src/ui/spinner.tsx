import { LoaderCircle } from "lucide-react";

/** Decorates a text that says what is loading. */
export function Spinner({ size = 14 }: { readonly size?: number }) {
  return <LoaderCircle aria-hidden size={size} className="animate-spin" />;
}
