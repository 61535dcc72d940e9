/** Makes overflowing content scrollable by keyboard. */
export const KEYBOARD = { tabIndex: 0 };
