/**
 * The parser process as a thread sees it. The host starts it and passes messages on, because Electron starts processes
 * from its main thread only. `electron/host/parserRelay.ts` is the host's side.
 */
import type { ChildProcess } from '../threads/childProcess.ts';
import type { ParserFrame, ParserNotice, ParserRelayed, ParserRequest } from './messages.ts';

type Parser = ChildProcess<ParserRequest, ParserFrame>;

interface Listeners {
  onMessage: (frame: ParserFrame) => void;
  onExit: (why: number | null | Error) => void;
}

export class HostedParser {
  private readonly tell: (news: ParserRelayed) => void;
  /** By the number of the process. */
  private readonly running = new Map<number, Listeners>();
  private last = 0;

  constructor(tell: (news: ParserRelayed) => void) {
    this.tell = tell;
  }

  start = (): Parser => {
    const process = ++this.last;
    const listeners: Listeners = { onMessage: () => undefined, onExit: () => undefined };
    this.running.set(process, listeners);
    const tell = (what: ParserRelayed['what']): void => this.tell({ kind: 'parser', process, what });
    tell('start');
    return {
      send: (request) => tell(request),
      onMessage: (listener) => {
        listeners.onMessage = listener;
      },
      onExit: (listener) => {
        listeners.onExit = listener;
      },
      kill: () => {
        this.running.delete(process);
        tell('kill');
      },
    };
  };

  receive({ process, frame, ended }: ParserNotice): void {
    const listeners = this.running.get(process);
    if (frame !== undefined) listeners?.onMessage(frame);
    if (ended === undefined) return;
    this.running.delete(process);
    listeners?.onExit(ended.why);
  }
}
