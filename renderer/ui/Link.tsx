import { type AnchorHTMLAttributes, createContext, type MouseEvent, useContext } from 'react';
import { navigate } from 'wouter/use-browser-location';

/** Resolves a path of Turnwise to a URL for the address bar. The window provides it. */
export const HrefContext = createContext<(href: string) => string>((href) => href);

export function useHref(): (href: string) => string {
  return useContext(HrefContext);
}

/** A link to a page of Turnwise. A modified click is left to the browser. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const resolved = useHref()(href);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(resolved);
  };
  return <a href={resolved} onClick={follow} {...rest} />;
}
