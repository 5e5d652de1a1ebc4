/**
 * Prose of a rollout as Markdown with formulas. The text is untrusted: raw HTML is shown as text, links do not
 * navigate, images are named but never loaded, and KaTeX runs without trust.
 */

import katex from 'katex';
import { Component, memo, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import type { TextRange } from '../../../../shared/domain/model.ts';
import { useClient } from '../../../data/DataProvider.tsx';
import { useRequest } from '../../../data/useRequest.ts';
import { SourceText } from '../../../ui/SourceText.tsx';
import { quietText } from '../../../ui/visibleText.ts';
import {
  addressWithDollars,
  displayFormulas,
  isLight,
  markdownBlocks,
  plainFormulaReason,
  plainReason,
  preparedMarkdown,
  refuseLargeTrees,
  type SourceFrame,
  sourceOffsets,
  withDollars,
} from './markdownModel.ts';
import { WhenNear } from './WhenNear.tsx';
import 'katex/dist/katex.min.css';

interface MarkdownTextProps {
  readonly text: string;
  /** Offset of `text` in its source. */
  readonly start: number;
  readonly source: string;
}

/** Renders the first block at once and the others when they come near the viewport. */
export const MarkdownText = memo(function MarkdownText({ text, start, source }: MarkdownTextProps) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return blocks.map((block, i) => (
    <WhenNear
      key={block.start}
      isNear={i === 0 && isLight(block.text)}
      waiting={
        <p className="prose-waiting">
          <SourceText text={block.text} start={start + block.start} source={source} isFar />
        </p>
      }
    >
      <MarkdownBlock text={block.text} start={start + block.start} source={source} />
    </WhenNear>
  ));
});

/** An error boundary per block, so that a block that fails to render does not affect the others. */
function MarkdownBlock(props: MarkdownTextProps) {
  const reason = useMemo(() => plainReason(props.text), [props.text]);
  if (reason !== undefined) return <PlainText {...props} reason={reason} />;
  return (
    <BlockBoundary key={props.text} fallback={<PlainText {...props} reason="it could not be drawn" />}>
      <MarkdownBlockText {...props} />
    </BlockBoundary>
  );
}

function PlainText({ text, start, source, reason }: MarkdownTextProps & { readonly reason: string }) {
  return (
    <>
      <p className="prose-note">shown as written: {reason}</p>
      <p className="prose-waiting">
        <SourceText text={text} start={start} source={source} />
      </p>
    </>
  );
}

class BlockBoundary extends Component<
  { readonly fallback: ReactNode; readonly children: ReactNode },
  { readonly hasFailed: boolean }
> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

function MarkdownBlockText({ text, start, source }: MarkdownTextProps) {
  const { prepared, rehypePlugins } = useMemo(() => {
    const frame: SourceFrame = { text, start, source };
    return {
      prepared: preparedMarkdown(text),
      rehypePlugins: [[sourceOffsets, frame]] satisfies Parameters<typeof ReactMarkdown>[0]['rehypePlugins'],
    };
  }, [text, start, source]);
  const remarkPlugins = useMemo(
    () =>
      [remarkGfm, remarkMath, refuseLargeTrees, [displayFormulas, text]] satisfies Parameters<
        typeof ReactMarkdown
      >[0]['remarkPlugins'],
    [text],
  );
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={COMPONENTS}
      // Nothing is followed or loaded, so show the URL as written.
      urlTransform={(url) => url}
    >
      {prepared}
    </ReactMarkdown>
  );
}

