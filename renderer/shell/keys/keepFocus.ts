/**
 * When the focused control is removed or disabled, the browser moves the focus to the body: keys have no effect and no
 * focus ring is visible. For keyboard users, this moves the focus to the neighbouring control. In a list it focuses
 * the row, since the next control may be the one that removes the next row.
 */
import { takeFocus } from '../../ui/useAutoFocus.ts';

/** Without input fields, which would take the keys from a list that is about to appear. */
const CONTROLS = 'a[href], button:not(:disabled), [tabindex="0"]';
const ROWS = 'li, [role="listitem"]';
const OVERLAYS = '[role="dialog"], [role="menu"], [data-radix-popper-content-wrapper]';

/** An ancestor of the focused control, and the index of the child that contains the control. */
interface Step {
  readonly parent: Element;
  readonly index: number;
}

/** @returns stops it */
export function keepFocus(): () => void {
  let last: { readonly element: Element; readonly path: readonly Step[] } | undefined;
  let isByKey = false;
  const remember = ({ target }: Event) => {
    if (target instanceof Element) last = { element: target, path: stepsTo(target) };
  };
  const restore = () => {
    if (last === undefined || !isByKey || document.activeElement !== document.body) return;
    if (last.element.isConnected && !last.element.matches(':disabled')) return;
    const next = placeBeside(last.element, last.path);
    last = undefined;
    if (!(next instanceof HTMLElement)) return;
    if (next.matches(ROWS)) makeFocusable(next);
    if (next.tagName === 'MAIN') takeFocus(next);
    else next.focus({ preventScroll: true });
  };
  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  document.addEventListener('focusin', remember, options);
  const rememberInput = ({ type }: Event) => {
    isByKey = type === 'keydown';
  };
  document.addEventListener('keydown', rememberInput, options);
  document.addEventListener('pointerdown', rememberInput, options);
  // The browser moves the focus away from a disabled control only in the next frame.
  const observer = new MutationObserver(() => {
    restore();
    // Do not keep a removed page in memory.
    if (last?.element.isConnected === false) last = undefined;
    if (isByKey && last?.element.matches(':disabled')) requestAnimationFrame(() => setTimeout(restore));
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    listening.abort();
    observer.disconnect();
  };
}

function stepsTo(element: Element): readonly Step[] {
  const steps: Step[] = [];
  for (let child = element; child.parentElement !== null; child = child.parentElement) {
    const parent = child.parentElement;
    steps.push({ parent, index: Array.prototype.indexOf.call(parent.children, child) });
  }
  return steps;
}

/** Focusable only as long as it has the focus. */
function makeFocusable(row: HTMLElement): void {
  if (row.hasAttribute('tabindex')) return;
  row.tabIndex = -1;
  row.addEventListener('blur', () => row.removeAttribute('tabindex'), { once: true });
}

/**
 * Searches the nearest remaining ancestor: first at the same position, then before it. Stops at `main`, the whole
 * view.
 */
function placeBeside(control: Element, path: readonly Step[]): Element | undefined {
  let below = control;
  for (const { parent, index } of path) {
    // Overlays return the focus themselves.
    if (parent.matches(OVERLAYS)) return undefined;
    const gone = below;
    below = parent;
    if (!parent.isConnected) continue;
    if (parent.matches('main, :has(main), .app-content')) break;
    const row = gone.matches(ROWS) ? null : parent.closest(ROWS);
    if (row?.checkVisibility()) return row;
    const children = [...parent.children];
    const beside = [...children.slice(index), ...children.slice(0, index).reverse()];
    for (const child of beside) {
      const found = child.matches(CONTROLS) ? child : child.querySelector(CONTROLS);
      if (found?.checkVisibility()) return found.closest(ROWS) ?? found;
    }
  }
  return document.querySelector('main') ?? undefined;
}
