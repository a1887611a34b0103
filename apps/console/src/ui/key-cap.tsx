import { ArrowDown, ArrowUp } from "lucide-react";

/** The console's font has no arrows. */
const ARROWS: Readonly<Record<string, { readonly icon: typeof ArrowUp; readonly name: string }>> = {
  "↑": { icon: ArrowUp, name: "Up arrow" },
  "↓": { icon: ArrowDown, name: "Down arrow" },
};

/** Shows keys that are pressed together or one after the other, with spaces between them: "Shift ↑". */
export function KeyCap({ keys }: { readonly keys: string }) {
  return (
    <kbd className="inline-flex h-5 items-center gap-1 rounded border border-line bg-sunken px-1.5 text-xs">
      {keys.split(" ").map((key) => {
        const arrow = ARROWS[key];
        if (arrow === undefined) return <span key={key}>{key}</span>;
        const { icon: Icon, name } = arrow;
        return <Icon key={key} role="img" aria-label={name} size={12} />;
      })}
    </kbd>
  );
}
