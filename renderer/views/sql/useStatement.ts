/**
 * The statement being edited. The URL holds it if it is short enough (`?sql=`). A long saved one is named by
 * `?query=`; a long unsaved one is kept by this tab (`?draft=1`).
 */
import { useEffect, useRef, useState } from 'react';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { isOwnStatement, rememberOwnStatement } from '../../state/ownStatement.ts';
import { LONGEST_LINK } from './sqlModel.ts';

/** The URL is updated when typing pauses. */
const PAUSE_MS = 250;

export interface Statement {
  readonly text: string;
  /** Sets the typed text. */
  readonly setText: (text: string) => void;
  /** Replaces the typed text by a text from elsewhere. */
  readonly take: (text: string) => void;
  /** Changes when the text came from elsewhere. The editor ignores the prop otherwise, since it has newer input. */
  readonly revision: number;
  /** Whether the statement is too long for a URL and not saved. */
  readonly isNoLink: boolean;
  /** Whether it came from a link, neither typed nor composed in this window. */
  readonly isFromLink: boolean;
  /** Name of a saved query in the link that this library does not have. */
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

  // The user followed another link while this view was mounted.
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
    rememberOwnStatement(text);
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
    isFromLink: !isTyped && text !== '' && !isOwnStatement(text),
    missing: name !== undefined && saved !== undefined && named === undefined && !isTyped ? name : undefined,
  };
}

/** A statement too long for a URL is kept by this tab, so that it survives a reload. */
const STORED = 'turnwise.statement';

function keepDraft(text: string): void {
  try {
    globalThis.sessionStorage?.setItem(STORED, text);
  } catch {
    // Storage is full or denied: the statement is kept until the page is closed.
  }
}

/** @returns undefined if none exists */
function keptDraft(): string | undefined {
  try {
    return globalThis.sessionStorage?.getItem(STORED) ?? undefined;
  } catch {
    return undefined;
  }
}
