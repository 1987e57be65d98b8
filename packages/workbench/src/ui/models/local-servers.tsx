/**
 * Model servers on the gateway's machine.
 *
 * @module
 */
import type { LocalModelServer } from "@vitrine/wire";
import { Button } from "react-aria-components";
import type { ProviderList } from "../../model/conversation/providers.js";
import { factsLine } from "./model-facts.js";

/** Props of {@link LocalServers}. */
export interface LocalServersProps {
  providers: ProviderList;
  /** Whether servers cannot be added. */
  isLocked: boolean;
  /** The model that answers. */
  current: string | undefined;
  onUse: (server: LocalModelServer, model: string) => Promise<void>;
}

/** Each model is used with one click. */
export function LocalServers({ providers, isLocked, current, onUse }: LocalServersProps) {
  const { found, isDetecting } = providers;
  return (
    <section className="models-section" aria-labelledby="models-local">
      <div className="models-row">
        <h3 id="models-local">On this machine</h3>
        <Button className="button quiet" isDisabled={isDetecting} onPress={() => void providers.detect()}>
          {isDetecting ? "Looking…" : "Look again"}
        </Button>
      </div>
      {found?.length === 0 && (
        <p className="soft small">
          No Ollama, LM Studio, llama.cpp or vLLM runs on its usual port. Start one, and look again; or add
          its address below.
        </p>
      )}
      {found?.map((server) => (
        <div key={server.url} className="models-server">
          <p>
            <strong>{server.program}</strong> <span className="soft small">{new URL(server.url).host}</span>
          </p>
          {server.models.length === 0 && (
            <p className="soft small">It has no models yet: download one with it, and look again.</p>
          )}
          <ul>
            {server.models.map(({ name, ...facts }) => {
              const isUsed = server.provider !== undefined && current === `${server.provider}/${name}`;
              return (
                <li key={name} className="models-row">
                  <span className="models-name">
                    {name} <span className="soft small">{factsLine(facts)}</span>
                  </span>
                  <Button
                    className="button"
                    isDisabled={isUsed || (isLocked && server.provider === undefined)}
                    aria-label={isUsed ? `${name} is in use` : `Use ${name}`}
                    onPress={() => void onUse(server, name)}
                  >
                    {isUsed ? "In use" : "Use"}
                  </Button>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </section>
  );
}
