/**
 * The dialog in which models are set up: on this machine, at a provider, and a test message.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import { LocalServers } from "./local-servers.js";
import { NewProvider } from "./new-provider.js";
import { ProviderEntry } from "./provider-entry.js";
import { TestOutcome } from "./test-outcome.js";
import { useModel } from "./use-model.js";

/** Props of a {@link ModelsDialog}. */
export interface ModelsDialogProps {
  workbench: Workbench;
  onClose: () => void;
}

/** Models, and where they come from. */
export function ModelsDialog({ workbench, onClose }: ModelsDialogProps) {
  const { providers, models } = workbench;
  useObservable(providers);
  useObservable(models);
  const use = useModel(workbench);
  const [opened, setOpened] = useState<string>();
  useEffect(() => void providers.load(), [providers]);
  const { locked, problem, providers: list, test } = providers;
  const mayLook = list !== undefined && (locked === undefined || list.length > 0);
  return (
    <ModalOverlay className="modal-shade models-shade" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="modal models-modal">
        <Dialog className="models-dialog">
          <header className="models-head">
            <Heading slot="title" level={2}>
              Models
            </Heading>
            <p className="soft small" role="status">
              {use.current === undefined ? "No model answers yet." : `${use.current} answers.`}
            </p>
            <Button className="button quiet" slot="close">
              Close
            </Button>
          </header>
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          {locked !== undefined && <p className="note">{locked}.</p>}
          <TestOutcome test={test} />
          {mayLook && (
            <LocalServers
              providers={providers}
              isLocked={locked !== undefined}
              current={use.id}
              onUse={async (server, model) => {
                const name = await connected(workbench, server);
                if (name !== undefined) await use.choose(`${name}/${model}`);
              }}
            />
          )}
          {list && list.length > 0 && (
            <section className="models-section" aria-labelledby="models-providers">
              <h3 id="models-providers">Providers</h3>
              {list.map((provider) => (
                <ProviderEntry
                  key={provider.name}
                  provider={provider}
                  providers={providers}
                  isOpen={opened === provider.name}
                  onToggle={(isOpen) => setOpened(isOpen ? provider.name : undefined)}
                  current={use.id}
                  onUse={(model) => void use.choose(model)}
                />
              ))}
            </section>
          )}
          {list && locked === undefined && <NewProvider providers={providers} onAdded={setOpened} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The provider of a server that was found on this machine, added if necessary. */
async function connected(
  { providers }: Workbench,
  server: { program: string; url: string; provider?: string | undefined },
): Promise<string | undefined> {
  if (server.provider !== undefined) return server.provider;
  const wanted = server.program.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const taken = new Set(providers.providers?.map(({ name }) => name));
  const name = taken.has(wanted) ? `${wanted}-${new URL(server.url).port}` : wanted;
  const saved = await providers.save({ name, type: "compatible", url: server.url });
  return saved.isSaved ? name : undefined;
}
