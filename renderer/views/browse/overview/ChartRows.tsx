/** As many whole rows of charts as there is room for, and how many there are below: a chart that is cut says nothing. */
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { counted } from '../../../ui/numbers.ts';

/** Of the page: the list below is what one came from the charts for. */
const MOST_SHARE = 0.56;
/** Under the last row. */
const PADDING = 12;

export function ChartRows({ children }: { readonly children: ReactNode }) {
  const grid = useRef<HTMLElement>(null);
  const [below, setBelow] = useState(0);
  const [isScrolled, setScrolled] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other charts have other heights
  useEffect(() => {
    const element = grid.current;
    const page = element?.parentElement;
    if (!element || !page) return;
    const look = () => {
      const top = element.getBoundingClientRect().top - element.scrollTop;
      const ends = [...element.children].map((chart) => chart.getBoundingClientRect().bottom - top);
      const room = page.clientHeight * MOST_SHARE;
      const fitting = ends.filter((end) => end + PADDING <= room);
      element.style.maxHeight = `${Math.ceil(Math.max(...(fitting.length > 0 ? fitting : ends.slice(0, 1)))) + PADDING}px`;
      const edge = element.scrollTop + element.clientHeight;
      setBelow(ends.filter((end) => end > edge + 1).length);
      setScrolled(element.scrollTop > 0);
    };
    look();
    const observer = new ResizeObserver(look);
    for (const one of [page, ...element.children]) observer.observe(one);
    element.addEventListener('scroll', look);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [children]);
  const scrollOn = () => {
    const element = grid.current;
    if (element === null) return;
    element.scrollTo({ top: below > 0 ? element.scrollTop + element.clientHeight - PADDING : 0 });
  };
  return (
    <>
      <section ref={grid} className="overview-grid" aria-label="By step">
        {children}
      </section>
      {(below > 0 || isScrolled) && (
        <button type="button" className="more-charts" onClick={scrollOn}>
          {below > 0 ? <ChevronDown size={13} /> : <ChevronUp size={13} />}
          {below > 0 ? `${counted(below, 'more chart')} below` : 'Back to the first charts'}
        </button>
      )}
    </>
  );
}
