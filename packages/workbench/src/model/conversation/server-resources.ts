/**
 * Resources of servers that a user adds to a message.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { ResourceContents } from "@vitrine/protocol";
import type { ServerSummary } from "@vitrine/wire";
import { contentsOf } from "../server/resource-contents.js";
import type { ShownServer } from "../servers.js";

/** A resource of a server, or a template of resources. */
export interface OfferedResource {
  readonly summary: ServerSummary;
  /** The address; of a template, with its variables. */
  readonly uri: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isTemplate: boolean;
}

/** All resources and templates of the servers, without the documents of their apps. */
export const offeredResources = (servers: readonly ShownServer[]): OfferedResource[] =>
  servers.flatMap(({ summary, catalogue }) =>
    [
      ...(catalogue?.resources ?? []).map((resource) => ({ ...resource, isTemplate: false })),
      ...(catalogue?.templates ?? []).map((each) => ({ ...each, uri: each.uriTemplate, isTemplate: true })),
    ]
      .filter(({ uri }) => !uri.startsWith("ui://"))
      .map(({ uri, name, title = name, description, isTemplate }) => ({
        summary,
        uri,
        title,
        description,
        isTemplate,
      })),
  );

/** The resources with all words in their names, addresses and servers. */
export function foundResources(resources: readonly OfferedResource[], search: string): OfferedResource[] {
  const words = search.trim().toLowerCase().split(/\s+/);
  return resources.filter(({ summary, uri, title, description = "" }) => {
    const text = `${summary.name} ${uri} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * Reads a resource for a message.
 *
 * @throws {Error} if the server does not answer with contents
 */
export async function readServerResource(
  gateway: GatewayClient,
  { name: server, identity }: ServerSummary,
  uri: string,
): Promise<ResourceContents[]> {
  const contents = contentsOf(await gateway.request("gateway/read", { server, identity, uri }));
  if (!contents) throw new Error("The server's answer is not a list of contents.");
  if (contents.length === 0) throw new Error("The resource is empty.");
  return contents;
}
