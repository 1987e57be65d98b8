/**
 * The program that runs a gateway, as far as it lets pages change the settings of models.
 *
 * @module
 */

/** The settings file that pages may change. Without one, a gateway shows its models, and changes nothing. */
export interface SettingsHost {
  /** The file that changes go to. It need not exist. */
  readonly file: string;
  /** Why that file is not changed. */
  readonly readOnly?: string | undefined;
  /** Whether the text of the file is one that the user has approved; a gateway writes to no other. */
  isApproved(text: string): Promise<boolean>;
  /** Called with the written text, and the name of the setting. Resolves when it is in force. */
  written(text: string, name: string): Promise<void>;
}
