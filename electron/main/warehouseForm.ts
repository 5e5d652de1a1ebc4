/**
 * The page of *Open warehouse…*: a form without scripts, in a window and a session of its own. The shell reads what the
 * user enters there, so a page that shows rollouts can ask for the dialog and never for an address.
 */
import type { Result } from '../../shared/api/errors.ts';
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';
import { APP_HOST, SCHEME } from './security.ts';

export interface EnteredWarehouse {
  readonly address: string;
  readonly user: string;
  readonly password: string;
  /** Path of a PEM file; empty: the system's authorities. */
  readonly authority: string;
  /** The password is to be kept in the system's keychain. */
  readonly isKept: boolean;
}

/** The fields that the form shows. A password is never sent back to it. */
export type FormFields = Omit<EnteredWarehouse, 'password'>;

export interface FormServices {
  /** The fields as the form first shows them. */
  readonly fields: FormFields;
  /** Whether the system has a keychain. */
  readonly canKeep: boolean;
  /** Connects. Never rejects. */
  readonly open: (entered: EnteredWarehouse, signal: AbortSignal) => Promise<Result<{ library: string }>>;
  readonly onOpened: (library: string) => void;
  /** Shows the form again, with the failure. */
  readonly onFailed: () => void;
  readonly onCancelled: () => void;
}

export const FORM_PATH = '/warehouse';
const CANCEL_PATH = '/warehouse/cancel';
/** Characters. */
const LONGEST_FORM = 100_000;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

const page = (html: string): Response => new Response(html, { headers: HEADERS });
const refused = (): Response => new Response(null, { status: 403, headers: HEADERS });

/** The handler for `protocol.handle` of the dialog's session, and the end of a connection when the window is closed. */
export function warehouseForm(services: FormServices): {
  handle(request: Request): Promise<Response>;
  close(): void;
} {
  let { fields } = services;
  /** Whether the keychain has the password. */
  const isKnown = (address: string): boolean => services.fields.isKept && address === services.fields.address;
  let failure: string | undefined;
  let connecting: AbortController | undefined;

  const connect = async (entered: EnteredWarehouse): Promise<void> => {
    connecting?.abort();
    const controller = new AbortController();
    connecting = controller;
    const opened = await services.open(entered, controller.signal);
    if (controller.signal.aborted) return;
    if (opened.ok) return services.onOpened(opened.value.library);
    failure = opened.failure.message;
    services.onFailed();
  };

  return {
    close: () => connecting?.abort(),
    async handle(request) {
      const { protocol, host, pathname } = new URL(request.url);
      if (protocol !== `${SCHEME}:` || host !== APP_HOST) return refused();
      // Going back to it gives up what was asked.
      if (request.method === 'GET' && pathname === FORM_PATH) connecting?.abort();
      if (request.method === 'GET' && pathname === FORM_PATH)
        return page(formPage(fields, isKnown(fields.address), services.canKeep, failure));
      if (request.method !== 'POST') return refused();
      if (pathname === CANCEL_PATH) {
        services.onCancelled();
        return page('');
      }
      const text = await request.text();
      if (pathname !== FORM_PATH || text.length > LONGEST_FORM) return refused();
      const entered = enteredIn(new URLSearchParams(text));
      const { password: _, ...others } = entered;
      fields = others;
      failure = undefined;
      void connect(entered);
      return page(waitingPage(entered.address));
    },
  };
}

