/**
 * The statement as it is typed, in the URL as long as it makes a link: `?sql=`; a long saved one as `?query=` its name,
 * a long one that is not saved as `?draft=1`, which this tab remembers.
 */
import { useEffect, useRef, useState } from 'react';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { LONGEST_LINK } from './sqlModel.ts';

/** Typing writes no history: the URL follows when it pauses. */
const PAUSE_MS = 250;

export interface Statement {
  readonly text: string;
  /** What was typed. */
  readonly setText: (text: string) => void;
  /** What comes from elsewhere, in place of what was typed. */
  readonly take: (text: string) => void;
  /** Another number when the text came from elsewhere: the editor has what is typed already, and more by now. */
  readonly revision: number;
  /** It is longer than a link may be, and not saved. */
  readonly isNoLink: boolean;
  /** It came with a link, and nothing has been run. */
  readonly isFromLink: boolean;
  /** A saved query of the name in the link is not in this library. */
  readonly missing: string | undefined;
}

export function useStatement(): Statement {
  const [query, setQuery] = useUrlQuery();
  const saved = useRequest('query.list', {}).data;
  const linked = query.get('sql') ?? undefined;
  const name = query.get('query') ?? undefined;
  const [text, setOwn] = useState(() => linked ?? (query.has('draft') ? keptDraft() : undefined) ?? '');
  const [isTyped, setTyped] = useState(false);
  const [revision, setRevision] = useState(0);
  const written = useRef(linked);
  const named = saved?.find((one) => one.name === name)?.sql;
  const byText = saved?.find((one) => one.sql === text)?.name;

  // Another link was followed while this view stood.
  useEffect(() => {
    if (linked === undefined || linked === written.current) return;
    written.current = linked;
    setOwn(linked);
    setTyped(false);
    setRevision((now) => now + 1);
  }, [linked]);

  useEffect(() => {
    if (named === undefined || isTyped) return;
    setOwn(named);
    setRevision((now) => now + 1);
  }, [named, isTyped]);

  const rested = useDebouncedValue(text, PAUSE_MS);
  const isLong = text.length > LONGEST_LINK;
  useEffect(() => {
    if (!isTyped || rested !== text) return;
    written.current = isLong ? undefined : text;
    const isDraft = isLong && byText === undefined;
    if (isDraft) keepDraft(text);
    setQuery({
      sql: isLong ? undefined : text,
      query: isLong ? byText : undefined,
      draft: isDraft ? '1' : undefined,
    });
  }, [text, rested, isTyped, isLong, byText, setQuery]);

  return {
    text,
    setText: (next) => {
      setOwn(next);
      setTyped(true);
    },
    take: (next) => {
      setOwn(next);
      setTyped(true);
      setRevision((now) => now + 1);
    },
    revision,
    isNoLink: isLong && byText === undefined,
    isFromLink: !isTyped && text !== '',
    missing: name !== undefined && saved !== undefined && named === undefined && !isTyped ? name : undefined,
  };
}

/** A statement too long for a link, kept for this tab: a reload does not take what somebody has written. */
const STORED = 'turnwise.statement';

function keepDraft(text: string): void {
  try {
    globalThis.sessionStorage?.setItem(STORED, text);
  } catch {
    // Full, or not allowed: then it lives as long as the page.
  }
}

/** @returns undefined where there is none */
function keptDraft(): string | undefined {
  try {
    return globalThis.sessionStorage?.getItem(STORED) ?? undefined;
  } catch {
    return undefined;
  }
}
