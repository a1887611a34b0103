import { CopyButton } from "./copy.tsx";

/** Text as it is: a payload, headers, a command. Never highlighted by guessing, never interpreted. */
export function CodeBlock({
  text,
  label,
  maxHeight = "24rem",
}: {
  readonly text: string;
  readonly label: string;
  readonly maxHeight?: string;
}) {
  return (
    <div className="group relative rounded-lg border border-line bg-sunken">
      <div className="absolute top-1 right-1">
        <CopyButton text={text} label={`Copy: ${label}`} />
      </div>
      <pre
        role="region"
        tabIndex={0}
        aria-label={label}
        className="overflow-auto rounded-lg p-3 pr-10 text-xs leading-5"
        style={{ maxHeight }}
      >
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** An id or a name among words. */
export function Code({ children }: { readonly children: string }) {
  return <code className="rounded bg-sunken px-1 py-0.5 text-[0.92em] break-all">{children}</code>;
}
