/**
 * Requests of a page about models.
 *
 * @module
 */
import type { ModelRequests, ModelState } from "@vitrine/wire";
import type { ModelSetup } from "../models/model-setup.js";

/** The models of a gateway for pages. */
export interface ModelService {
  state(): Promise<ModelState> | ModelState;
  choose(model: string | undefined): Promise<ModelState>;
  readonly setup: Pick<ModelSetup, "providers" | "save" | "forget" | "list" | "detect" | "test">;
}

/** The page that a request comes from. */
interface AskingPage {
  readonly user: string;
  readonly models: ModelService;
}

type Handlers = {
  readonly [M in keyof ModelRequests]: (
    page: AskingPage,
    params: ModelRequests[M]["params"],
  ) => ModelRequests[M]["result"] | Promise<ModelRequests[M]["result"]>;
};

/** Shared by all pages. */
export const MODEL_HANDLERS: Handlers = {
  "model/state": ({ models }) => models.state(),
  "model/choose": ({ models }, { model }) => models.choose(model),
  "model/providers": ({ user, models }) => models.setup.providers(user),
  "model/save": ({ user, models }, provider) => models.setup.save(user, provider),
  "model/forget": ({ user, models }, params) => models.setup.forget(user, params),
  "model/list": async ({ user, models }, { provider }) => ({
    models: await models.setup.list(user, provider),
  }),
  "model/detect": async ({ user, models }) => ({ found: await models.setup.detect(user) }),
  "model/test": ({ user, models }, { model }) => models.setup.test(user, model),
};
