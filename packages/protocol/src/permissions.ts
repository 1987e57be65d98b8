/**
 * Builds the `allow` attribute of the view's frame from `_meta.ui.permissions`.
 *
 * @module
 */
import type { ResourcePermissions } from "./ui-meta.js";
import { at, isRecord } from "./untrusted.js";

/** A browser feature that a view may request, by its name in the metadata. */
export type Permission = keyof ResourcePermissions;

/** The features that can be requested, in the order of the attribute, with their Permissions Policy names. */
export const PERMISSION_FEATURES = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
} as const satisfies Record<Permission, string>;

/**
 * Builds the `allow` attribute of a view's frame: the features that the metadata requests and `granted`
 * permits. It contains only the four features of {@link PERMISSION_FEATURES}; everything else is ignored. It
 * never throws, whatever the metadata. {@link asksForPermission} decides what counts as a request.
 *
 * A feature without an origin applies to the origin of the frame's `src`. With a proxy frame in between, both
 * frames need the attribute.
 *
 * @example
 * ```ts source="./permissions.examples.ts#allowAttribute"
 * const asked = { microphone: {}, clipboardWrite: {}, usb: {} };
 * const allow = allowAttribute(asked, (permission) => permission !== "microphone");
 * // allow is "clipboard-write"
 * ```
 */
export function allowAttribute(
  permissions: unknown,
  granted: (permission: Permission) => boolean = () => true,
): string {
  return (Object.keys(PERMISSION_FEATURES) as Permission[])
    .filter((permission) => asksForPermission(at(permissions, permission)) && granted(permission))
    .map((permission) => PERMISSION_FEATURES[permission])
    .join("; ");
}

/** Whether a permission's value requests it: an object, as specified, or `true`, as some servers write it. */
export const asksForPermission = (value: unknown): boolean => value === true || isRecord(value);
