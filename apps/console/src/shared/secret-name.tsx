import { useQuery } from "@tanstack/react-query";
import { read } from "../api/api.ts";
import { ComboBox } from "../ui/ui.ts";
import type { ComboBoxProps } from "../ui/ui.ts";

export type SecretNameProps = Pick<ComboBoxProps, "label" | "description" | "error" | "value" | "onChange">;

/** Chooses a stored secret by its name. */
export function SecretName(props: SecretNameProps) {
  const secrets = useQuery({ ...read("secrets.list", { query: { limit: 100 } }), staleTime: 60_000, retry: false });
  const options = secrets.data?.data.map(({ name }) => ({ value: name, label: name })) ?? [];
  return <ComboBox {...props} mono options={options} />;
}
