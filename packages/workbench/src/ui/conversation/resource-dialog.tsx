/**
 * Chooses a resource of a server for a message.
 *
 * @module
 */
import type { ResourceContents } from "@vitrine/protocol";
import { type FormEvent, useState } from "react";
import { Button, Dialog, Heading, Input, Modal, ModalOverlay, SearchField } from "react-aria-components";
import {
  foundResources,
  type OfferedResource,
  offeredResources,
  readServerResource,
} from "../../model/conversation/server-resources.js";
import { messageOf } from "../../model/messages/messages.js";
import { serverCompletion } from "../../model/server/completion.js";
import { expandTemplate, templateVariables } from "../../model/server/uri-template.js";
import type { Workbench } from "../../model/workbench.js";
import { CompletedField } from "../form/completed-field.js";
import { useObservable } from "../use-observable.js";

/** Props of a {@link ResourceDialog}. */
export interface ResourceDialogProps {
  workbench: Workbench;
  /** Called with the contents; undefined if the user cancels. */
  onDone: (contents: readonly ResourceContents[] | undefined) => void;
}

/** Lists the resources of all servers, reads the chosen one, and hands over its contents. */
export function ResourceDialog({ workbench, onDone }: ResourceDialogProps) {
  const { servers, gateway } = workbench;
  useObservable(servers);
  const [search, setSearch] = useState("");
  const [template, setTemplate] = useState<OfferedResource>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const read = async ({ summary }: OfferedResource, uri: string): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      onDone(await readServerResource(gateway, summary, uri));
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const choose = (offered: OfferedResource): void => {
    if (offered.isTemplate) setTemplate(offered);
    else void read(offered, offered.uri);
  };
  const found = foundResources(offeredResources(servers.list), search);
  return (
    <ModalOverlay
      className="modal-shade question-shade"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onDone(undefined)}
    >
      <Modal className="modal question-modal">
        <Dialog className="question">
          <Heading slot="title" level={2}>
            Attach a resource
          </Heading>
          {template ? (
            <TemplateForm
              workbench={workbench}
              template={template}
              isBusy={isBusy}
              onBack={() => {
                setTemplate(undefined);
                setProblem(undefined);
              }}
              onRead={(uri) => void read(template, uri)}
            />
          ) : (
            <>
              <SearchField
                className="search"
                aria-label="Search resources"
                value={search}
                onChange={setSearch}
                autoFocus
              >
                <Input className="input" placeholder="Search names, addresses and servers" />
              </SearchField>
              <ul className="resource-choices" aria-label="Resources">
                {found.map((offered) => (
                  <li key={`${offered.summary.name} ${offered.uri}`}>
                    <Button
                      className="button quiet resource-choice"
                      isDisabled={isBusy}
                      onPress={() => choose(offered)}
                    >
                      <span>{offered.title}</span>
                      <span className="soft small">
                        {offered.summary.name} · <span className="mono">{offered.uri}</span>
                      </span>
                      {offered.description && <span className="soft small">{offered.description}</span>}
                    </Button>
                  </li>
                ))}
              </ul>
              {found.length === 0 && <p className="soft">No server has a resource of this name.</p>}
              <div className="question-buttons">
                <Button className="button" onPress={() => onDone(undefined)}>
                  Cancel
                </Button>
              </div>
            </>
          )}
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface TemplateFormProps {
  workbench: Workbench;
  template: OfferedResource;
  isBusy: boolean;
  onBack: () => void;
  onRead: (uri: string) => void;
}

/** Fills in the variables of an address. */
function TemplateForm({ workbench, template, isBusy, onBack, onRead }: TemplateFormProps) {
  const { summary, uri, title, description } = template;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onRead(expandTemplate(uri, values));
  };
  return (
    <form className="prompt-form" onSubmit={submit}>
      <p className="soft small">
        {title}, of the server {summary.name}. {description}
      </p>
      {templateVariables(uri).map((variable, index) => (
        <CompletedField
          key={variable}
          complete={serverCompletion(workbench.gateway, summary, { type: "ref/resource", uri })}
          name={variable}
          label={variable}
          value={values[variable] ?? ""}
          values={values}
          isFocusedFirst={index === 0}
          onChange={(value) => setValues((before) => ({ ...before, [variable]: value }))}
        />
      ))}
      <p className="soft small">
        Address: <span className="mono">{expandTemplate(uri, values)}</span>
      </p>
      <div className="question-buttons">
        <Button className="button" onPress={onBack}>
          Back
        </Button>
        <Button className="button primary" type="submit" isDisabled={isBusy}>
          Attach
        </Button>
      </div>
    </form>
  );
}
