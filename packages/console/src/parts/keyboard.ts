/** Lets keyboards scroll what is too large. */
export const KEYBOARD = { tabIndex: 0 };
