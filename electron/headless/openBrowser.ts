import { spawn } from 'node:child_process';

/** What opens a URL with the user's browser, or undefined on a machine without a display. */
function opener(): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  // `start` would read `&` and `#` of a URL; this takes it as one argument.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Best effort: the URL has been printed, and a browser that does not open is no failure of ours. */
export function openBrowser(url: string): void {
  const command = opener();
  if (command === undefined) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => console.error(`turnwise: ${program} is not available; open the URL yourself`));
  child.unref();
}
