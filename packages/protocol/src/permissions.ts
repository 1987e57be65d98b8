/**
 * From `_meta.ui.permissions` to the `allow` attribute of the view's frame (S09).
 *
 * @module
 */
import type { ResourcePermissions } from "./ui-meta.js";
import { at, isRecord } from "./untrusted.js";

/** A browser feature that a view may ask for, by its name in the metadata. */
export type Permission = keyof ResourcePermissions;

/** The features that can be asked for, in the order of the attribute, with their names in Permissions Policy. */
export const PERMISSION_FEATURES = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
} as const satisfies Record<Permission, string>;

/**
 * The `allow` attribute for a view's frame: the features that the metadata asks for and that `granted` lets
 * through. Only the four of {@link PERMISSION_FEATURES} can ever be in it (S09); all else is ignored, and
 * nothing in the metadata can make this throw. {@link asksForPermission} says what counts as asking.
 *
 * A feature named alone is for the origin of the frame's own `src`. Where a proxy frame stands between, both
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

/**
 * Whether the value of a permission in the metadata asks for it: an object, as the specification has it, or
 * `true`, as some servers write it.
 */
export const asksForPermission = (value: unknown): boolean => value === true || isRecord(value);
