import { lazy, Suspense } from 'react';
import { SourceText } from '../ui/SourceText.tsx';
import './pythonCode.css';

const ColouredPython = lazy(() => import('./ColouredPython.tsx'));

/** Python source, plain until the tokenizer has been loaded; its size does not change then. */
export function PythonCode({ code }: { readonly code: string }) {
  return (
    <pre className="code">
      <code>
        <Suspense fallback={<SourceText text={code} />}>
          <ColouredPython code={code} />
        </Suspense>
      </code>
    </pre>
  );
}