const COMPONENTS: Components = {
  a: ({ node, href, children }) => {
    const url = addressWithDollars(href ?? '');
    const text = withDollars(node === undefined ? '' : textOf(node));
    return (
      <LogLink url={url} isNamedByUrl={isSameAddress(text, url)}>
        {children}
      </LogLink>
    );
  },
  img: ({ src, alt }) => (
    <span className="image-stand-in" title="Images of a rollout are never loaded">
      image{alt === undefined || alt === '' ? '' : ` “${withDollars(alt)}”`}:{' '}
      <SourceText text={withDollars(typeof src === 'string' ? src : '')} />
    </span>
  ),
  span: ({ node, children, ...rest }) => {
    const tex = node?.properties.dataFormula;
    if (typeof tex !== 'string') return <span {...rest}>{children}</span>;
    const { dataDisplay, dataFrom, dataTo, dataIn } = node?.properties ?? {};
    const place =
      typeof dataFrom === 'number' && typeof dataTo === 'number' && typeof dataIn === 'string'
        ? { start: dataFrom, end: dataTo, source: dataIn }
        : undefined;
    return <Formula tex={tex} isDisplay={dataDisplay === true} place={place} />;
  },
  input: ({ checked }) => <span>{checked ? '☑' : '☐'}</span>,
};

type LinkNode = Parameters<Extract<NonNullable<Components['a']>, (...props: never) => unknown>>[0]['node'];
type HastNode = NonNullable<LinkNode>['children'][number] | NonNullable<LinkNode>;

const textOf = (node: HastNode): string =>
  node.type === 'text' ? node.value : 'children' in node ? node.children.map(textOf).join('') : '';

/** Autolinks complete what is written: `www.a.org` is `http://www.a.org`. */
const isSameAddress = (text: string, url: string): boolean =>
  text !== '' && ['', 'mailto:', 'https://', 'http://'].some((prefix) => url === prefix + text);

interface LogLinkProps {
  readonly url: string;
  /** Whether the content is the address. Then it is not repeated. */
  readonly isNamedByUrl: boolean;
  readonly children?: React.ReactNode;
}

/** The address is always visible. The desktop app asks before it opens one; a browser only shows it. */
function LogLink({ url, isNamedByUrl, children }: LogLinkProps) {
  const client = useClient();
  const isDesktop = useRequest('host.info', {}).data?.shell === 'desktop';
  const address = !isNamedByUrl && (
    <>
      {' '}
      <span className="link-address">
        <SourceText text={url} />
      </span>
    </>
  );
  if (!isDesktop || !url.startsWith('https://')) {
    return (
      <span className="log-link">
        {children}
        {address}
      </span>
    );
  }
  return (
    <span className="log-link">
      <button type="button" onClick={() => void client.request('shell.openLink', { url })}>
        {children}
      </button>
      {address}
    </span>
  );
}

/** Formulas are untrusted: no links, no classes, no unbounded macros. A formula with an error shows its source. */
const OPTIONS: katex.KatexOptions = {
  trust: false,
  throwOnError: false,
  strict: 'ignore',
  maxExpand: 200,
  maxSize: 20,
  errorColor: 'var(--wrong)',
};

interface FormulaProps {
  readonly tex: string;
  readonly isDisplay: boolean;
  /** The range and text in the source, with delimiters. Undefined if unknown. */
  readonly place: (TextRange & { readonly source: string }) | undefined;
}

/** KaTeX builds the DOM nodes, so no markup passes through a string. */
function Formula({ tex, isDisplay, place }: FormulaProps) {
  const element = useRef<HTMLSpanElement>(null);
  const reason = plainFormulaReason(tex);
  useLayoutEffect(() => {
    if (element.current === null) return;
    if (reason === undefined) {
      try {
        katex.render(tex, element.current, { ...OPTIONS, displayMode: isDisplay });
        return;
      } catch {
        // Some failures are not a ParseError, which is all that `throwOnError` covers.
      }
    }
    element.current.textContent = quietText(tex);
  }, [tex, isDisplay, reason]);
  return (
    <span
      ref={element}
      title={reason === undefined ? undefined : `Shown as written: ${reason}`}
      className={isDisplay ? 'formula is-display' : 'formula'}
      data-formula-start={place?.start}
      data-formula-end={place?.end}
      data-source={place?.source}
    />
  );
}
