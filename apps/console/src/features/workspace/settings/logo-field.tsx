import { useRef, useState } from "react";
import { dataUrlOf } from "../../../shared/shared.ts";
import { Button } from "../../../ui/ui.ts";

interface LogoFieldProps {
  /** A `data:` URL; null for none. */
  readonly value: string | null;
  readonly onChange: (logo: string | null) => void;
  /** The service's message. */
  readonly error: string | undefined;
}

/** The service accepts this many characters, of which base64 makes four from three bytes. */
const MOST_BYTES = 17_000;
const TYPES = "image/png,image/jpeg,image/webp,image/gif";

/** Chooses a small picture, which becomes a part of the portal's page: showing it calls no other server. */
export function LogoField({ value: logo, onChange, error }: LogoFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const isFit = file.size <= MOST_BYTES && TYPES.split(",").includes(file.type);
    setFault(isFit ? undefined : "Choose a PNG, JPEG, WebP or GIF of at most 17 kB.");
    if (isFit) onChange(await dataUrlOf(file));
  };
  const message = fault ?? error;
  return (
    <div role="group" aria-label="Logo in the portal" className="flex flex-col gap-1.5">
      <p className="text-sm font-medium">
        Logo in the portal <span className="font-normal text-faint">(optional)</span>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {logo === null ? null : <img src={logo} alt="Present logo" className="h-7 max-w-40 object-contain" />}
        <Button size="sm" onPress={() => input.current?.click()}>
          {logo === null ? "Choose logo" : "Replace logo"}
        </Button>
        {logo === null ? null : (
          <Button size="sm" onPress={() => onChange(null)}>
            Remove logo
          </Button>
        )}
        <input
          ref={input}
          type="file"
          accept={TYPES}
          aria-label="Logo file"
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </div>
      <p className="text-xs text-muted">A PNG, JPEG, WebP or GIF of at most 17 kB, shown 28 pixels high.</p>
      {message === undefined ? null : (
        <p role="alert" className="text-xs text-bad">
          {message}
        </p>
      )}
    </div>
  );
}
