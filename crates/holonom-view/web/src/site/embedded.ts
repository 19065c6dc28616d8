/** Is this page inside another, as in a chapter of the book, which wants to see nothing but the mechanism? */
export const EMBEDDED = new URLSearchParams(location.search).has("embed") && window.parent !== window;
