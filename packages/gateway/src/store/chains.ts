/**
 * The chains of the audit log. A gateway alone writes one chain. Each of several nodes writes its own, in a
 * slot: a range of row numbers that only one node at a time may use.
 *
 * @module
 */
import type { AuditHead } from "./store.js";

/** Row numbers of a slot: enough for a thousand rows per second for 34 years. */
export const ROWS_OF_SLOT = 2 ** 40;

/** Number of slots: their row numbers are safe integers. */
export const MAX_SLOTS = 2 ** 12;

/** The slot of a gateway alone. */
export const FIRST_SLOT = 0;

const ZEROS = "0".repeat(64);

/** The head of a slot before its first row. */
export const startOf = (slot: number): AuditHead => ({ seq: slot * ROWS_OF_SLOT, hash: ZEROS });

/** The slot of a row. */
export const slotOf = (seq: number): number => Math.floor(seq / ROWS_OF_SLOT);

/** The last row number that a slot may have. */
export const endOf = (slot: number): number => (slot + 1) * ROWS_OF_SLOT - 1;

/** Whether the head is that of a chain without rows. */
export const isStart = ({ seq }: AuditHead): boolean => seq % ROWS_OF_SLOT === 0;
