/** Runs the parser process of a library's writer, and passes messages between the two. */
import { fileURLToPath } from 'node:url';
import { messageOfError } from '../../shared/domain/fileProblem.ts';
import type { ChildProcess, StartProcess } from '../threads/childProcess.ts';
import { PARSER_HEAP } from '../threads/heapLimits.ts';
import { entryOf } from '../worker/entry.ts';
import type { ParserFrame, ParserNotice, ParserRelayed, ParserRequest } from '../worker/messages.ts';

export class ParserRelay {
  private readonly startProcess: StartProcess;
  private readonly tell: (notice: ParserNotice, transfer?: readonly ArrayBuffer[]) => void;
  private child: ChildProcess<ParserRequest, ParserFrame> | undefined;

  constructor(
    startProcess: StartProcess,
    tell: (notice: ParserNotice, transfer?: readonly ArrayBuffer[]) => void,
  ) {
    this.startProcess = startProcess;
    this.tell = tell;
  }

  receive({ process, what }: ParserRelayed): void {
    if (what === 'start') this.start(process);
    else if (what === 'kill') this.close();
    else this.child?.send(what);
  }

  close(): void {
    this.child?.kill();
    this.child = undefined;
  }

  private start(process: number): void {
    // One that is left of a writer that crashed.
    this.close();
    let child: ChildProcess<ParserRequest, ParserFrame>;
    try {
      child = this.startProcess(fileURLToPath(entryOf('parser')), {
        name: 'Turnwise parser',
        execArgv: PARSER_HEAP,
      });
    } catch (error) {
      this.tell({ process, ended: { why: new Error(messageOfError(error)) } });
      return;
    }
    this.child = child;
    child.onMessage((frame) => {
      if (child !== this.child) return;
      // A frame may be a view of a larger buffer, which would be passed on as a whole.
      const copy = new Uint8Array(frame);
      this.tell({ process, frame: copy }, [copy.buffer]);
    });
    child.onExit((why) => {
      if (child !== this.child) return;
      this.child = undefined;
      this.tell({ process, ended: { why } });
    });
  }
}
