/**
 * Adds a provider of models.
 *
 * @module
 */
import type { NewModelProvider } from "@vitrine/wire";
import { type FormEvent, useState } from "react";
import { Button, Input, Label, Text, TextField } from "react-aria-components";
import type { ProviderList } from "../../model/conversation/providers.js";
import { Choice } from "../choice.js";

interface Kind extends Pick<NewModelProvider, "type"> {
  readonly id: string;
  readonly label: string;
  /** A fixed address. */
  readonly url?: string | undefined;
}

/** The providers that can be chosen, by their names in the settings. */
const KINDS: readonly Kind[] = [
  { id: "openai", label: "OpenAI", type: "openai" },
  { id: "anthropic", label: "Anthropic", type: "anthropic" },
  { id: "google", label: "Google", type: "google" },
  { id: "openrouter", label: "OpenRouter", type: "compatible", url: "https://openrouter.ai/api/v1" },
  { id: "other", label: "Another address (OpenAI-compatible)", type: "compatible" },
];

/** Props of {@link NewProvider}. */
export interface NewProviderProps {
  providers: ProviderList;
  onAdded: (name: string) => void;
}

/** Provider, key and, for others, the address. */
export function NewProvider({ providers, onAdded }: NewProviderProps) {
  const [kind, setKind] = useState("openai");
  const [key, setKey] = useState("");
  const [url, setUrl] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const chosen = KINDS.find(({ id }) => id === kind);
  const isOther = kind === "other";
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!chosen || isSaving) return;
    const address = isOther ? url.trim() : chosen.url;
    const name = isOther ? nameFor(url, new Set(providers.providers?.map((each) => each.name))) : chosen.id;
    setSaving(true);
    const saved = await providers.save({
      name,
      type: chosen.type,
      ...(address !== undefined && { url: address }),
      ...(key.trim() !== "" && { key }),
    });
    setSaving(false);
    setProblem(saved.isSaved ? undefined : saved.problem);
    if (!saved.isSaved) return;
    setKey("");
    setUrl("");
    onAdded(name);
  };
  return (
    <section className="models-section" aria-labelledby="models-new">
      <h3 id="models-new">Add a provider</h3>
      <form className="models-new" onSubmit={(event) => void save(event)}>
        <Choice
          label="Provider"
          showLabel
          options={KINDS}
          value={kind}
          onChange={(id) => {
            setKind(id);
            setProblem(undefined);
          }}
        />
        {isOther && (
          <TextField className="models-field" value={url} onChange={setUrl} isRequired>
            <Label className="soft small">Address</Label>
            <Input
              className="input"
              placeholder="https://api.example.com/v1"
              inputMode="url"
              spellCheck="false"
            />
          </TextField>
        )}
        <TextField className="models-field" type="password" autoComplete="off" value={key} onChange={setKey}>
          <Label className="soft small">{isOther ? "Key, if it needs one" : "Key"}</Label>
          <Input className="input" spellCheck="false" data-1p-ignore />
          <Text slot="description" className="soft small">
            It is encrypted on this machine and sent to this provider only. No page can read it again.
          </Text>
        </TextField>
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <Button
          className="button primary"
          type="submit"
          isDisabled={isSaving || (isOther ? url.trim() === "" : key.trim() === "")}
        >
          Add
        </Button>
      </form>
    </section>
  );
}

/** A name in the settings, from the address: `api.example.com` becomes `example`. */
function nameFor(url: string, taken: ReadonlySet<string>): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  const isNumber = /^[\d.[\]:]*$/.test(host);
  const word = isNumber ? "local" : (host.split(".").at(-2) ?? host.split(".")[0] ?? "");
  const name =
    word
      .toLowerCase()
      .replace(/[^a-z0-9_-]/g, "")
      .replace(/^[_-]+/, "")
      .slice(0, 24) || "other";
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
