/**
 * A provider in the list: its key, and its models with a search.
 *
 * @module
 */

import type { ModelProviderSummary } from "@vitrine/wire";
import { ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, Disclosure, DisclosurePanel, Heading, Input, SearchField } from "react-aria-components";
import type { ProviderList } from "../../model/conversation/providers.js";
import { count } from "../inspector/format.js";
import { KeyForm } from "./key-form.js";
import { factsLine, priceOrigin } from "./model-facts.js";

/** Maximum drawn models: the search finds the others. */
const MOST = 60;

const KEYS = {
  store: "Key stored",
  environment: "Key from the environment",
  none: "No key",
} as const;

/** Props of a {@link ProviderEntry}. */
export interface ProviderEntryProps {
  provider: ModelProviderSummary;
  providers: ProviderList;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  /** The model that answers. */
  current: string | undefined;
  onUse: (model: string) => void;
}

/** A provider that opens. */
export function ProviderEntry({ provider, providers, isOpen, onToggle, current, onUse }: ProviderEntryProps) {
  const { name, url, key, problem, isWritten } = provider;
  const isLocked = providers.locked !== undefined;
  return (
    <Disclosure className="models-provider" isExpanded={isOpen} onExpandedChange={onToggle}>
      <Heading level={4} className="models-provider-head">
        <Button slot="trigger" className="button quiet models-provider-button">
          <ChevronRight className="fold" /> {name}
          <span className="soft small models-address">{new URL(url).host}</span>
          <span className={problem === undefined ? "badge" : "badge warn"}>{KEYS[key]}</span>
        </Button>
      </Heading>
      <DisclosurePanel>
        {isOpen && (
          <div className="models-provider-body">
            {problem !== undefined && <p className="problem">{problem}</p>}
            {!isLocked && (
              <div className="models-row models-wrap">
                <KeyForm
                  label={key === "none" ? "Key" : "Replace the key"}
                  onSave={async (entered) => {
                    const saved = await providers.save({
                      name,
                      type: provider.type,
                      // The key goes to the address that is shown, or nowhere.
                      ...(provider.type === "compatible" && { url }),
                      key: entered,
                    });
                    return saved.isSaved ? undefined : saved.problem;
                  }}
                />
                {key === "store" && isWritten && (
                  <Button className="button" onPress={() => void providers.forget(name, "key")}>
                    Remove the key
                  </Button>
                )}
                {isWritten && (
                  <Button className="button" onPress={() => void providers.forget(name, "provider")}>
                    Remove {name}
                  </Button>
                )}
              </div>
            )}
            <ProviderModelList name={name} providers={providers} current={current} onUse={onUse} />
          </div>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}

type ListProps = Pick<ProviderEntryProps, "providers" | "current" | "onUse"> & { name: string };

function ProviderModelList({ name, providers, current, onUse }: ListProps) {
  const [search, setSearch] = useState("");
  useEffect(() => void providers.list(name), [providers, name]);
  const { models, isLoading, problem } = providers.modelsOf(name);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const isTesting = providers.test !== undefined && providers.test.outcome === undefined;
  return (
    <>
      {problem !== undefined && <p className="problem">{problem}</p>}
      {models.length > 8 && (
        <SearchField
          className="search"
          aria-label={`Search the models of ${name}`}
          value={search}
          onChange={setSearch}
        >
          <Input className="input" placeholder={`Search ${count(models.length)} models`} />
        </SearchField>
      )}
      <p className="soft small" role="status">
        {isLoading && models.length === 0
          ? "Loading the list…"
          : found.length > MOST
            ? `${count(found.length)} models; the first ${MOST} are shown`
            : models.length > 0 && found.length === 0
              ? "No model has this name"
              : ""}
      </p>
      <ul className="models-list" aria-label={`Models of ${name}`}>
        {found.slice(0, MOST).map(({ id, label, ...facts }) => (
          <li key={id} className="models-row">
            <span className="models-name">
              {label}{" "}
              <span className="soft small" {...(facts.price && { title: priceOrigin(facts.price) })}>
                {factsLine(facts)}
              </span>
            </span>
            <Button
              className="button quiet"
              isDisabled={isTesting}
              aria-label={`Test ${label}`}
              onPress={() => void providers.sendTest(id)}
            >
              Test
            </Button>
            <Button
              className="button"
              isDisabled={id === current}
              aria-label={id === current ? `${label} is in use` : `Use ${label}`}
              onPress={() => onUse(id)}
            >
              {id === current ? "In use" : "Use"}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