function enteredIn(form: URLSearchParams): EnteredWarehouse {
  const field = (name: string): string => form.get(name)?.trim() ?? '';
  return {
    address: field('address'),
    user: field('user'),
    // Blanks may belong to it.
    password: form.get('password') ?? '',
    authority: field('authority'),
    isKept: form.get('keep') === 'on',
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** A server's words may have characters that would change the order of those around them. */
const shown = (text: string): string => escaped(withGlyphs(text));
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

function formPage(
  fields: FormFields,
  isKnown: boolean,
  canKeep: boolean,
  failure: string | undefined,
): string {
  const { address, user, authority, isKept } = fields;
  const keep = canKeep
    ? `<label class="check"><input type="checkbox" name="keep"${isKept ? ' checked' : ''}> Keep the password in this system's keychain</label>`
    : `<p class="hint">This system has no keychain, so Turnwise asks for the password again after its next start.</p>`;
  return html(`
<form method="post" action="${FORM_PATH}">
  <h1>Open a warehouse</h1>
  <p class="hint">A ClickHouse database with the runs of your team. Steps are copied into a library of yours when you open them.</p>
  ${failure === undefined ? '' : `<p class="failure" role="alert">${shown(failure)}</p>`}
  <label>Address
    <input name="address" value="${escaped(address)}" placeholder="https://HOST:8443/DATABASE" required${address === '' ? ' autofocus' : ''} autocomplete="off" spellcheck="false">
  </label>
  <label>User
    <input name="user" value="${escaped(user)}" placeholder="default" autocomplete="off" spellcheck="false">
  </label>
  <label>Password
    <input name="password" type="password"${isKnown ? ' placeholder="kept in the keychain"' : ''}${address === '' ? '' : ' autofocus'} autocomplete="off">
  </label>
  ${keep}
  <label>Certificate authority
    <input name="authority" value="${escaped(authority)}" placeholder="/path/of/authority.pem" autocomplete="off" spellcheck="false" aria-describedby="authority-hint">
  </label>
  <p class="hint" id="authority-hint">Only for a server with a certificate of your own authority.</p>
  <div class="actions">
    <button class="primary">Open</button>
    <button formaction="${CANCEL_PATH}" formnovalidate>Cancel</button>
  </div>
</form>`);
}

function waitingPage(address: string): string {
  return html(`
<form method="post" action="${CANCEL_PATH}">
  <h1>Open a warehouse</h1>
  <p role="status">Asking ${shown(address)} for its runs…</p>
  <div class="actions"><button autofocus>Cancel</button></div>
</form>`);
}

/** Enter presses the first button, so *Open* comes first, and the row is reversed on the screen. */
const html = (body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Open a warehouse</title>
<style>
  :root { color-scheme: light dark; --paper: #fbfaf7; --raised: #fff; --ink: #1c1e22; --ink2: #51565f; --rule2: #d3cfc4; --accent: #2a5bd7; --wrong: #b84412; }
  @media (prefers-color-scheme: dark) { :root { --paper: #14161a; --raised: #1a1d22; --ink: #e7e6e2; --ink2: #abafb7; --rule2: #383d46; --accent: #7aa2ff; --wrong: #f08a5b; } }
  body { margin: 0; padding: 20px 24px; background: var(--paper); color: var(--ink); font: 13px/1.5 Inter, "Helvetica Neue", Arial, sans-serif; }
  h1 { margin: 0 0 4px; font-size: 16px; }
  form { display: grid; gap: 10px; }
  p { margin: 0; overflow-wrap: anywhere; }
  label { display: grid; gap: 3px; font-weight: 500; }
  label.check { display: flex; gap: 6px; align-items: center; font-weight: 400; }
  input:not([type="checkbox"]) { height: 28px; padding: 0 8px; border: 1px solid var(--rule2); border-radius: 6px; background: var(--raised); color: var(--ink); font: inherit; font-weight: 400; }
  .hint { color: var(--ink2); }
  .failure { color: var(--wrong); }
  .actions { display: flex; flex-direction: row-reverse; justify-content: flex-start; gap: 8px; margin-top: 6px; }
  button { height: 30px; padding: 0 14px; border: 1px solid var(--rule2); border-radius: 6px; background: var(--raised); color: var(--ink); font: inherit; font-weight: 500; }
  button.primary { border-color: var(--accent); background: var(--accent); color: var(--paper); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
</style>
<main>${body}
</main>
</html>`;
