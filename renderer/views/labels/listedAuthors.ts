/** A pack may have thousands of authors, and a field draws all of them. */
const MOST_LISTED = 200;

/** The first authors, in their order, and the chosen one. */
export function listedAuthors<Author>(
  authors: readonly Author[],
  isChosen: (author: Author) => boolean,
): readonly Author[] {
  return authors.filter((author, i) => i < MOST_LISTED || isChosen(author));
}
