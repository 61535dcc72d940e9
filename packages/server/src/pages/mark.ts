export const NAME = 'Baobab';

/** Logo: a tree that is legible on light and dark backgrounds. */
export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32"><path fill="#3f8f55" d="M16 3C9.5 3 4 6 4 10.5 4 12.7 6.2 14 9 14h14c2.8 0 5-1.3 5-3.5C28 6 22.5 3 16 3z"/><path fill="#b07a45" d="M11 13h10c-.8 4.5-.4 9 3 16H8c3.4-7 3.8-11.5 3-16z"/></svg>`;
